"""Which inputs are sealed already, and sealing of the others: once each, wherever a run was ended before.

A segment's files have names of their own each time; its manifest comes last and names them. Whatever no
manifest of a run names is removed, so a kill leaves nothing but work to do again.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import msgspec

from ibc_indexer.errors import IndexerError, MalformedManifest
from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.lines import Place, checksum_of, seal_lines
from ibc_indexer.segments.manifest import Manifest, read_manifest, write_manifest
from ibc_indexer.segments.numbers import number_of
from ibc_indexer.segments.overlaps import overlaps
from ibc_indexer.segments.tables import seal_table

SUFFIX = ".manifest"


class Task(msgspec.Struct, frozen=True):
    """A file to be sealed."""

    path: str
    folder: str  # where the segment goes
    blocks: bool  # block lines; else a packet table
    without: frozenset[Place] = frozenset()

    @property
    def stem(self) -> str:
        """What the segment's file names begin with: another one for another path or other blocks left out."""
        left_out = (f"{chain} {height}" for chain, height in sorted(self.without))
        return f"{number_of(self.path, *left_out) & (1 << 64) - 1:016x}"

    @property
    def manifest(self) -> Path:
        """Where its manifest stands."""
        return Path(self.folder, self.stem + SUFFIX)


Run = Callable[[Sequence[Task]], list[str]]
"""Seals every task: in this process, in several. Of each the reason why not, or nothing."""


class Segment(NamedTuple):
    """A sealed range."""

    manifest: Manifest
    folder: Path

    def file(self, role: str) -> Path | None:
        """One of its files; None where it has no such rows."""
        found = self.manifest.files.get(role)
        return self.folder / found.name if found is not None else None


class Sealed(NamedTuple):
    """The segments of a run, and what could not be sealed."""

    segments: list[Segment]
    skipped: list[Skipped]
    chains: Incarnations


def seal_all(lines: Iterable[Path], tables: Iterable[Path], folder: Path, run: Run) -> Sealed:
    """Seals what is not sealed as it is now; removes from `folder` what this run has no use for.

    Args:
        lines: files of block lines, in the order in which they count where they hold the same heights.
        tables: packet tables.
        folder: made if absent; holds segments alone.
        run: seals.

    Raises:
        MalformedManifest: somebody else changes the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [Task(str(path), str(folder), True) for path in lines]
    tasks += [Task(str(path), str(folder), False) for path in tables]
    found, skipped = _ensure(tasks, run)
    blocks = [task for task in tasks if task.blocks and task in found]
    chains = Incarnations(ChainKey.parsed(key) for manifest in found.values() for key in manifest.chains)
    shared = overlaps([(found[task], folder) for task in blocks], chains)
    parts = {
        blocks[number]: msgspec.structs.replace(blocks[number], without=places)
        for number, places in shared.without.items()
    }
    reduced, failed = _ensure(list(parts.values()), run)
    kept = found | reduced
    segments = [Segment(kept[wanted], folder) for task in tasks if (wanted := parts.get(task, task)) in kept]
    _remove_others(folder, kept)
    return Sealed(segments, [*skipped, *failed, *shared.problems], chains)


def seal_one(task: Task) -> str:
    """Seals one file; returns why it could not be."""
    folder, stem = Path(task.folder), f"{task.stem}-{token_hex(4)}"
    try:
        if task.blocks:
            manifest = seal_lines(Path(task.path), folder, stem, task.without)
        else:
            manifest = seal_table(Path(task.path), folder, stem)
        write_manifest(task.manifest, manifest)
    except IndexerError as error:
        return str(error)
    except OSError as error:
        return f"cannot be sealed: {error.strerror}"
    return ""


def seal_here(tasks: Sequence[Task]) -> list[str]:
    """Seals in this process."""
    return [seal_one(task) for task in tasks]


def _ensure(tasks: Sequence[Task], run: Run) -> tuple[dict[Task, Manifest], list[Skipped]]:
    found = {task: manifest for task in tasks if (manifest := _sealed_before(task)) is not None}
    missing = [task for task in tasks if task not in found]
    skipped = list[Skipped]()
    for task, reason in zip(missing, run(missing) if missing else (), strict=True):
        if reason:
            skipped.append(Skipped(task.path, reason))
        else:
            found[task] = read_manifest(task.manifest)
    return found, skipped


def _sealed_before(task: Task) -> Manifest | None:
    """The manifest of an earlier run, if the file is still what was sealed."""
    try:
        manifest = read_manifest(task.manifest)
        now = Path(task.path).stat()
        source = manifest.source
        if (source.path, source.size) != (task.path, now.st_size):
            return None
        if source.mtime_ns == now.st_mtime_ns or source.crc32 == checksum_of(Path(task.path)):
            return manifest
    except (MalformedManifest, OSError):
        return None
    return None


def _remove_others(folder: Path, kept: dict[Task, Manifest]) -> None:
    names = {task.manifest.name for task in kept}
    names |= {file.name for manifest in kept.values() for file in manifest.files.values()}
    for path in folder.iterdir():
        if path.name not in names:
            path.unlink()
