"""Builds ibc-go's replay program, a Go program outside of this repository."""

import os
import shutil
import subprocess
from pathlib import Path

SOURCES = "IBC_GO_REPLAY_DIR"
"""Environment variable: folder of the program's sources."""
GO = "GO"
"""Environment variable: the go command."""


class Missing(Exception):
    """A prerequisite is not installed."""


def find_go() -> str:
    """The path of the go command.

    Raises:
        Missing: Go is not installed.
    """
    for name in (os.environ.get(GO, ""), "go", "/usr/local/go/bin/go"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise Missing(f"Go is not on this machine: install it, or name the command in {GO}")


def find_sources(beside: Path) -> Path:
    """The folder of the sources; by default `../shared/peers/replay` relative to `beside`.

    Raises:
        Missing: the folder has no go.mod.
    """
    folder = Path(os.environ.get(SOURCES) or beside.parent / "shared" / "peers" / "replay")
    if not (folder / "go.mod").is_file():
        raise Missing(f"no sources of ibc-go's judge at {folder}: name their folder in {SOURCES}")
    return folder


def build(sources: Path, cache: Path) -> Path:
    """Builds the program into `cache`; returns its path.

    Raises:
        Missing: Go is not installed, or the build failed (its modules may be unavailable).
    """
    cache.mkdir(parents=True, exist_ok=True)
    program = cache / "replay"
    done = subprocess.run([find_go(), "build", "-o", program, "."], cwd=sources, check=False)  # noqa: S603
    if done.returncode:
        raise Missing(f"{sources} does not build (its modules come from the Go module proxy)")
    return program
