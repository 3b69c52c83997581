"""Sealing of the inputs of a run: new and changed inputs become segments, others are reused.

The files and the manifest of a segment get new names every time; the manifest is written last and lists the
files. If a file has grown, only the appended bytes are sealed. Nothing is removed before the tables of a run
are committed (`Sealed.sweep`), so a kill costs only repeated work.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from secrets import token_hex
from typing import NamedTuple

import msgspec

from pyibc.indexer.errors import IndexerError, StorageFault
from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.problems import Skipped
from pyibc.indexer.segments.lines import Changed, Span, seal_lines
from pyibc.indexer.segments.manifest import Manifest, read_manifest, write_manifest
from pyibc.indexer.segments.merging import NamedSegment, groups, merge
from pyibc.indexer.segments.overlaps import Overlaps, overlaps
from pyibc.indexer.segments.shelf import SUFFIX, SegmentStore
from pyibc.indexer.segments.tables import seal_table
from pyibc.indexer.storage.locations import Location, location_of, made_in, sizes_in


class Task(msgspec.Struct, frozen=True):
    """File to seal, or bytes appended to a file."""

    path: str
    folder: str  # of the segment
    blocks: bool  # block lines, otherwise a packet table
    stem: str  # prefix of the names of the segment's files
    offset: int = 0
    length: int | None = None  # None: to the end of the file
    after: str = ""  # atom of the preceding bytes
    changed: Changed = Changed()


Run = Callable[[Sequence[Task]], list[str]]
"""Function that seals tasks, in one or several processes; returns an error text or "" for each."""


class Segment(NamedTuple):
    """Segment: Parquet files with a manifest."""

    manifest: Manifest
    folder: Location
    name: str = ""  # stem of the manifest's file name

    def file(self, role: str) -> Location | None:
        """Return the file of a role; None if the segment has no such rows."""
        found = self.manifest.files.get(role)
        return self.folder / found.name if found is not None else None


class Sealed(NamedTuple):
    """Segments of a run, and inputs that could not be sealed."""

    segments: list[Segment]
    skipped: list[Skipped]
    chains: Incarnations
    folder: Location
    used: dict[str, Manifest]  # all segments that the next run can reuse, by name
    damaged: list[Location]  # files of earlier segments, which were sealed again

    def sweep(self, also: Iterable[str] = ()) -> None:
        """Remove the files that are not needed any more, except those with the names `also`."""
        names = {*also, *(name + SUFFIX for name in self.used)}
        names |= {file.name for manifest in self.used.values() for file in manifest.files.values()}
        for path in self.folder.iterdir():
            if path.name not in names:
                path.unlink()


def seal_all(lines: Iterable[Location], tables: Iterable[Location], folder: Location, run: Run) -> Sealed:
    """Seal the inputs that are new or changed.

    Args:
        lines: files of block lines in the order of precedence for heights that are in several files.
        tables: packet tables.
        folder: folder of the segments, created if absent.
        run: function that seals tasks.

    Raises:
        MalformedManifest: another process changes the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    inputs = dict.fromkeys(map(str, lines), True) | dict.fromkeys(map(str, tables), False)
    return _Sealing(inputs, folder, run).all()


def seal_one(task: Task) -> str:
    """Seal one file; return an error text, or "" on success.

    Raises:
        StorageFault: an object store failed.
    """
    source, folder = location_of(task.path), location_of(task.folder)
    try:
        with made_in(folder) as here:
            if task.blocks:
                span = Span(source, task.offset, task.length, task.after)
                manifest = seal_lines(span, here, task.stem, task.changed)
            else:
                manifest = seal_table(source, here, task.stem)
        write_manifest(folder / (task.stem + SUFFIX), manifest)
    except StorageFault:
        raise
    except IndexerError as error:
        return str(error)
    except OSError as error:
        return f"cannot be sealed: {error.strerror}"
    return ""


def seal_here(tasks: Sequence[Task]) -> list[str]:
    """Seal tasks in this process."""
    return [seal_one(task) for task in tasks]


class _Sealing:
    """Sealing of one run."""

    def __init__(self, inputs: dict[str, bool], folder: Location, run: Run) -> None:
        self._inputs, self._folder, self._run = inputs, folder, run
        self._places = {path: number for number, path in enumerate(inputs)}
        self._shelf = SegmentStore(folder, list(inputs))
        self._skipped: list[Skipped] = []
        # Not merged before the next run: a merged segment would mix sources that tables have with new ones.
        self._fresh: set[str] = set()

    def all(self) -> Sealed:
        """Run all steps."""
        self._seal(self._missing())
        shared = self._compared()
        merged = [name for name in self._apart(shared) if len(self._shelf.used[name].sources) > 1]
        if merged:  # precedence is defined for single files, so merged segments are resealed
            self._shelf.drop(merged)
            self._seal(self._missing())
            shared = self._compared()
        altered = self._altered(shared)
        kept = [altered.get(name, name) for name in self._ordered()]
        used = self._shelf.used | {name: self._shelf.known[name] for name in altered.values()}
        apart = {*self._fresh, *altered, *altered.values()}
        segments = [
            Segment(manifest, self._folder, name)
            for name, manifest in self._merged(
                [NamedSegment(name, used[name]) for name in kept], used.keys() - apart, used
            )
        ]
        of_tables = {key for one in self._shelf.used.values() if not one.blocks for key in one.chains}
        chains = Incarnations(map(ChainKey.parsed, shared.chains | of_tables))
        skipped = [*self._skipped, *shared.problems]
        return Sealed(segments, skipped, chains, self._folder, used, self._shelf.damaged)

    def _ordered(self) -> list[str]:
        def place(name: str) -> tuple[int, int]:
            first = self._shelf.used[name].sources[0]
            return self._places[first.path], first.offset

        return sorted(self._shelf.used, key=place)

    def _missing(self) -> Iterator[Task]:
        """Yield tasks for the input bytes without a segment."""
        for path, blocks in self._inputs.items():
            for hole in self._shelf.holes(path):
                yield self._task(path, blocks, hole.offset, hole.length, hole.after)

    def _task(
        self,
        path: str,
        blocks: bool,
        offset: int = 0,
        length: int | None = None,
        after: str = "",
        changed: Changed = Changed(),  # noqa: B008 - it is immutable
    ) -> Task:
        return Task(path, str(self._folder), blocks, token_hex(8), offset, length, after, changed)

    def _seal(self, tasks: Iterable[Task]) -> None:
        done = list(self._done(list(tasks)))
        for task, manifest in zip(done, self._read(done), strict=True):
            self._shelf.use(task.stem, manifest)
            self._fresh.add(task.stem)

    def _read(self, tasks: Sequence[Task]) -> list[Manifest]:
        sizes = sizes_in(self._folder) if tasks else {}
        return [read_manifest(self._folder / (task.stem + SUFFIX), sizes) for task in tasks]

    def _done(self, tasks: list[Task]) -> Iterator[Task]:
        for task, reason in zip(tasks, self._run(tasks) if tasks else (), strict=True):
            if reason:
                self._skipped.append(Skipped(task.path, reason))
            else:
                yield task

    def _compared(self) -> Overlaps:
        return overlaps([(self._shelf.used[name], self._folder) for name in self._lines()])

    def _lines(self) -> list[str]:
        return [name for name in self._ordered() if self._shelf.used[name].blocks]

    def _apart(self, shared: Overlaps) -> list[str]:
        names = self._lines()
        return [names[number] for number in sorted({*shared.shared, *shared.renamed})]

    def _altered(self, shared: Overlaps) -> dict[str, str]:
        """Seal segments without the blocks of earlier files, and with the incarnations that were found.

        Return the names of the replacements by name.
        """
        names, found, tasks = self._lines(), dict[str, str](), dict[Task, str]()
        for number in shared.altered:
            (source,) = self._shelf.used[names[number]].sources
            renamed = frozenset(shared.renamed.get(number, {}).items())
            changed = Changed(shared.without.get(number, frozenset()), renamed)
            known = self._shelf.altered(source, changed.digest)
            if known:
                found[names[number]] = known
            else:
                task = self._task(source.path, True, source.offset, source.size, source.after, changed)
                tasks[task] = names[number]
        done = list(self._done(list(tasks)))
        for task, manifest in zip(done, self._read(done), strict=True):
            self._shelf.known[task.stem] = manifest
            found[tasks[task]] = task.stem
        return found

    def _merged(
        self, held: list[NamedSegment], alone: set[str], used: dict[str, Manifest]
    ) -> list[tuple[str, Manifest]]:
        """Merge small segments, update `used`, and return all segments in order."""
        placed: dict[str, tuple[str, Manifest]] = {one.name: (one.name, one.manifest) for one in held}
        for group in groups(held, alone):
            stem = token_hex(8)
            with made_in(self._folder) as here:
                manifest = merge([one.manifest for one in group], self._folder, here, stem)
            write_manifest(self._folder / (stem + SUFFIX), manifest)
            for one in group:
                del placed[one.name], used[one.name]
            placed[group[0].name] = (stem, manifest)
            used[stem] = manifest
        return [placed[one.name] for one in held if one.name in placed]
