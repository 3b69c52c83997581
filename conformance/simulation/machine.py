"""Simulated disks: power cuts lose unflushed data, and disks become full.

Requires `power_cut/record.c` preloaded into the process, as `processes` does.
"""

import ctypes
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from conformance.power_cut.disk import NOT_KEPT, Disk
from conformance.power_cut.recorder import Event, read_event

_MIXTURES = 6
"""Number of mixed states to choose from, besides those in which a single file lost data."""


class Machine:
    """The disks below one folder. All writes are recorded, so that some of them can be undone.

    Args:
        root: The folder.
        log: File for the recording, outside of the folder.

    Raises:
        AttributeError: the recorder is not preloaded.
    """

    def __init__(self, root: Path, log: Path) -> None:
        self.root = root
        self._path = log
        self._calls: Any = ctypes.CDLL(None)
        self._disk = Disk()
        self._disk.take(root)
        self._record()
        self._log = log.open("rb")

    @property
    def copies(self) -> Path:
        """Folder for copies of disks, whose writes are not recorded."""
        return self._path.with_suffix(".copies")

    # -- power cuts

    def now(self) -> int:
        """Return the current moment, a position in the recording."""
        return self._path.stat().st_size

    def cut(self, folder: Path, since: int, until: int, choice: Random) -> int:
        """Cut the power at a moment in a range.

        The folder's files get a possible state of that moment, and the disk is free again.

        Args:
            folder: Folder of the machine, without open files.
            since: The earliest moment.
            until: The latest moment; later writes are undone.
            choice: Chooses the moment and the state.

        Returns:
            The moment.
        """
        events = list(self._unread())
        moment = choice.choice([since, *(at for at, _ in events if since < at <= until)])
        rest = [event for at, event in events if at > moment]
        self._take([event for at, event in events if at <= moment])
        if rest and rest[0].path.is_relative_to(folder):
            self._disk.before(rest[0])
        part = self._disk.part(folder)
        state = choice.choice(list(part.choices(choice, _MIXTURES)))
        self._take([event for event in rest if not event.path.is_relative_to(folder)])
        self.free()
        self._calls.record_below(b"", b"")
        shutil.rmtree(folder)
        folder.mkdir()
        part.write(state, lambda path: path if path.is_relative_to(folder) and path != folder else None)
        self._disk.take(folder)
        self._record()
        return moment

    def _unread(self) -> Iterator[tuple[int, Event]]:
        while (event := read_event(self._log)) is not None:
            if event.path.name not in NOT_KEPT:
                yield self._log.tell(), event

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            self._disk.before(event).after(event)

    def _record(self) -> None:
        self._calls.record_below(os.fsencode(self.root), os.fsencode(self._path))

    # -- full disks

    def fill(self, folder: Path, writes: int) -> None:
        """Let the disk of one folder become full after a number of writes."""
        self._calls.disk_fills(os.fsencode(folder), writes)

    def free(self) -> None:
        """Free the disk."""
        self._calls.disk_fills(b"", 0)

    @property
    def is_full(self) -> bool:
        """True if a write was refused and the disk is still full."""
        return bool(self._calls.disk_is_full())

    def close(self) -> None:
        """Stop recording."""
        self.free()
        self._calls.record_below(b"", b"")
        self._log.close()
