"""Startup shared by a chain's processes: logging, the home argument, the home's lock, startup errors."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from localnet.errors import LocalnetError
from localnet.home_lock import HomeLock
from localnet.logs import log_to_stderr

log = logging.getLogger("localnet")

CANNOT_START = 2
"""Exit code for wrong arguments or settings."""


def cannot_start(reason: object) -> int:
    """Logs why the process cannot start, without a traceback; returns the exit code."""
    log.error("%s", reason)
    return CANNOT_START


def run_at_home(module: str, arguments: Sequence[str], run: Callable[[Path], int]) -> int:
    """Runs a process whose only argument is its home; returns its exit code."""
    log_to_stderr()
    if len(arguments) != 1:
        return cannot_start(f"usage: python -m {module} HOME")
    return run(Path(arguments[0]).resolve())


def run_locked(home: Path, run: Callable[[Path], int]) -> int:
    """Runs a process that holds its home's lock; returns its exit code."""
    try:
        lock = HomeLock(home)
    except (LocalnetError, OSError) as error:
        return cannot_start(error)
    try:
        return run(home)
    finally:
        lock.release()
