"""Operations on locations, which are local paths or objects."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

from pyibc.indexer.errors import UnreadableInput, UnusableFolder
from pyibc.indexer.storage.copies import copies
from pyibc.indexer.storage.objects import ObjectPath

Location = Path | ObjectPath

_MISREAD = re.compile(r"[\\\x00-\x1f\x7f\ud800-\udfff]|%[0-9A-Fa-f]{2}")
"""Characters in a path that DuckDB or delta-rs misinterprets or rejects."""


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # of two letters or more: `C:/` is a path of Windows
_FILE = "file:/"


def is_address(text: str) -> bool:
    """Return whether a text is a URL, such as `s3://bucket/key` or `dbfs:/folder`, rather than a path."""
    return _SCHEME.match(text) is not None


def location_of(text: str) -> Location:
    """Parse a location as formatted by `str`, or a URL `file:/path`.

    Raises:
        UnreadableInput: the text is another URL, not of the form `s3://bucket/key`.
    """
    if not is_address(text):
        return Path(text)
    return path_of_file_url(text) if text.startswith(_FILE) else ObjectPath.parsed(text)


def path_of_file_url(url: str) -> Path:
    """Parse a URL `file:/path`.

    Raises:
        UnreadableInput: the URL names another machine.
    """
    parts = urlsplit(url)
    if parts.netloc not in {"", "localhost"}:
        raise UnreadableInput(f"{url} is a file of another machine")
    return Path(unquote(parts.path))


def check_results(folder: Location) -> None:
    """Check that table libraries can write to a local folder, by its name.

    Raises:
        UnusableFolder: the libraries would misinterpret the path.
    """
    if isinstance(folder, Path) and _MISREAD.search(str(folder.absolute())):
        raise UnusableFolder(str(folder))


def local(place: Location) -> Path:
    """Return a local file with the content of a location.

    Raises:
        OSError: the object does not exist, or its copy cannot be written.
        StorageFault: the download failed.
    """
    return place if isinstance(place, Path) else copies().of(place)


def move(source: Location, target: Location) -> None:
    """Move a file. An object appears atomically, but not at the same moment as its source disappears.

    Raises:
        StorageFault: an object store failed.
    """
    if isinstance(target, Path):
        local(source).rename(target)
    elif isinstance(source, Path):
        target.put(source)
        copies().take(source, target)
    else:
        source.rename(target)


def replace(place: Location, content: bytes) -> None:
    """Replace a small file atomically."""
    if isinstance(place, ObjectPath):
        place.write_bytes(content)
        return
    fresh = place.with_name(f".{place.name}.new")
    fresh.write_bytes(content)
    fresh.replace(place)


def remove_all(folder: Location) -> None:
    """Remove a folder with its content, if it exists."""
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
        return
    for each in folder.files():
        each.unlink()


def inside(folder: Location, pattern: str = "*") -> list[Location]:
    """Return the entries directly in a folder whose names match a pattern, sorted."""
    found: Iterator[Location] = folder.glob(pattern)
    return sorted(found, key=str)


def sizes_in(folder: Location) -> dict[str, int]:
    """Return the sizes of the files directly in a folder by name, without links.

    Raises:
        OSError: the folder cannot be listed.
    """
    if isinstance(folder, ObjectPath):
        return {each.name: each.stat().st_size for each in folder.iterdir() if not each.is_dir()}
    # guard: h111-a-link-is-followed drop:each test_h111_results_that_are_not_as_they_were_left_are_made_anew
    return {
        each.name: each.stat().st_size
        for each in folder.iterdir()
        if not each.is_symlink() and each.is_file()
    }


@contextmanager
def made_in(folder: Location) -> Iterator[Path]:
    """Yield a local folder for new files of `folder`; for a bucket, the files are uploaded at the end."""
    if isinstance(folder, Path):
        yield folder
        return
    with TemporaryDirectory(prefix="pyibc-made-") as name:
        yield Path(name)
        for path in sorted(Path(name).iterdir()):
            move(path, folder / path.name)
