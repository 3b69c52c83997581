"""A read-only store at an earlier height, for queries."""

from collections.abc import Iterator

from iavl import HistoryBusy, MultiStore, VersionMissing
from ibc_core.errors import InvalidSdkRequest


class HistoricalStore:
    """One store at one retained version."""

    __slots__ = ("_name", "_store", "_version")

    def __init__(self, store: MultiStore, name: str, version: int) -> None:
        self._store = store
        self._name = name
        self._version = version

    def get(self, key: bytes) -> bytes | None:
        """The value at `key` at that version, or None.

        Raises:
            InvalidSdkRequest: the version has been pruned, or waited too long to be rebuilt.
        """
        try:
            return self._store.get_at(self._name, key, self._version)
        except (VersionMissing, HistoryBusy) as error:
            raise InvalidSdkRequest(str(error)) from error

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end`.

        Raises:
            InvalidSdkRequest: the version has been pruned, or waited too long to be rebuilt.
        """
        try:
            yield from self._store.iterate_at(self._name, start, end, self._version)
        except (VersionMissing, HistoryBusy) as error:
            raise InvalidSdkRequest(str(error)) from error
