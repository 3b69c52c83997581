"""Termination of a CometBFT whose supervisor was killed.

Over the socket it exits with its application. Over gRPC it waits for another application, also after SIGTERM,
and locks the databases that its successor needs.
"""

import os
import signal
import time
from pathlib import Path

PID_FILE = "comet.pid"
_PATIENCE_S = 5.0
_GLANCE_S = 0.05


def end_orphan(home: Path, patience_s: float = _PATIENCE_S) -> None:
    """End the CometBFT of a validator's home, if it runs; call this while its application still responds.

    Args:
        home: Home of the validator, with the pid file that its supervisor wrote.
        patience_s: Seconds to wait before SIGKILL.
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
        return  # it does not run, or has exited


def _is_at(pid: int, home: Path) -> bool:
    """Return whether the process runs in `home`, since pids are reused; True on systems without /proc."""
    place = Path(f"/proc/{pid}/cwd")
    return not Path("/proc/self").exists() or place.resolve() == home.resolve()
