"""Waiting for what other threads and processes do."""

import time
from pathlib import Path


def until(holds, seconds=60):
    """Waits until `holds()` is true; fails where it is not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.005)


def runs(pid):
    """Whether a process runs: one that ended and that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
