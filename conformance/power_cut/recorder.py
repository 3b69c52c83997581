"""Recording of a program's file operations with the preloaded library `record.c`."""

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

WRITE, SYNC, DURABLE_WRITE, TRUNCATE = "w", "s", "d", "t"
FILE_MADE, FOLDER_MADE, REMOVED, RENAMED, FOLDER_SYNC = "c", "m", "u", "r", "f"
_HEAD = struct.Struct("<cQQQ")
_HAS_DATA = {WRITE, DURABLE_WRITE, RENAMED}


class NoCompiler(Exception):
    """No C compiler is installed."""


class Event(NamedTuple):
    """One system call on a file or folder."""

    kind: str
    path: Path
    offset: int  # offset of a write; new size of a truncation
    data: bytes  # old path of a rename


def build(folder: Path) -> Path:
    """Compile the library into `folder`.

    Raises:
        NoCompiler: there is no `cc`.
        subprocess.CalledProcessError: the compiler fails.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise NoCompiler
    library = folder / "record.so"
    source = Path(__file__).with_name("record.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl", "-lpthread"]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own source
    return library


def run(library: Path, command: Sequence[str], root: Path, log: Path) -> None:
    """Run `command`, and record in `log` its operations below `root`; raises CalledProcessError."""
    told = {"LD_PRELOAD": str(library), "POWER_CUT_ROOT": str(root), "POWER_CUT_LOG": str(log)}
    subprocess.run(command, check=True, env={**os.environ, **told})  # noqa: S603 - as told by the test


def events(log: Path) -> Iterator[Event]:
    """Yield the recorded calls in order."""
    with log.open("rb") as file:
        while (event := read_event(file)) is not None:
            yield event


def read_event(file: BinaryIO) -> Event | None:
    """Return the next call of a recording, or None at its end."""
    head = file.read(_HEAD.size)
    if not head:
        return None
    raw, path_length, offset, length = _HEAD.unpack(head)
    kind, path = raw.decode(), Path(os.fsdecode(file.read(path_length)))
    return Event(kind, path, offset, file.read(length) if kind in _HAS_DATA else b"")
