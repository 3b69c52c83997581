"""Ends a CometBFT whose supervisor was killed.

Over the socket it exits with its application. Over gRPC it waits for another one, at SIGTERM too, and holds
the databases that its successor needs.
"""

import os
import signal
import time
from pathlib import Path

PID_FILE = "comet.pid"
_PATIENCE_S = 5.0
_GLANCE_S = 0.05


def end_orphan(home: Path, patience_s: float = _PATIENCE_S) -> None:
    """Ends the CometBFT of a validator's home, if it runs; to be called while its application still answers.

    Args:
        home: The validator's home, with the file that its supervisor wrote.
        patience_s: Time for an orderly end.
    """
    try:
        pid = int((home / PID_FILE).read_text(encoding="ascii"))
        if not _is_at(pid, home):
            return
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            time.sleep(_GLANCE_S)
            os.kill(pid, 0)
        os.kill(pid, signal.SIGKILL)
    except (OSError, ValueError):
        return  # there is none, or no longer


def _is_at(pid: int, home: Path) -> bool:
    """Whether a process works in `home`: its number may be another's by now. Where nobody says, True."""
    place = Path(f"/proc/{pid}/cwd")
    return not Path("/proc/self").exists() or place.resolve() == home.resolve()
