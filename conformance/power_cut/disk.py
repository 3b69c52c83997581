"""Durable and unsynced content of a disk, and the states that a power cut may leave.

The model is POSIX without guarantees of a particular file system: unsynced data is present in any subset and
order, torn at sector and page boundaries; a name is present once its folder was synced.
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
"""Names of files that a starting process ignores."""
_NAMES = {FILE_MADE, FOLDER_MADE, REMOVED}

Choice = tuple[Event, ...]
"""The subset of a file's or folder's unsynced events that reached the disk."""


class Disk:
    """The state of all files after some events."""

    def __init__(self) -> None:
        self._files: dict[Path, bytearray] = {}
        self._names: dict[Path, str] = {}  # durable files, with the event that created them
        self._pending: dict[Path, list[Event]] = {}  # unsynced events by file; those of names by folder

    def take(self, folder: Path) -> None:
        """Make the current content of a folder durable, and drop earlier knowledge of it."""
        self._forget(folder)
        for path in (folder, *sorted(folder.rglob("*"))):
            if path.name not in NOT_KEPT:
                self._names[path] = FOLDER_MADE if path.is_dir() else FILE_MADE
                if path.is_file():
                    self._files[path] = bytearray(path.read_bytes())

    def part(self, folder: Path) -> "Disk":
        """Return the part below a folder as a separate disk."""
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
        """Return whether the event makes anything durable; the moment before it has the most states."""
        return event.kind in {SYNC, FOLDER_SYNC, DURABLE_WRITE} and bool(
            self._pending.get(event.path) or event.kind == DURABLE_WRITE
        )

    def before(self, event: Event) -> "Disk":
        """Return the disk in the middle of `event`: a synchronous write may be partial."""
        if event.kind == DURABLE_WRITE:
            self._pending.setdefault(event.path, []).append(event)
        return self

    def after(self, event: Event) -> None:
        """Complete an event."""
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
        """Apply a rename: the content follows the file; the two names may reach the disk independently."""
        self._files[event.path] = self._files.pop(old, bytearray())
        self._pending[event.path] = self._pending.pop(old, [])
        self._pending.setdefault(old.parent, []).append(event._replace(kind=REMOVED, path=old))
        self._pending.setdefault(event.path.parent, []).append(event._replace(kind=FILE_MADE))

    def choices(self, chance: Random, extra: int) -> Iterator[dict[Path, Choice]]:
        """Yield states that a power cut may leave: all or nothing, all or nothing per file, and mixtures."""
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
        """Write a state's files and folders to the paths that `place` returns (None: skip)."""
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
    """Yield subsets: none, all, each alone, all but each, prefixes, and prefixes with a torn last event."""
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
