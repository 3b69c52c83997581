"""The key-value database that holds blocks: in memory, or LMDB."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import lmdb

from iavl.disk import data_file
from iavl.disk.failures import MACHINE, storage_error

Entry = tuple[bytes, bytes]


class KeyValue(Protocol):
    """A database."""

    path: str

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`, or None."""

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Removes the keys `gone` and writes all entries, atomically."""

    def items(self, prefix: bytes) -> list[Entry]:
        """Keys with `prefix` and their values, in key order."""

    def close(self) -> None:
        """Closes the database."""


class MemoryKeyValue:
    """An in-memory database, lost when the process ends."""

    path = "memory"

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """Looks up `key`; None if absent."""
        return self._entries.get(key)

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Removes, then writes."""
        for key in gone:
            self._entries.pop(key, None)
        self._entries.update(entries)

    def items(self, prefix: bytes) -> list[Entry]:
        """Entries whose key has `prefix`, sorted by key."""
        return [each for each in sorted(self._entries.items()) if each[0].startswith(prefix)]

    def close(self) -> None:
        """Does nothing."""


class DiskKeyValue:
    """An LMDB database whose transactions are on the disk, the page that names them included, when they end.

    Raises, in every method:
        StorageError: as `iavl.errors` names what the machine or the file refuses.
    """

    def __init__(self, path: Path, map_bytes: int) -> None:
        self.path = str(path)
        with self._told():
            path.mkdir(parents=True, exist_ok=True)
            if (path / data_file.NAME).exists():
                # guard: h108-a-file-that-is-cut-short-is-mapped drop
                #   test_h108_a_block_store_that_is_cut_short_is_refused
                data_file.check(path, map_bytes)
            # guard: h104-the-page-that-names-a-block-is-not-flushed {lmdb.open(self.path, map_size=map_bytes)
            #   => lmdb.open(self.path, map_size=map_bytes, metasync=False)}
            #   test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing
            self._env = lmdb.open(self.path, map_size=map_bytes)

    def get(self, key: bytes) -> bytes | None:
        """Reads `key`; None if absent."""
        with self._told(), self._env.begin() as txn:
            value: bytes | None = txn.get(key)
        return value

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Removes and writes in one LMDB transaction."""
        with self._told(), self._env.begin(write=True) as txn:
            for key in gone:
                txn.delete(key)
            for key, value in entries:
                txn.put(key, value)

    def items(self, prefix: bytes) -> list[Entry]:
        """Entries whose key has `prefix`, in the order of the cursor."""
        found = []
        with self._told(), self._env.begin() as txn, txn.cursor() as cursor:
            at = cursor.set_range(prefix)
            while at and cursor.key().startswith(prefix):
                found.append((cursor.key(), cursor.value()))
                at = cursor.next()
        return found

    def close(self) -> None:
        """Closes the LMDB environment."""
        self._env.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except MACHINE as error:
            raise storage_error(self.path, error) from error
