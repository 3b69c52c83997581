"""What a process logged since it was started, which line of it tells why it ended, or that it has halted."""

import re
from pathlib import Path

_MOST = 1 << 16
_HALT = "CONSENSUS FAILURE!!!"
_REASON = re.compile(
    rf"^(?:(?:panic|ERROR|fatal error): .*|.*{_HALT} .{{0,300}})", re.MULTILINE
)  # Go's, and CometBFT's own


def log_since(log: Path, start: int) -> str:
    """The end of a log, nothing of it from before byte `start`; raises OSError."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(start if start <= size else 0, size - _MOST))
        return file.read().decode(errors="replace").rstrip()


def exit_reason(said: str) -> str:
    """The line that tells why: a panic's first, CometBFT's error, a halt's beginning, else the last one."""
    found = _REASON.search(said)
    return found[0] if found else said.rpartition("\n")[2]


class HaltDetector:
    """Looks for a CometBFT that lives on after its consensus has failed (a full disk, say); no block comes.

    Args:
        log: Its log.
        start: Where that begins, in bytes.
    """

    def __init__(self, log: Path, start: int) -> None:
        self._log = log
        self._start = self._seen = start

    def halted(self) -> bool:
        """Whether it has said so since this was asked last; raises OSError."""
        size = self._log.stat().st_size
        if size == self._seen:
            return False
        said = log_since(self._log, max(self._start, self._seen - len(_HALT)))
        self._seen = size
        return _HALT in said
