"""Commands that a release runs."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tools.release.errors import ReleaseError

SHOWN_LINES = 20
LONGEST = 1_800
"""Seconds after which a command is given up: an install from a slow index may take minutes."""


def run(
    *command: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    umask: int = -1,
    error: type[ReleaseError] = ReleaseError,
) -> str:
    """Run a command with additional environment variables; return its standard output.

    Raises:
        ReleaseError: (or `error`) it cannot be run, fails, or does not end; with the end of its output.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            umask=umask,
            text=True,
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise error(f"{words[0]}: {problem}") from problem
    if done.returncode != 0:
        shown = "\n".join((done.stdout + done.stderr).splitlines()[-SHOWN_LINES:])
        raise error(f"{' '.join(words)} ended with status {done.returncode}:\n{shown}")
    return done.stdout
