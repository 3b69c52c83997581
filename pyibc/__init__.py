"""What a user imports (the public names) and runs (the command line, doctor)."""

from pathlib import Path
from runpy import run_path

run_path(str(Path(__file__).parents[1] / "ibc_core" / "installation.py"))["check"]()  # found without sys.path

__distribution__ = "pyibc"
