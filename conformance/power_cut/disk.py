"""A disk's content as it is for sure, and what of the rest a power cut may leave.

The model is POSIX's, with nothing that a file system adds: what was not synced is there in any part and
order, torn at the bounds of sectors and pages; a name is there once its folder was synced.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from conformance.power_cut.recorder import (
    DURABLE_WRITE,
    FILE_MADE,
    FOLDER_MADE,
    FOLDER_SYNC,
    REMOVED,
    RENAMED,
    SYNC,
    TRUNCATE,
    WRITE,
    Event,
)

_TORN = (512, 4096)
NOT_KEPT = frozenset({"lock.mdb", "owner.lock"})
"""Names of files that mean nothing to a process that starts."""
_NAMES = {FILE_MADE, FOLDER_MADE, REMOVED}

Choice = tuple[Event, ...]
"""Those of a file's or folder's unsynced events that reached the disk."""


class Disk:
    """The state of all files after some events."""

    def __init__(self) -> None:
        self._files: dict[Path, bytearray] = {}
        self._names: dict[Path, str] = {}  # those that are there for sure, with how they were made
        self._pending: dict[Path, list[Event]] = {}  # by file; of names, by folder

    def take(self, folder: Path) -> None:
        """What is in a folder now is certain, whatever was known of it before."""
        self._forget(folder)
        for path in (folder, *sorted(folder.rglob("*"))):
            if path.name not in NOT_KEPT:
                self._names[path] = FOLDER_MADE if path.is_dir() else FILE_MADE
                if path.is_file():
                    self._files[path] = bytearray(path.read_bytes())

    def part(self, folder: Path) -> "Disk":
        """What there is below a folder, as a disk of its own."""
        found = Disk()
        found._files = {path: each for path, each in self._files.items() if path.is_relative_to(folder)}
        found._names = {path: each for path, each in self._names.items() if path.is_relative_to(folder)}
        found._pending = {path: each for path, each in self._pending.items() if path.is_relative_to(folder)}
        return found

    def _forget(self, folder: Path) -> None:
        for known in (self._files, self._names, self._pending):
            for path in [each for each in known if each.is_relative_to(folder)]:
                del known[path]

    def is_barrier(self, event: Event) -> bool:
        """Whether the event makes anything certain: the moment before it has the most states."""
        return event.kind in {SYNC, FOLDER_SYNC, DURABLE_WRITE} and bool(
            self._pending.get(event.path) or event.kind == DURABLE_WRITE
        )

    def before(self, event: Event) -> "Disk":
        """The disk in the middle of `event`: a write that is a sync may have been done in part."""
        if event.kind == DURABLE_WRITE:
            self._pending.setdefault(event.path, []).append(event)
        return self

    def after(self, event: Event) -> None:
        """Takes an event to its end."""
        kind, path = event.kind, event.path
        if kind in {WRITE, TRUNCATE}:
            self._pending.setdefault(path, []).append(event)
        elif kind == DURABLE_WRITE:
            self._pending[path].remove(event)
            _apply(self._files.setdefault(path, bytearray()), event)
        elif kind == SYNC:
            for each in self._pending.pop(path, ()):
                _apply(self._files.setdefault(path, bytearray()), each)
        elif kind == RENAMED:
            self._rename(Path(os.fsdecode(event.data)), event)
        elif kind in _NAMES:
            self._pending.setdefault(path.parent, []).append(event)
        elif kind == FOLDER_SYNC:
            for each in self._pending.pop(path, ()):
                _name(self._names, each)

    def _rename(self, old: Path, event: Event) -> None:
        """The content goes with the file; the two names may reach the disk one without the other."""
        self._files[event.path] = self._files.pop(old, bytearray())
        self._pending[event.path] = self._pending.pop(old, [])
        self._pending.setdefault(old.parent, []).append(event._replace(kind=REMOVED, path=old))
        self._pending.setdefault(event.path.parent, []).append(event._replace(kind=FILE_MADE))

    def choices(self, chance: Random, extra: int) -> Iterator[dict[Path, Choice]]:
        """States that a cut may leave now: all and nothing of everything, of each file, and mixtures."""
        nothing: dict[Path, Choice] = dict.fromkeys(self._pending, ())
        everything: dict[Path, Choice] = {path: tuple(each) for path, each in self._pending.items()}
        yield nothing
        yield everything
        parts = {path: list(_parts(each, chance)) for path, each in self._pending.items()}
        for path, of in parts.items():
            for part in of:
                yield {**chance.choice((nothing, everything)), path: part}
        for _ in range(extra):
            yield {path: chance.choice(of) for path, of in parts.items() if of}

    def write(self, choice: dict[Path, Choice], place: Callable[[Path], Path | None]) -> None:
        """Writes a state's files and folders to where `place` says (None: not at all)."""
        names = dict(self._names)
        for part in choice.values():
            for event in part:
                if event.kind in _NAMES:
                    _name(names, event)
        for path, kind in sorted(names.items()):
            target = place(path)
            if target is None or not all(each in names for each in path.parents if place(each)):
                continue
            if kind == FOLDER_MADE:
                target.mkdir()
                continue
            content = self._files.get(path, b"")
            if choice.get(path):
                content = bytearray(content)
                for event in choice[path]:
                    _apply(content, event)
            target.write_bytes(content)


def _apply(content: bytearray, event: Event) -> None:
    if event.kind == TRUNCATE:
        del content[event.offset :]
    end = event.offset + len(event.data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    content[event.offset : end] = event.data


def _name(names: dict[Path, str], event: Event) -> None:
    if event.kind == REMOVED:
        names.pop(event.path, None)
    else:
        names[event.path] = event.kind


def _parts(pending: list[Event], chance: Random) -> Iterator[Choice]:
    """Nothing, all, each event alone, all but each, prefixes, and the last of a prefix torn."""
    yield ()
    yield tuple(pending)
    for at, event in enumerate(pending):
        yield (event,)
        yield (*pending[:at], *pending[at + 1 :])
        yield tuple(pending[: at + 1])
        for size in _TORN:
            whole = len(event.data) // size
            if event.data and whole > (len(event.data) % size == 0):
                cut = size * chance.randrange(1, max(2, whole))
                yield (*pending[:at], event._replace(data=event.data[:cut]))
                yield (event._replace(offset=event.offset + cut, data=event.data[cut:]),)
