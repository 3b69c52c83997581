"""Starts, awaits and stops the processes of a network's chains."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from localnet.errors import NodeFailed
from localnet.home_lock import owner_pid
from localnet.node_client import node_height
from localnet.settings import COMETBFT, LOCAL, read_node

STOP_S = 30.0
"""How long a chain may take to exit before it is killed."""
_PACKAGE_ROOT = Path(__file__).resolve().parent.parent
_START_S, _POLL_S = 90.0, 0.05
_LOG_TAIL = 2_000
_MODULES = {LOCAL: "localnet.node", COMETBFT: "localnet.comet.node"}


def spawn(home: Path) -> subprocess.Popen[bytes]:
    """Starts the process of the chain at `home`, which outlives this process. Raises OSError."""
    paths = [str(_PACKAGE_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with (home / "node.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", _MODULES[read_node(home).consensus], str(home)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,
        )


def await_owner(home: Path, process: subprocess.Popen[bytes]) -> None:
    """Waits until a started process has locked its home, or has exited."""
    while owner_pid(home) is None and process.poll() is None:
        time.sleep(_POLL_S)


def await_answer(home: Path, process: subprocess.Popen[bytes] | None) -> None:
    """Waits until all validators respond and the first block is committed.

    Args:
        home: The chain's home.
        process: Its process; None if it was already running.

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
            why = f"ended with exit code {code}" if code else "was stopped while it started"
            raise NodeFailed(home.name, why, _tail(home))
        if time.monotonic() > deadline:
            raise NodeFailed(home.name, f"no answer within {_START_S:g} s", _tail(home))
        time.sleep(_POLL_S)


def end(process: subprocess.Popen[bytes]) -> None:
    """Waits for a process that was asked to stop, then kills it."""
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
    """Sends a signal to the process of the chain at `home`, if it runs."""
    pid = owner_pid(home)  # queried again: only the holder of the lock may be signalled
    if pid is not None:
        os.kill(pid, number)


def is_gone(home: Path, timeout_s: float) -> bool:
    """Whether the chain's process exited within `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while owner_pid(home) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def stop_all(homes: Iterable[Path]) -> list[str]:
    """Stops the chains that run at `homes`, by SIGKILL if SIGTERM has no effect; returns their ids."""
    running = [home for home in homes if owner_pid(home) is not None]
    for home in running:
        signal_owner(home, signal.SIGTERM)
    for home in running:
        if not is_gone(home, STOP_S):
            signal_owner(home, signal.SIGKILL)
            is_gone(home, STOP_S)
    return [home.name for home in running]
