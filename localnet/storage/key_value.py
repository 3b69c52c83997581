"""Key-value database for blocks: in memory, or LMDB."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import lmdb

from iavl.disk.database import data_file
from iavl.disk.database.failures import SYSTEM_ERRORS, storage_error

Entry = tuple[bytes, bytes]


class KeyValue(Protocol):
    """A key-value database."""

    path: str

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Delete the keys `gone` and write all entries, atomically."""

    def items(self, prefix: bytes) -> list[Entry]:
        """Return the entries whose key has `prefix`, in key order."""

    def close(self) -> None:
        """Close the database."""


class MemoryKeyValue:
    """An in-memory database, lost when the process ends."""

    path = "memory"

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""
        return self._entries.get(key)

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Delete the keys `gone`, then write the entries."""
        for key in gone:
            self._entries.pop(key, None)
        self._entries.update(entries)

    def items(self, prefix: bytes) -> list[Entry]:
        """Return the entries whose key has `prefix`, sorted by key."""
        return [each for each in sorted(self._entries.items()) if each[0].startswith(prefix)]

    def close(self) -> None:
        """Do nothing."""


class DiskKeyValue:
    """An LMDB database; each transaction is synced to disk, including its meta page.

    Raises, in every method:
        StorageError: the disk or the system failed, or the file is damaged; see `iavl.errors`.
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
        """Return the value at `key`, or None."""
        with self._told(), self._env.begin() as txn:
            value: bytes | None = txn.get(key)
        return value

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Delete and write in one LMDB transaction."""
        with self._told(), self._env.begin(write=True) as txn:
            for key in gone:
                txn.delete(key)
            for key, value in entries:
                txn.put(key, value)

    def items(self, prefix: bytes) -> list[Entry]:
        """Return the entries whose key has `prefix`, in key order."""
        found = []
        with self._told(), self._env.begin() as txn, txn.cursor() as cursor:
            at = cursor.set_range(prefix)
            while at and cursor.key().startswith(prefix):
                found.append((cursor.key(), cursor.value()))
                at = cursor.next()
        return found

    def close(self) -> None:
        """Close the LMDB environment."""
        self._env.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except SYSTEM_ERRORS as error:
            raise storage_error(self.path, error) from error
