"""Waiting for what other threads and processes do."""

import time


def until(holds, seconds=60):
    """Waits until `holds()` is true; fails where it is not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.005)
