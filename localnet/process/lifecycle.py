"""Start, readiness and stop of the processes of a network's chains."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from localnet.errors import NodeFailed
from localnet.process.startup import LOCK_FILE, node_height, owner_pid
from localnet.settings import COMETBFT, LOCAL, read_node
from pyibc.installation import ROOT

STOP_S = 30.0
"""Seconds for a chain to exit before it is killed."""
_START_S, _POLL_S = 90.0, 0.05
_LOG_TAIL = 2_000
_MODULES = {LOCAL: "localnet.node", COMETBFT: "localnet.comet.node"}


def child_environment() -> dict[str, str]:
    """Return the environment of a process that imports the same packages as this one."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def spawn(home: Path) -> subprocess.Popen[bytes]:
    """Start the process of the chain at `home`, which outlives this process. Raises OSError."""
    with (home / "node.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", _MODULES[read_node(home).consensus], str(home)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=child_environment(),
            start_new_session=True,
        )


def await_owner(home: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a started process has locked its home, or has exited."""
    while owner_pid(home) is None and process.poll() is None:
        time.sleep(_POLL_S)


def await_answer(home: Path, process: subprocess.Popen[bytes] | None) -> None:
    """Wait until all validators respond and the first block is committed.

    Args:
        home: Home of the chain.
        process: Process of the chain; None if it was already running.

    Raises:
        NodeFailed: the process exited or did not respond in time; includes the end of its log.
    """
    deadline, settings = time.monotonic() + _START_S, read_node(home)
    waiting = [each.rpc for each in settings.ports] or [settings.rpc_port]
    while waiting:
        if node_height(waiting[-1], home.name):  # 0: CometBFT responds before the first block
            waiting.pop()
            continue
        if (process is None and owner_pid(home) is None) or (
            process is not None and process.poll() is not None
        ):
            code = process.returncode if process is not None else 0
            why = f"exited with code {code}" if code else "was stopped while it started"
            raise NodeFailed(home.name, why, _tail(home))
        if time.monotonic() > deadline:
            raise NodeFailed(home.name, f"no response within {_START_S:g} s", _tail(home))
        time.sleep(_POLL_S)


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that was asked to stop, then kill it."""
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(home: Path) -> str:
    try:
        return (home / "node.log").read_bytes()[-_LOG_TAIL:].decode(errors="replace")
    except FileNotFoundError:
        return ""  # the network was removed in the meantime


def signal_owner(home: Path, number: signal.Signals) -> None:
    """Send a signal to the process of the chain at `home`, if it runs."""
    pid = owner_pid(home)  # queried again: only the holder of the lock may be signalled
    if pid is not None:
        os.kill(pid, number)


def is_gone(home: Path, timeout_s: float) -> bool:
    """Wait up to `timeout_s` seconds for the chain's process to exit; return whether it did."""
    deadline = time.monotonic() + timeout_s
    while owner_pid(home) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def stop_all(homes: Iterable[Path]) -> list[str]:
    """Stop the chains that run at `homes`, by SIGKILL if SIGTERM has no effect; return their ids."""
    running = [home for home in homes if owner_pid(home) is not None]
    for home in running:
        signal_owner(home, signal.SIGTERM)
    for home in running:
        if not is_gone(home, STOP_S):
            signal_owner(home, signal.SIGKILL)
            is_gone(home, STOP_S)
    return [home.name for home in running]


# -- free ports of the loopback interface

FIRST_PORT = "PYIBC_FIRST_PORT"
"""Environment variable with the first port to try, for clones that start networks at the same time."""

_FIRST, _STEP, _COUNT, _HIGHEST = 26657, 10, 1000, 65536


def is_free(port: int) -> bool:
    """Return whether a server can listen at 127.0.0.1:`port` now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(taken: Collection[int], width: int = 1) -> int:
    """Return the lowest of 26657, 26667, ... that starts `width` free ports and is not `taken`.

    Raises:
        OSError: no port is free.
        ValueError: PYIBC_FIRST_PORT is not a number.
    """
    told = os.environ.get(FIRST_PORT) or str(_FIRST)
    if not (told.isascii() and told.isdigit()):
        raise ValueError(f"{FIRST_PORT} is not a port: {told[:64]!a}")
    first = int(told)
    for port in range(first, min(first + _STEP * _COUNT, _HIGHEST - width), _STEP):
        if all(each not in taken and is_free(each) for each in range(port, port + width)):
            return port
    raise OSError("no free port for a node")


# -- atomic removal of a network's folder: a kill leaves the whole network or nothing under its name

_REMOVED = ".removed"


def started_homes(folder: Path) -> list[Path]:
    """Return the homes in a network's folder in which a process ever ran, regardless of the settings."""
    return sorted(path.parent for path in folder.glob(f"*/{LOCK_FILE}"))


def remove(folder: Path) -> None:
    """Remove a network's folder, and the remains of interrupted removals beside it; raise OSError.

    The folder is renamed first: a partly removed folder must not be taken for a network whose chains would
    continue from incomplete state.
    """
    finish_removals(folder.parent)
    aside = folder.with_name(f".{folder.name}{_REMOVED}")
    # guard: h232-a-removal-keeps-the-name test_h232_a_removal_that_is_killed_leaves_no_network_to_go_on_from
    folder.rename(aside)
    # guard: h232-a-removal-keeps-the-name {aside => folder}
    shutil.rmtree(aside)


def finish_removals(root: Path) -> None:
    """Remove the remains of interrupted removals below `root`; raise OSError."""
    for aside in root.glob(f".*{_REMOVED}"):
        shutil.rmtree(aside)
