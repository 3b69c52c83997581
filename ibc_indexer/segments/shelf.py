"""The segments in a folder: which of them hold the inputs as these are now, and what none of them holds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ibc_indexer.errors import MalformedManifest
from ibc_indexer.segments.lines import checksum_of
from ibc_indexer.segments.manifest import Manifest, Source, read_manifest
from ibc_indexer.storage.locations import Location, location_of, sizes_in

SUFFIX = ".manifest"


class Hole(NamedTuple):
    """Bytes of a file that are not sealed."""

    offset: int
    length: int | None  # None: to the file's end
    after: str  # the atom before them; "": none


class Shelf:
    """What earlier runs sealed, and what this one adds."""

    def __init__(self, folder: Location, paths: Sequence[str]) -> None:
        """Reads the manifests in `folder`, and of `paths` as much as is needed to know them again."""
        self.known: dict[str, Manifest] = dict(_manifests(folder))
        self.used: dict[str, Manifest] = {}  # whole segments that hold inputs as they are now, each byte once
        self._spans: dict[str, list[Source]] = defaultdict(list)
        sources: dict[str, list[Source]] = {path: [] for path in paths}
        for manifest in self.known.values():
            for source in manifest.sources:
                if source.path in sources and not source.left_out:
                    sources[source.path].append(source)
        good = {atom for path, found in sources.items() for atom in _unchanged(location_of(path), found)}
        for name, manifest in sorted(self.known.items(), key=_largest_first):
            if all(source.atom in good for source in manifest.sources) and self._is_free(manifest):
                self.use(name, manifest)

    def use(self, name: str, manifest: Manifest) -> None:
        """Takes a segment."""
        self.known[name] = self.used[name] = manifest
        for source in manifest.sources:
            self._spans[source.path].append(source)

    def drop(self, names: Iterable[str]) -> None:
        """Gives segments up."""
        for name in names:
            for source in self.used.pop(name).sources:
                self._spans[source.path].remove(source)

    def holes(self, path: str) -> Iterator[Hole]:
        """What of a file no segment holds; all of one that cannot be asked for its size."""
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

    def reduced(self, source: Source, left_out: str) -> str:
        """The segment of the same bytes without the blocks `left_out` stands for; "" if there is none."""
        for name, manifest in self.known.items():
            (first, *more) = manifest.sources
            same = (first.path, first.offset, first.size, first.crc32) == (
                source.path,
                source.offset,
                source.size,
                source.crc32,
            )
            if not more and same and first.left_out == left_out:
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
            continue  # as good as none


def _largest_first(item: tuple[str, Manifest]) -> tuple[int, str]:
    name, manifest = item
    return -sum(source.size for source in manifest.sources), name


def _unchanged(path: Location, sources: Sequence[Source]) -> set[str]:
    """The atoms of those that are in the file as they were.

    Of a file that was not written to since a source of it was sealed nothing is read: what stood before that
    source was compared then.
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
