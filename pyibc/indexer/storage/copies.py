"""Local copies of objects for an engine in this process; each object is downloaded once.

Files of segments and tables never change under their names, so copies stay valid. Copies are named by
numbers, so object keys never affect local paths.
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

    from pyibc.indexer.storage.objects import ObjectPath

TOGETHER = 8
"""Number of parallel downloads."""


class Copies:
    """Cache of objects in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count, self._lock = folder, 0, Lock()
        self._files: dict[tuple[str, str], Path] = {}
        self._used: set[tuple[str, str]] = set()

    def of(self, place: "ObjectPath") -> Path:
        """Return the copy of an object.

        Raises:
            OSError: the object does not exist, or the copy cannot be written.
            StorageFault: the download failed.
        """
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
        """Return the copies of several objects."""
        with ThreadPoolExecutor(TOGETHER) as threads:
            return list(threads.map(self.of, places))

    def take(self, source: Path, place: "ObjectPath") -> None:
        """Move a local file into the cache, as the copy of the object it was uploaded to."""
        fresh = self._new()
        shutil.move(source, fresh)
        self._keep((place.bucket, place.key), fresh)

    def forget_unused(self) -> None:
        """Remove the copies that were not used since the last call."""
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
    """Return the cache of this process, which is deleted at exit."""
    folder = mkdtemp(prefix="pyibc-copies-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Copies(Path(folder))
