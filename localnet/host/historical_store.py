"""A read-only store at an earlier height, for queries."""

from collections.abc import Iterator

from iavl import HistoryBusy, MultiStore, PastView, VersionMissing
from ibc_core.errors import InvalidSdkRequest


class HistoricalStore:
    """One store at one retained version; looked up at the first read, as few queries read every store."""

    __slots__ = ("_name", "_store", "_version", "_view")

    def __init__(self, store: MultiStore, name: str, version: int) -> None:
        self._store = store
        self._name = name
        self._version = version
        self._view: PastView | None = None

    def get(self, key: bytes) -> bytes | None:
        """The value at `key` at that version, or None.

        Raises:
            InvalidSdkRequest: the version has been pruned, or waited too long to be rebuilt.
        """
        try:
            return (self._view or self._looked_up()).get(key)
        except (VersionMissing, HistoryBusy) as error:
            raise InvalidSdkRequest(str(error)) from error

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Entries with `start <= key < end`.

        Raises:
            InvalidSdkRequest: the version has been pruned, or waited too long to be rebuilt.
        """
        try:
            yield from (self._view or self._looked_up()).iterate(start, end)
        except (VersionMissing, HistoryBusy) as error:
            raise InvalidSdkRequest(str(error)) from error

    def _looked_up(self) -> PastView:
        self._view = self._store.at(self._name, self._version)
        return self._view
