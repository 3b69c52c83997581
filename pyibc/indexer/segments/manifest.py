r"""Manifest of a segment: a small file for the driver; the Parquet files are for the engine.

    pyibc-segment1 <crc32> <JSON>\n

Sealing writes the manifest last, by a rename. A segment is valid if its manifest is intact, its source is
unchanged, and its files exist with the recorded sizes and checksums.
"""

from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

import msgspec

from pyibc.indexer.coverage import Heights, Range
from pyibc.indexer.errors import MalformedManifest
from pyibc.indexer.names.resolve import ChainFact
from pyibc.indexer.problems import Skipped
from pyibc.indexer.segments.numbers import End
from pyibc.indexer.storage.locations import Location, replace, sizes_in

MAGIC = b"pyibc-segment1 "
VERSION = 6  # of the columns and their meaning; segments of other versions are sealed again


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sealed bytes of a file, as they were then. Bytes appended later are another source."""

    path: str
    offset: int  # of the first byte; 0 for compressed files and tables
    size: int  # bytes
    mtime_ns: int
    crc32: int  # of the sealed bytes
    atom: str  # unique name of this sealing, which is kept when segments are merged
    after: str = ""  # atom of the preceding bytes, which were unchanged at the time
    torn: bool = False  # the last line has no newline, or the file is compressed: if it grows, it is resealed
    changed: str = ""  # hash of what differs from the lines, such as blocks that are left out; "": nothing

    @property
    def end(self) -> int:
        """Offset of the end in the file, in bytes."""
        return self.offset + self.size


class ChainPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Heights of a chain in a segment."""

    known: tuple[Range, ...]  # complete blocks; in a packet table, heights of its events
    part: tuple[Range, ...]  # partial blocks, with single transactions
    lost: tuple[Range, ...]  # unreadable blocks
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None

    @property
    def told(self) -> Heights:
        """Heights with any data."""
        return Heights.spanning((*self.known, *self.part))


class SealedEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Path end with its number of events and its sequence buckets."""

    end: End
    number: int
    events: int
    bands: tuple[Range, ...]  # bucket numbers of its packets (`numbers.BAND_BITS`)


class SealedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parquet file of a segment."""

    name: str
    size: int
    crc32: int


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Manifest of a segment."""

    version: int
    sources: list[Source]  # several if small segments were merged
    blocks: bool  # block lines, otherwise a packet table
    chains: dict[str, ChainPart]  # by `ChainKey`, as text
    counts: dict[str, int]  # events by type
    ends: list[SealedEnd]
    told: list[ChainFact]  # facts about clients, connections and channels
    names: int  # number of entries in the dictionary
    rows: int  # number of packet events
    problems: list[Skipped]
    files: dict[str, SealedFile]  # by role (`events`, `names`, `blocks`, ...); empty files are omitted

    @property
    def weight(self) -> int:
        """Number of packet events and blocks."""
        return self.rows + sum(part.told.count for part in self.chains.values())

    @property
    def atoms(self) -> list[str]:
        """Atoms of the sources."""
        return [source.atom for source in self.sources]


def write_manifest(path: Location, manifest: Manifest) -> None:
    """Write `manifest` atomically."""
    body = msgspec.json.encode(manifest)
    replace(path, b"%s%08x %s\n" % (MAGIC, crc32(body), body))


def read_manifest(path: Location, sizes: Mapping[str, int] | None = None) -> Manifest:
    """Read the manifest in `path`, and check that its files exist with the recorded sizes.

    `sizes` are the sizes of the files in the folder, if the caller has listed them already.

    Raises:
        MalformedManifest: the manifest is damaged or has another version, or a file is missing or changed.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MalformedManifest(f"cannot be read: {error.strerror}") from None
    body = data[len(MAGIC) + 9 : -1]
    if data != b"%s%08x %s\n" % (MAGIC, crc32(body), body):
        raise MalformedManifest("does not match its checksum")
    try:
        manifest = msgspec.json.decode(body, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedManifest(f"does not have the format of version {VERSION}: {error}") from None
    if manifest.version != VERSION:
        raise MalformedManifest(f"has version {manifest.version}, not {VERSION}")
    there = sizes_in(path.parent) if sizes is None else sizes
    for file in manifest.files.values():
        if Path(file.name).name != file.name or there.get(file.name) != file.size:
            raise MalformedManifest(f"lists {file.name}, which is missing or changed")
    return manifest
