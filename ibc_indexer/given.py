"""What a program gives `pyibc.index`: paths that are there, and a folder for results."""

import atexit
import shutil
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp

AnyPath = str | PathLike[str]


def existing(inputs: AnyPath | Iterable[AnyPath]) -> list[Path]:
    """One path or several, absolute.

    Raises:
        FileNotFoundError: one is not there.
    """
    given = [inputs] if isinstance(inputs, str | PathLike) else inputs
    paths = [Path(each).absolute() for each in given]
    absent = [path for path in paths if not path.exists()]
    if absent:
        raise FileNotFoundError(f"no such file or folder: {absent[0]}")
    return paths


def results_folder(out: AnyPath | None) -> Path:
    """`out`, absolute; None: a folder that outlives its frames, and not the program."""
    if out is not None:
        return Path(out).absolute()
    folder = Path(mkdtemp(prefix="pyibc-index-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
