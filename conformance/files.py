"""Vector files: which of them to run, and how to read their JSON, plain or compressed."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

_PROSE = frozenset({"ORIGIN", "README", "LICENSE", "LICENCE", "NOTICE", "COPYING"})
_GZIP = b"\x1f\x8b"
MAX_SIZE = 1 << 28
"""Maximum size of a decompressed file, bytes."""


def is_prose(path: Path) -> bool:
    """Return whether a file only describes vectors, as documentation, licences and model sources do."""
    return path.suffix.lower() in {".md", ".rst", ".tla"} or path.name.partition(".")[0].upper() in _PROSE


def vector_files(folder: Path) -> list[Path]:
    """Return every file below `folder` in path order, except documentation and version control data."""
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return sorted(path for path in found if not is_prose(path) and ".git" not in path.parts)


def is_json(path: Path) -> bool:
    """Return whether a file's name is that of a JSON file, compressed or not."""
    return path.name.endswith((".json", ".json.gz"))


def stem(path: Path) -> str:
    """Return a JSON file's name without its extensions."""
    return path.name.removesuffix(".gz").removesuffix(".json")


def read(path: Path) -> bytes:
    """Return the bytes of a file, decompressed if it is gzip.

    Raises:
        ValueError: the file is damaged, or larger than `MAX_SIZE`.
        OSError: the file cannot be read.
    """
    raw = path.read_bytes()
    if not raw.startswith(_GZIP):
        return raw
    try:
        with gzip.open(path) as file:
            raw = file.read(MAX_SIZE + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"damaged gzip: {error}") from error
    if len(raw) > MAX_SIZE:
        raise ValueError(f"decompresses to more than {MAX_SIZE} bytes")
    return raw


def load_json(path: Path) -> Any:
    """Return the JSON in a file; a leading byte order mark is ignored.

    Raises:
        ValueError: the file is not UTF-8, not JSON, nested too deeply, or repeats a name within an
            object.
        OSError: the file cannot be read.
    """
    try:
        return json.loads(read(path).decode("utf-8-sig"), object_pairs_hook=_members)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if name in dict(pairs[:at]))
        raise ValueError(f"the name {twice[:64]!r} occurs twice in one object")
    return found


def json_in(path: Path) -> Any:
    """Return the JSON in a file that is named as JSON, or None for any other file.

    Raises:
        ValueError, OSError: see `load_json`.
    """
    return load_json(path) if is_json(path) else None
