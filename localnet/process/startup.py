"""Startup and status of a network's processes: logging, the home argument and its lock, startup errors.

The lock is held until its process ends in any way. The status is as observed from outside.
"""

import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO, NamedTuple

from localnet.comet.homes import validator_homes
from localnet.errors import AlreadyRunning, LocalnetError
from localnet.settings import NodeSettings, Ports, read_node

LOCK_FILE = "node.lock"


class HomeLock:
    """Lock on one home directory; the file contains the owner's process id."""

    def __init__(self, home: Path) -> None:
        """Acquire the lock.

        Raises:
            AlreadyRunning: another process holds the lock.
            OSError: the home does not exist, or is not writable.
        """
        with _door(home):
            self._file: IO[bytes] = (home / LOCK_FILE).open("ab+")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._file.truncate(0)
                self._file.write(str(os.getpid()).encode())
                self._file.flush()
            except BlockingIOError:
                self._file.close()
                raise AlreadyRunning(str(home)) from None
            except BaseException:
                self._file.close()
                raise

    def release(self) -> None:
        """Release the lock."""
        self._file.close()


@contextmanager
def _door(home: Path) -> Iterator[None]:
    """Serialize acquiring the lock and querying its owner.

    A query has to acquire the lock for a moment: without this mutex a node that starts at that moment would
    find its home in use, and a query during a start could find the lock held but no process id in it.
    """
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Let one process at a time create networks below `root` and start chains; others block.

    Raises:
        OSError: the folder is not writable.
    """
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def owner_pid(home: Path) -> int | None:
    """Return the process id of the node running at `home`, or None."""
    try:
        # guard: h107-who-looks-does-not-wait-at-the-door drop:_door
        #   test_h107_who_asks_for_the_owner_stands_in_no_start_s_way
        #   test_h107_an_owner_that_just_starts_is_an_owner
        with _door(home), (home / LOCK_FILE).open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read()
                return int(text) if text.isdigit() else None
    except FileNotFoundError:
        return None
    return None


# -- log format of a network's processes, and the last lines of their logs

_BLOCK = 1 << 16


def log_to_stderr() -> None:
    """Configure logging to stderr, which the parent process redirects to a file."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")


def logs_of(homes: Sequence[Path]) -> Iterator[Path]:
    """Iterate over the log files of the chains at `homes`: the chain's own, then each validator's."""
    for home in homes:
        yield from sorted(home.glob("*.log")) + sorted(home.glob("v*/*.log"))


def last_lines(path: Path, count: int) -> list[str]:
    """Return the last `count` lines of a file; bytes that are not UTF-8 are escaped."""
    if not count:
        return []
    with path.open("rb") as file:
        at, raw = file.seek(0, 2), b""
        while at and raw.count(b"\n") <= count:
            start = max(0, at - _BLOCK)
            file.seek(start)
            raw, at = file.read(at - start) + raw, start
    return raw.decode("utf-8", "backslashreplace").splitlines()[-count:]


# -- startup

log = logging.getLogger("localnet")

CANNOT_START = 2
"""Exit code for wrong arguments or settings."""


def cannot_start(reason: object) -> int:
    """Log why the process cannot start, without a traceback; return the exit code."""
    log.error("%s", reason)
    return CANNOT_START


def run_at_home(module: str, arguments: Sequence[str], run: Callable[[Path], int]) -> int:
    """Run a process whose only argument is its home; return its exit code."""
    log_to_stderr()
    if len(arguments) != 1:
        return cannot_start(f"usage: python -m {module} HOME")
    return run(Path(arguments[0]).resolve())


def run_locked(home: Path, run: Callable[[Path], int]) -> int:
    """Run a process that holds its home's lock; return its exit code."""
    try:
        lock = HomeLock(home)
    except (LocalnetError, OSError) as error:
        return cannot_start(error)
    try:
        return run(home)
    finally:
        lock.release()


# -- query of a local node's height

_TIMEOUT_S = 5.0


def node_height(port: int, chain_id: str) -> int | None:
    """Return the height of the node of `chain_id` at 127.0.0.1:`port`.

    None if the node does not respond or is of another chain.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/status")
        said = json.loads(connection.getresponse().read())["result"]
        if said["node_info"]["network"] != chain_id:
            return None
        return int(said["sync_info"]["latest_block_height"])
    except (OSError, HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()


# -- status of a network


class ValidatorStatus(NamedTuple):
    """One CometBFT validator; its logs are `app.log` and `comet.log` in its home."""

    name: str
    height: int | None  # None if not running or not responding
    rpc: str
    grpc: str
    home: Path


class NodeStatus(NamedTuple):
    """The status of one chain's process."""

    chain_id: str
    pid: int | None  # None if not running
    height: int | None  # None if not running or not responding
    rpc: str
    home: Path
    validators: tuple[ValidatorStatus, ...] = ()  # under CometBFT; `rpc` is the first validator's


def status_of(home: Path) -> NodeStatus:
    """Return the status of the chain at `home`; raise OSError, BadSettings."""
    pid, settings = owner_pid(home), read_node(home)
    heights = _heights(home.name, settings) if pid is not None else {}
    members = tuple(
        _validator_status(each, ports, heights.get(ports.rpc))
        for each, ports in zip(validator_homes(home, settings), settings.ports, strict=False)
    )
    url = f"http://127.0.0.1:{settings.rpc_port}"
    return NodeStatus(home.name, pid, heights.get(settings.rpc_port), url, home, members)


def _heights(chain_id: str, settings: NodeSettings) -> dict[int, int | None]:
    """Return heights by RPC port, queried in parallel so that timeouts do not add up."""
    ports = sorted({settings.rpc_port, *(each.rpc for each in settings.ports)})
    with ThreadPoolExecutor(len(ports)) as threads:
        return dict(zip(ports, threads.map(partial(node_height, chain_id=chain_id), ports), strict=True))


def _validator_status(home: Path, ports: Ports, height: int | None) -> ValidatorStatus:
    rpc, grpc = f"http://127.0.0.1:{ports.rpc}", f"127.0.0.1:{ports.grpc}"
    return ValidatorStatus(home.name, height, rpc, grpc, home)
