"""The disks of a simulated network: power cuts take what was not flushed of them, and they fill up.

It needs `power_cut/record.c` preloaded into its process, as `processes` does it.
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
"""States tried from, beside those in which one file alone has lost something."""


class Machine:
    """The disks below one folder. All that is written there is recorded, to take a part of it back.

    Args:
        root: the folder.
        log: the recording, outside of it.

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
        """A folder for copies of disks: nothing below it is recorded."""
        return self._path.with_suffix(".copies")

    # -- power cuts

    def now(self) -> int:
        """This moment."""
        return self._path.stat().st_size

    def cut(self, folder: Path, since: int, until: int, choice: Random) -> int:
        """The power went at a moment since then: the folder's files have what may be left of them, and room.

        Args:
            folder: of the machine; nobody has a file of it open.
            since: the earliest moment.
            until: the last; what was written there after it never was.
            choice: of the moment, and of what is left.

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
        """After so many more writes the folder's disk is full; no other one is, then."""
        self._calls.disk_fills(os.fsencode(folder), writes)

    def free(self) -> None:
        """There is room again."""
        self._calls.disk_fills(b"", 0)

    @property
    def is_full(self) -> bool:
        """Whether a write was refused, and still would be."""
        return bool(self._calls.disk_is_full())

    def close(self) -> None:
        """Records nothing more."""
        self.free()
        self._calls.record_below(b"", b"")
        self._log.close()
