"""Input files of a stream, classified by their first bytes.

Block lines and packet tables are read in place. Everything else is taken for recorded answers of nodes, or
the user's names of chains (`recordings`). A file is looked at once, and again when it changes: what it is
stands in the file `files.json` of the stream's state. An exporter's file is known by its name.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO

import msgspec

from pyibc.indexer.block_files import SNIFF, holds_lines, unpacked_head
from pyibc.indexer.bronze.files import SourceFile, StateFolder, list_files, local_path
from pyibc.indexer.bronze.recordings import Recordings, opened, reason_of
from pyibc.indexer.problems import Skipped

LINES, TABLE, OTHER = "lines", "table", "other"
MAX_KEPT = 100_000
"""Files whose kinds are written to the state; more are looked at again by the next process."""
_KINDS = "files.json"

Seen = tuple[int, int, str]  # size, modification time, kind


class InputFiles:
    """Input files of a stream.

    Args:
        urls: files and folders.
        location: folder of the stream's state.
        without: files and folders below them that are no inputs.
    """

    def __init__(self, urls: list[str], location: str, without: Iterable[str] = ()) -> None:
        self._urls, self._state = urls, StateFolder(location)
        self._without = tuple(place for each in without for url in urls for place in _within(url, each))
        self._recordings = Recordings(location)
        self._seen = self._read()

    def listed(self) -> list[SourceFile]:
        """List the files that the stream reads; blocks of new recordings are written before.

        Files with names of chains are among them, so that a change of them makes a batch.

        Raises:
            NothingToIndex: a file or folder does not exist.
            StorageUnreachable: a folder or store cannot be read.
            OSError: the state cannot be written.
        """
        read, others, unusable = list[SourceFile](), list[SourceFile](), list[Skipped]()
        seen = dict[str, Seen]()
        for file in list_files(self._urls):
            if self._without and f"{file.url}/".startswith(self._without):
                continue
            try:
                kind = self._kind(file, seen)
            except OSError as error:
                unusable.append(Skipped(_shown(file.url), reason_of(error)))
                continue
            (others if kind == OTHER else read).append(file)
        self._keep(seen)
        self._recordings.take(others, unusable)
        return [*read, *self._recordings.told.names, *self._recordings.lines()]

    def is_read(self, url: str) -> bool:
        """Return whether the stream reads the content of a file that it has listed."""
        return all(file.url != url for file in self._recordings.told.names)

    def _kind(self, file: SourceFile, seen: dict[str, Seen]) -> str:
        """Return the kind of a file, and add it to `seen`, unless it is known by its name."""
        if _shown(file.url) != file.url:
            raise OSError(0, "the file name is not UTF-8")
        if file.first_height is not None:
            return LINES
        size, mtime, kind = self._seen.get(file.url, (0, 0, ""))
        has_grown = kind == LINES and file.size > size
        if (size, mtime) != (file.size, file.mtime_ns) and not has_grown:
            with opened(file.url) as content:
                kind = _kind_of(content)
        seen[file.url] = (file.size, file.mtime_ns, kind)
        return kind

    def _read(self) -> dict[str, Seen]:
        try:
            return msgspec.json.decode(self._state.read(_KINDS), type=dict[str, Seen])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}  # they are looked at again

    def _keep(self, seen: dict[str, Seen]) -> None:
        """Write the kinds of files, if they are others than before."""
        new = any(file not in self._seen or self._seen[file][2] != each[2] for file, each in seen.items())
        self._seen = seen
        if new:
            self._state.write(_KINDS, msgspec.json.encode(dict(islice(seen.items(), MAX_KEPT))))


def _within(url: str, place: str) -> Iterator[str]:
    """Yield how the names of files below `place` begin in a listing of `url`, if it has some."""
    folder, inner = local_path(url), local_path(place)
    if folder is None or inner is None:
        folder, inner, listed = url.rstrip("/"), place.rstrip("/"), url.rstrip("/")
    else:
        folder, inner, listed = os.path.realpath(folder), os.path.realpath(inner), folder.rstrip("/")
    if f"{folder}/".startswith(f"{inner}/"):
        yield f"{listed}/"
    elif inner.startswith(f"{folder.rstrip('/')}/"):
        yield f"{listed}{inner[len(folder.rstrip('/')) :]}/"


def _kind_of(file: IO[bytes]) -> str:
    head = file.read(SNIFF)
    if head.startswith(b"PAR1"):
        return TABLE
    return LINES if holds_lines(unpacked_head(head)) else OTHER


def _shown(url: str) -> str:
    """Return a name that can be written as UTF-8."""
    return url.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
