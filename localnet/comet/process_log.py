"""Reads a process's log: the output since its start, why it exited, and whether consensus has halted."""

import re
from pathlib import Path

_MOST = 1 << 16
_HALT = "CONSENSUS FAILURE!!!"
_REASON = re.compile(
    rf"^(?:(?:panic|ERROR|fatal error): .*|.*{_HALT} .{{0,300}})", re.MULTILINE
)  # Go's, and CometBFT's own


def log_since(log: Path, start: int) -> str:
    """The end of a log, from byte `start` at the earliest; raises OSError."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(start if start <= size else 0, size - _MOST))
        return file.read().decode(errors="replace").rstrip()


def exit_reason(said: str) -> str:
    """The line that explains an exit: a panic, CometBFT's error or consensus failure, else the last line."""
    found = _REASON.search(said)
    return found[0] if found else said.rpartition("\n")[2]


class HaltDetector:
    """Detects a CometBFT that keeps running after its consensus has failed, for example on a full disk.

    Such a node makes no more blocks.

    Args:
        log: Its log file.
        start: Offset at which its output begins, in bytes.
    """

    def __init__(self, log: Path, start: int) -> None:
        self._log = log
        self._start = self._seen = start

    def halted(self) -> bool:
        """Whether consensus failure was logged since the last call; raises OSError."""
        size = self._log.stat().st_size
        if size == self._seen:
            return False
        said = log_since(self._log, max(self._start, self._seen - len(_HALT)))
        self._seen = size
        return _HALT in said
