"""Objects that an engine in this process reads, on the disk: each is fetched once.

Sealed ranges and files of tables never change under their names, so a copy stays right.
Copies have numbers for names: what an object is called leads nowhere on this machine.
"""

import atexit
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibc_indexer.storage.objects import ObjectPath

TOGETHER = 8
"""Objects that are fetched at once."""


class Copies:
    """Copies of objects in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count, self._lock = folder, 0, Lock()
        self._files: dict[tuple[str, str], Path] = {}
        self._used: set[tuple[str, str]] = set()

    def of(self, place: "ObjectPath") -> Path:
        """The copy of an object; raises OSError, StorageFault."""
        key = (place.bucket, place.key)
        with self._lock:
            self._used.add(key)
            found = self._files.get(key)
        if found is not None:
            return found
        fresh = self._new()
        place.fetch(fresh)
        return self._keep(key, fresh)

    def all(self, places: "Iterable[ObjectPath]") -> list[Path]:
        """The copies of several."""
        with ThreadPoolExecutor(TOGETHER) as threads:
            return list(threads.map(self.of, places))

    def take(self, source: Path, place: "ObjectPath") -> None:
        """Makes a local file, whose content went to an object, the copy of that."""
        fresh = self._new()
        shutil.move(source, fresh)
        self._keep((place.bucket, place.key), fresh)

    def forget_unused(self) -> None:
        """Removes what nobody asked for since this was called before."""
        with self._lock:
            for key in self._files.keys() - self._used:
                self._files.pop(key).unlink(missing_ok=True)
            self._used.clear()

    def _new(self) -> Path:
        with self._lock:
            self._count += 1
            return self._folder / f"{self._count}.parquet"

    def _keep(self, key: tuple[str, str], fresh: Path) -> Path:
        with self._lock:
            self._files[key] = fresh
            self._used.add(key)
        return fresh


@cache
def copies() -> Copies:
    """Those of this process; they go when it ends."""
    folder = mkdtemp(prefix="pyibc-copies-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Copies(Path(folder))
