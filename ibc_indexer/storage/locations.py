"""A path of this machine, or an object: what the two do differently."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ibc_indexer.errors import UnusableFolder
from ibc_indexer.storage.copies import copies
from ibc_indexer.storage.objects import ObjectPath

Location = Path | ObjectPath

_MISREAD = re.compile(r"[\\\x00-\x1f\x7f\ud800-\udfff]|%[0-9A-Fa-f]{2}")
"""In a path: what DuckDB or delta-rs reads as something else, or does not take."""


def is_address(text: str) -> bool:
    """Whether a text names no path but a place on the net."""
    return "://" in text


def location_of(text: str) -> Location:
    """The place that a text names, as `str` gave it.

    Raises:
        UnreadableInput: an address of another kind than `s3://bucket/key`.
    """
    return ObjectPath.parsed(text) if is_address(text) else Path(text)


def check_results(folder: Location) -> None:
    """Whether tables can be written to a folder of this machine; nothing is made.

    Raises:
        UnusableFolder: its path means another one to who writes them.
    """
    if isinstance(folder, Path) and _MISREAD.search(str(folder.absolute())):
        raise UnusableFolder(str(folder))


def local(place: Location) -> Path:
    """A file of this machine with the place's content; raises OSError, StorageFault."""
    return place if isinstance(place, Path) else copies().of(place)


def move(source: Location, target: Location) -> None:
    """Gives a file its last place. To an object it goes whole, but not at once with its going from the first.

    Raises:
        StorageFault: a store does not take it.
    """
    if isinstance(target, Path):
        local(source).rename(target)
    elif isinstance(source, Path):
        target.put(source)
        copies().take(source, target)
    else:
        source.rename(target)


def replace(place: Location, content: bytes) -> None:
    """Replaces a small file, whole or not at all."""
    if isinstance(place, ObjectPath):
        place.write_bytes(content)
        return
    fresh = place.with_name(f".{place.name}.new")
    fresh.write_bytes(content)
    fresh.replace(place)


def remove_all(folder: Location) -> None:
    """Removes what is in a folder, to any depth; none that is not there."""
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
        return
    for each in folder.files():
        each.unlink()


def inside(folder: Location, pattern: str = "*") -> list[Location]:
    """What is directly in a folder and matches a pattern, in the order of names."""
    found: Iterator[Location] = folder.glob(pattern)
    return sorted(found, key=str)


def sizes_in(folder: Location) -> dict[str, int]:
    """The files directly in a folder, links left out, and how large they are; raises OSError."""
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
    """A folder of this machine for what is to be in `folder`: if that is in a bucket, all goes there."""
    if isinstance(folder, Path):
        yield folder
        return
    with TemporaryDirectory(prefix="pyibc-made-") as name:
        yield Path(name)
        for path in sorted(Path(name).iterdir()):
            move(path, folder / path.name)
