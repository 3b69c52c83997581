"""Existing segments: those that match the current inputs, and the input bytes without a segment."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pyibc.indexer.errors import MalformedManifest
from pyibc.indexer.segments.manifest import Manifest, Source, read_manifest
from pyibc.indexer.storage.checksums import checksum_of, is_intact
from pyibc.indexer.storage.locations import Location, location_of, sizes_in

SUFFIX = ".manifest"


class Hole(NamedTuple):
    """Bytes of a file that are not sealed."""

    offset: int
    length: int | None  # None: to the end of the file
    after: str  # atom of the preceding bytes; "": none


class SegmentStore:
    """Segments of earlier runs and of this one."""

    def __init__(self, folder: Location, paths: Sequence[str]) -> None:
        """Read the manifests in `folder`, and check the files `paths` for changes."""
        self.known: dict[str, Manifest] = {}
        self.damaged: list[Location] = []  # files with other content than was written
        for name, manifest in _manifests(folder):
            damaged = _damaged(folder, manifest)
            self.damaged += damaged
            if not damaged:
                self.known[name] = manifest
        self.used: dict[str, Manifest] = {}  # segments that match the inputs, covering each byte once
        self._spans: dict[str, list[Source]] = defaultdict(list)
        sources: dict[str, list[Source]] = {path: [] for path in paths}
        for manifest in self.known.values():
            for source in manifest.sources:
                if source.path in sources and not source.changed:
                    sources[source.path].append(source)
        good = {atom for path, found in sources.items() for atom in _unchanged(location_of(path), found)}
        for name, manifest in sorted(self.known.items(), key=_largest_first):
            if all(source.atom in good for source in manifest.sources) and self._is_free(manifest):
                self.use(name, manifest)

    def use(self, name: str, manifest: Manifest) -> None:
        """Mark a segment as used."""
        self.known[name] = self.used[name] = manifest
        for source in manifest.sources:
            self._spans[source.path].append(source)

    def drop(self, names: Iterable[str]) -> None:
        """Mark segments as unused."""
        for name in names:
            for source in self.used.pop(name).sources:
                self._spans[source.path].remove(source)

    def holes(self, path: str) -> Iterator[Hole]:
        """Yield the bytes of a file without a segment; the whole file if its size is not available."""
        place, after = 0, ""
        spans = sorted(self._spans[path], key=lambda source: source.offset)
        for source in spans:
            if source.offset > place:
                yield Hole(place, source.offset - place, after)
            place, after = source.end, source.atom
        try:
            size = location_of(path).stat().st_size
        except OSError:
            size = 0
        if size > place or not spans:
            yield Hole(place, None, after)

    def altered(self, source: Source, changed: str) -> str:
        """Find the segment of the same bytes with the differences of the hash `changed`; "" if none."""
        for name, manifest in self.known.items():
            (first, *more) = manifest.sources
            same = (first.path, first.offset, first.size, first.crc32) == (
                source.path,
                source.offset,
                source.size,
                source.crc32,
            )
            if not more and same and first.changed == changed:
                return name
        return ""

    def _is_free(self, manifest: Manifest) -> bool:
        return not any(
            source.offset == other.offset or (source.offset < other.end and other.offset < source.end)
            for source in manifest.sources
            for other in self._spans[source.path]
        )


def _manifests(folder: Location) -> Iterator[tuple[str, Manifest]]:
    sizes = sizes_in(folder)
    for name in sorted(name for name in sizes if name.endswith(SUFFIX)):
        try:
            yield name.removesuffix(SUFFIX), read_manifest(folder / name, sizes)
        except MalformedManifest:
            continue  # ignored, and sealed again


def _damaged(folder: Location, manifest: Manifest) -> list[Location]:
    files = [(folder / file.name, file.crc32) for file in manifest.files.values()]
    return [path for path, checksum in files if not is_intact(path, checksum)]


def _largest_first(item: tuple[str, Manifest]) -> tuple[int, str]:
    name, manifest = item
    return -sum(source.size for source in manifest.sources), name


def _unchanged(path: Location, sources: Sequence[Source]) -> set[str]:
    """Return the atoms of the sources that are unchanged in the file.

    If the file was not written to since a source was sealed, nothing is read: the preceding bytes were
    compared at that time.
    """
    found, trusted = set[str](), set[str]()
    try:
        now = path.stat()
        for source in sorted(sources, key=lambda source: -source.end):
            if source.end > now.st_size or (source.torn and source.end < now.st_size):
                continue
            fresh = (source.end, source.mtime_ns) == (now.st_size, now.st_mtime_ns)
            if fresh or source.atom in trusted:
                trusted.add(source.after)
            elif source.crc32 != checksum_of(path, source.offset, source.size):
                continue
            found.add(source.atom)
    except OSError:
        return set()
    return found
