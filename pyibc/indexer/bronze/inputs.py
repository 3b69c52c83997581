"""Input files of a stream, classified by their first bytes, and recorded answers among them.

Block lines and packet tables are read in place. Everything else is taken for recorded answers of nodes, or
the user's names of chains. A file is looked at once, and again when it changes: what it is stands in the file
`files.json` of the stream's state. An exporter's file is known by its name.

The blocks of recorded answers are written as block lines, which are read. A block is put together from
several files, so all recordings are read again when one of them is new or has changed. Lines that were not
written before make a new file in the folder `recorded` of the stream's state:

    recorded/lines-000003.jsonl  pyibc1 ...
    inputs.json                  {"assembled": "...", "skipped": [...], "notes": [...], ...}

The second file has what cannot be used and why, assumptions, and the user's names and lineages of chains.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from io import BytesIO
from itertools import islice
from typing import IO

import msgspec

from pyibc.indexer.blocks.block import Block
from pyibc.indexer.blocks.line_files import SNIFF, holds_lines, unpacked_head
from pyibc.indexer.blocks.lines import encode_line, parse_head
from pyibc.indexer.chains.registry import MAX_ENTRIES, NOTHING, Registered, Registry, check_lineages
from pyibc.indexer.errors import (
    DamagedLog,
    IndexerError,
    MalformedLine,
    Skipped,
    StorageUnreachable,
    UnreadableInput,
)
from pyibc.indexer.files import SourceFile, StateFolder, list_files, open_url
from pyibc.indexer.locations import before_wildcards, local_path
from pyibc.indexer.recordings.assemble import Found, assemble
from pyibc.indexer.recordings.reading import Recording, read_content, read_recording

MAX_TOLD = 10_000
"""Skipped inputs and assumptions that are listed one by one."""
_FOLDER, _TOLD = "recorded", "inputs.json"
_FILE_BYTES = 64 << 20
Place = tuple[str, int]  # chain id, height
_GONE = (
    "blocks stay in the tables that recordings no longer have under these chains, because files are gone or "
    "others tell more: index into a new folder to drop them"
)

LINES, TABLE, OTHER = "lines", "table", "other"
MAX_KEPT = 100_000
"""Files whose kinds are written to the state; more are looked at again by the next process."""
_KINDS = "files.json"

Seen = tuple[int, int, str]  # size, modification time, kind


class Told(msgspec.Struct, frozen=True):
    """Content of inputs other than block lines, beside their blocks."""

    assembled: str = ""  # digest of the files
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[Skipped, ...] = ()  # assumptions
    registered: tuple[Registered, ...] = ()
    lineages: tuple[tuple[str, ...], ...] = ()
    names: tuple[SourceFile, ...] = ()  # files with names or lineages of chains
    has_named: bool = False  # there are such files, or were

    @property
    def given(self) -> Registry:
        """Names and lineages of chains."""
        return Registry([*self.registered], [*self.lineages])


def read_told(location: str) -> Told:
    """Read what was written to a folder of state; nothing if there is no such file.

    Raises:
        DamagedLog: the file is malformed.
    """
    try:
        return StateFolder(location).document(_TOLD, Told)
    except FileNotFoundError:
        return Told()


class Recordings:
    """Recordings of a stream.

    Args:
        location: folder of its state.
    """

    def __init__(self, location: str) -> None:
        self._state, self._lines = StateFolder(location), StateFolder(f"{location}/{_FOLDER}")
        self.told = read_told(location)
        self._last: tuple[list[SourceFile], list[Skipped]] | None = None

    def names(self) -> list[SourceFile]:
        """Return the files with names of chains, and that of their content, which changes if one is gone."""
        told = list_files([self._state.path(_TOLD)]) if self.told.has_named else []
        return [*self.told.names, *told]

    def lines(self) -> list[SourceFile]:
        """Return the files of block lines that were written."""
        return list_files([self._lines.path("")]) if self._lines.names() else []

    def take(self, files: list[SourceFile], unusable: list[Skipped]) -> None:
        """Write the blocks of recordings that were not written before, if a file is new or has changed.

        Args:
            files: all recordings, and files with names of chains.
            unusable: files that cannot be read.

        Raises:
            OSError: the lines cannot be written.
            StorageUnreachable: a store cannot be read, so its content is unknown.
        """
        if (files, unusable) == self._last:
            return
        digest = blake2b(msgspec.json.encode((files, unusable)), digest_size=16).hexdigest()
        if digest != self.told.assembled and (files or unusable or self.told != Told()):
            self._assemble(files, unusable, digest)
        self._last = (files, unusable)

    def _assemble(self, files: list[SourceFile], unusable: list[Skipped], digest: str) -> None:
        found, skipped, names = list[Found](), [*unusable], list[SourceFile]()
        given = Registry([], [])
        for file in files:
            read = _read(file, given)
            found.extend(read.found)
            skipped.extend(read.skipped)
            if read.given != NOTHING:
                names.append(file)
                given = given.with_more(read.given)
        assembled = assemble(found)
        unfit, has_gone = self._write(assembled.blocks)
        notes = [*assembled.notes, *([Skipped("", _GONE)] if has_gone else [])]
        self.told = Told(
            digest,
            tuple(_limited([*skipped, *assembled.skipped, *unfit])),
            tuple(_limited(notes)),
            tuple(given.registered),
            tuple(given.lineages),
            tuple(names),
            bool(names) or self.told.has_named,
        )
        self._state.write(_TOLD, msgspec.json.encode(self.told))

    def _write(self, blocks: Iterable[Block]) -> tuple[list[Skipped], bool]:
        """Write the lines that are new; return the blocks that fit no line, and whether blocks are gone.

        A file has one incarnation of a chain: another one begins where heights do not ascend.
        """
        written, gone = self._written()
        unfit, lines, last = list[Skipped](), BytesIO(), ("", 0)
        for block in blocks:
            place = (block.chain_id, block.height)
            gone.discard(place)
            try:
                line = encode_line(block)
            except MalformedLine as error:
                unfit.append(Skipped(block.origin, error.reason))
                continue
            if _digest(line) in written:
                continue
            if lines.tell() >= _FILE_BYTES or place <= last:
                self._close(lines)
            lines.write(line)
            last = place
        self._close(lines)
        return unfit, bool(gone)

    def _close(self, lines: BytesIO) -> None:
        """Write a file, if there are lines for it, and forget them."""
        if lines.tell():
            self._lines.write(f"lines-{len(self._lines.names()) + 1:06d}.jsonl", lines.getvalue())
            lines.seek(0)
            lines.truncate()

    def _written(self) -> tuple[set[bytes], set[Place]]:
        """Return the digests of the lines that were written, and their chains and heights."""
        digests, places = set[bytes](), set[Place]()
        for name in self._lines.names():
            with open_url(self._lines.path(name)) as file:
                for line in file:
                    digests.add(_digest(line))
                    places.add(parse_head(line)[:2])
        return digests, places


def _read(file: SourceFile, given: Registry) -> Recording:
    """Read a file; what cannot be used of it is among the skipped.

    Raises:
        StorageUnreachable: a store cannot be read.
    """
    try:
        with open_url(file.url) as content:
            read = read_recording(file.url, read_content(content))
        more = given.with_more(read.given)
        check_lineages(more.lineages)
        if len(more.registered) + sum(map(len, more.lineages)) > MAX_ENTRIES:
            raise UnreadableInput(f"has names of chains that, with others, are more than {MAX_ENTRIES}")
    except (OSError, IndexerError) as error:
        if isinstance(error, StorageUnreachable):
            raise
        return Recording([], NOTHING, [Skipped(file.url, reason_of(error))])
    return read


def reason_of(error: OSError | IndexerError) -> str:
    """Return why a file cannot be used."""
    if isinstance(error, OSError) and not isinstance(error, IndexerError):
        return f"cannot be read: {error.strerror or str(error)[:200]}"
    return str(error)


def _limited(found: Iterable[Skipped]) -> Iterator[Skipped]:
    """Yield the first ones, and the number of the others."""
    listed = list(found)
    yield from listed[:MAX_TOLD]
    if len(listed) > MAX_TOLD:
        yield Skipped("", f"{len(listed) - MAX_TOLD} more of this kind")


def _digest(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).digest()


class InputFiles:
    """Input files of a stream.

    Args:
        urls: files and folders.
        location: folder of the stream's state.
        without: files and folders below them that are no inputs.
    """

    def __init__(self, urls: list[str], location: str, without: Iterable[str] = ()) -> None:
        self._urls, self._state = urls, StateFolder(location)
        self._without = tuple(
            place for each in without for url in map(before_wildcards, urls) for place in _within(url, each)
        )
        self._recordings = Recordings(location)
        self._seen = self._read()

    def listed(self) -> list[SourceFile]:
        """List the files that the stream reads; blocks of new recordings are written before.

        Files with names of chains are among them, so that a change of them, or their end, makes a batch.

        Raises:
            NothingToIndex: a file or folder does not exist.
            StorageUnreachable: a folder or store cannot be read.
            OSError: the state cannot be written.
        """
        read, others, unusable = list[SourceFile](), list[SourceFile](), list[Skipped]()
        seen = dict[str, Seen]()
        for file in list_files(self._urls, with_empty=True):
            if self._without and f"{file.url}/".startswith(self._without):
                continue
            if not file.size:
                unusable.append(Skipped(_shown(file.url), "is empty"))
                continue
            try:
                kind = self._kind(file, seen)
            except OSError as error:
                unusable.append(Skipped(_shown(file.url), reason_of(error)))
                continue
            (others if kind == OTHER else read).append(file)
        self._keep(seen)
        self._recordings.take(others, unusable)
        return [*read, *self._recordings.names(), *self._recordings.lines()]

    @property
    def told(self) -> Told:
        """Content of recordings and of files with names of chains."""
        return self._recordings.told

    def is_read(self, url: str) -> bool:
        """Return whether the stream reads the content of a file that it has listed."""
        return all(file.url != url for file in self._recordings.names())

    def _kind(self, file: SourceFile, seen: dict[str, Seen]) -> str:
        """Return the kind of a file, and add it to `seen`, unless it is known by its name."""
        if _shown(file.url) != file.url:
            raise OSError(0, "the file name is not UTF-8")
        if file.first_height is not None:
            local = local_path(file.url)
            if local is not None and os.path.exists(local) and not os.access(local, os.R_OK):  # noqa: PTH110
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
            return LINES
        size, mtime, kind = self._seen.get(file.url, (0, 0, ""))
        has_grown = kind == LINES and file.size > size
        if (size, mtime) != (file.size, file.mtime_ns) and not has_grown:
            with open_url(file.url) as content:
                kind = _kind_of(content)
        seen[file.url] = (file.size, file.mtime_ns, kind)
        return kind

    def _read(self) -> dict[str, Seen]:
        try:
            return self._state.document(_KINDS, dict[str, Seen])
        except (OSError, DamagedLog):
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
