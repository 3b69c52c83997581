"""The log format of a network's processes, and the last lines of their logs."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

_BLOCK = 1 << 16


def log_to_stderr() -> None:
    """Configures logging to stderr, which the parent process redirects to a file."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")


def logs_of(homes: Sequence[Path]) -> Iterator[Path]:
    """All log files of the chains at `homes`: the chain's own, then each validator's."""
    for home in homes:
        yield from sorted(home.glob("*.log")) + sorted(home.glob("v*/*.log"))


def last_lines(path: Path, count: int) -> list[str]:
    """The last `count` lines of a file; bytes that are not UTF-8 are escaped."""
    if not count:
        return []
    with path.open("rb") as file:
        at, raw = file.seek(0, 2), b""
        while at and raw.count(b"\n") <= count:
            start = max(0, at - _BLOCK)
            file.seek(start)
            raw, at = file.read(at - start) + raw, start
    return raw.decode("utf-8", "backslashreplace").splitlines()[-count:]
