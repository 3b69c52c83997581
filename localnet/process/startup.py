"""Startup shared by a chain's processes: logging, the home argument, the home's lock, startup errors."""

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from localnet.errors import LocalnetError
from localnet.process.home_lock import HomeLock

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
