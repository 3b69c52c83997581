"""What a process logged since it was started, and which line of it tells why it ended."""

import re
from pathlib import Path

_MOST = 1 << 16
_REASON = re.compile(r"^(?:panic|ERROR|fatal error): .*", re.MULTILINE)  # Go's, and CometBFT's own


def since(log: Path, start: int) -> str:
    """The end of a log, nothing of it from before byte `start`; raises OSError."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(start if start <= size else 0, size - _MOST))
        return file.read().decode(errors="replace").rstrip()


def reason(said: str) -> str:
    """The line that tells why: a panic's first, CometBFT's error, else the last one."""
    found = _REASON.search(said)
    return found[0] if found else said.rpartition("\n")[2]
