"""The tests that pytest finds in files."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def collected(root: Path, files: Sequence[str]) -> list[str]:
    """The node ids of all tests in the files, which are relative to the clone at `root`.

    Raises:
        subprocess.CalledProcessError: pytest cannot read one.
    """
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    # options for the tests that run around this would change what is printed
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return [line for line in ran.stdout.splitlines() if "::" in line]
