r"""What a sealed range holds, in one small file: the driver reads manifests, the engine reads Parquet.

    pyibc-segment1 <crc32> <JSON>\n

A manifest is the last file that sealing writes, by a rename: a range is sealed if its manifest is whole,
tells the source as it is now, and names files that are there in the size it says.
"""

from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

import msgspec

from ibc_indexer.coverage import Coverage, Heights, Range
from ibc_indexer.errors import MalformedManifest
from ibc_indexer.names.resolve import Told
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.numbers import End
from ibc_indexer.storage.locations import Location, replace, sizes_in

MAGIC = b"pyibc-segment1 "
VERSION = 4  # of columns and their meaning: another one is sealed again


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was sealed of a file, as it was then. What was appended later is another source."""

    path: str
    offset: int  # where it begins: of files that are packed, and of tables, 0
    size: int  # bytes
    mtime_ns: int
    crc32: int  # of those bytes
    atom: str  # names this sealing of it: it stays when segments are merged
    after: str = ""  # the atom before it in the file, which was as sealed when this one was
    torn: bool = False  # its last line has no newline yet, or it is packed: what is appended belongs to it
    left_out: str = ""  # stands for the blocks that were left out; "": none

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.offset + self.size


class ChainPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a segment knows of a chain."""

    known: tuple[Range, ...]  # blocks known whole; of a packet table the heights of its events
    part: tuple[Range, ...]  # blocks of which single transactions are known
    lost: tuple[Range, ...]  # blocks that cannot be read: there are such, no more is known
    time_ns: int | None  # the latest time of a block

    @property
    def told(self) -> Heights:
        """The heights of which anything was read."""
        return Heights.spanning((*self.known, *self.part))

    @property
    def coverage(self) -> Coverage:
        """What is known, and what lacks."""
        return Coverage(Heights(self.known), Heights.spanning((*self.part, *self.lost)))


class SealedEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An end and how many events it has."""

    end: End
    number: int
    events: int
    bands: tuple[Range, ...]  # in which its packets are: `band_of` their sequences


class SealedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file beside the manifest."""

    name: str
    size: int


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sealed range holds."""

    version: int
    sources: list[Source]  # several where small segments were merged
    blocks: bool  # block lines, not a packet table
    chains: dict[str, ChainPart]  # by `ChainKey`, as text
    counts: dict[str, int]  # events by type
    ends: list[SealedEnd]
    told: list[Told]  # of clients, connections and channels
    names: int  # entries of the dictionary
    rows: int  # packet events
    problems: list[Skipped]
    files: dict[
        str, SealedFile
    ]  # `events`, `names`, `blocks`, `transactions`...; one without rows is left out

    @property
    def weight(self) -> int:
        """How large it is: packet events and blocks."""
        return self.rows + sum(part.told.count for part in self.chains.values())

    @property
    def atoms(self) -> list[str]:
        """What it was sealed from."""
        return [source.atom for source in self.sources]


def write_manifest(path: Location, manifest: Manifest) -> None:
    """Writes `manifest`, whole or not at all."""
    body = msgspec.json.encode(manifest)
    replace(path, b"%s%08x %s\n" % (MAGIC, crc32(body), body))


def read_manifest(path: Location, sizes: Mapping[str, int] | None = None) -> Manifest:
    """The manifest in `path`, checked against the files it names.

    `sizes`: the files beside it, if somebody has listed them.

    Raises:
        MalformedManifest: it is cut or edited, of another version, or a file it names is not there as it was.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MalformedManifest(f"cannot be read: {error.strerror}") from None
    body = data[len(MAGIC) + 9 : -1]
    if data != b"%s%08x %s\n" % (MAGIC, crc32(body), body):
        raise MalformedManifest("its checksum does not match")
    try:
        manifest = msgspec.json.decode(body, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedManifest(f"is not one of version {VERSION}: {error}") from None
    if manifest.version != VERSION:
        raise MalformedManifest(f"is of version {manifest.version}, not {VERSION}")
    there = sizes_in(path.parent) if sizes is None else sizes
    for file in manifest.files.values():
        if Path(file.name).name != file.name or there.get(file.name) != file.size:
            raise MalformedManifest(f"names {file.name}, which is not there as it was")
    return manifest
