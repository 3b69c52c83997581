"""Path arguments of `pyibc.index`."""

import atexit
import shutil
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp

from pyibc.indexer.storage.locations import Location, is_address, location_of

AnyPath = str | PathLike[str]


def existing(inputs: AnyPath | Iterable[AnyPath]) -> list[Location]:
    """Resolve one or several input paths or object addresses.

    Raises:
        FileNotFoundError: a path does not exist.
        UnreadableInput: an address does not have the form `s3://bucket/key`.
        StorageFault: a bucket cannot be accessed.
    """
    given = [inputs] if isinstance(inputs, str | PathLike) else inputs
    paths = [_location(each) for each in given]
    absent = [path for path in paths if not path.exists()]
    if absent:
        raise FileNotFoundError(f"no such file or folder: {absent[0]}")
    return paths


def results_folder(out: AnyPath | None) -> Location:
    """Resolve the result folder; None creates a temporary folder, which is deleted at exit."""
    if out is not None:
        return _location(out)
    folder = Path(mkdtemp(prefix="pyibc-index-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _location(given: AnyPath) -> Location:
    return location_of(given) if isinstance(given, str) and is_address(given) else Path(given).absolute()
