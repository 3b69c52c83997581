"""Build of the Go program (`go/`) that replays transcripts of walks and recordings in ibc-go."""

import os
import shutil
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parent / "go"
"""The program's sources."""
GO = "GO"
"""Environment variable: the go command."""


class Missing(Exception):
    """A prerequisite is not installed."""


def find_go() -> str:
    """Return the path of the go command.

    Raises:
        Missing: Go is not installed.
    """
    for name in (os.environ.get(GO, ""), "go", "/usr/local/go/bin/go"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise Missing(f"Go is not installed: install it, or set the command in {GO}")


def build(cache: Path) -> Path:
    """Build the program into `cache`; return its path.

    Raises:
        Missing: Go is not installed, or the build failed (its modules may be unavailable).
    """
    cache.mkdir(parents=True, exist_ok=True)
    program = cache / "replay"
    done = subprocess.run([find_go(), "build", "-o", program, "."], cwd=SOURCES, check=False)  # noqa: S603
    if done.returncode:
        raise Missing(f"{SOURCES} does not build (its modules come from the Go module proxy)")
    return program
