"""Files of vectors: which are to be run, and how their JSON is read, plain or compressed."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

_PROSE = frozenset({"ORIGIN", "README", "LICENSE", "LICENCE", "NOTICE", "COPYING"})
_GZIP = b"\x1f\x8b"
MAX_SIZE = 1 << 28
"""Bytes that a compressed file may unfold to."""


def is_prose(path: Path) -> bool:
    """Whether a file is about vectors, and holds none: prose, a licence, the model that they came from."""
    return path.suffix.lower() in {".md", ".rst", ".tla"} or path.name.partition(".")[0].upper() in _PROSE


def vector_files(folder: Path) -> list[Path]:
    """Every file below `folder` that is not prose, in path order; folders of version control are no files."""
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return sorted(path for path in found if not is_prose(path) and ".git" not in path.parts)


def is_json(path: Path) -> bool:
    """Whether a file is named as JSON, compressed or not."""
    return path.name.endswith((".json", ".json.gz"))


def stem(path: Path) -> str:
    """A JSON file's name without its endings."""
    return path.name.removesuffix(".gz").removesuffix(".json")


def read(path: Path) -> bytes:
    """The bytes of a file, unfolded where they are gzip's.

    Raises:
        ValueError: damaged, or more than `MAX_SIZE`.
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
        raise ValueError(f"unfolds to more than {MAX_SIZE} bytes")
    return raw


def load_json(path: Path) -> Any:
    """The JSON in a file; a byte order mark in front is passed over.

    Raises:
        ValueError: not UTF-8, not JSON, nested too deeply, or a name twice in one object, of which one
            would be lost in silence.
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
        raise ValueError(f"the name {twice[:64]!r} twice in one object")
    return found


def json_in(path: Path) -> Any:
    """The JSON in a file that is named as JSON; None of every other.

    Raises:
        ValueError, OSError: as `load_json`.
    """
    return load_json(path) if is_json(path) else None
