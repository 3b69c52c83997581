"""A read-only store at an earlier height, for queries."""

from collections.abc import Callable, Iterator
from typing import NoReturn

from iavl import Charge, HistoryBusy, MultiStore, VersionMissing, VersionView
from iavl.view import free
from pyibc.core.errors import InvalidSdkRequest, StateNotFound
from pyibc.core.host.gas import READ_BYTE, Gas
from pyibc.core.host.overlay import BlockContext


def unreadable(error: VersionMissing | HistoryBusy) -> InvalidSdkRequest | StateNotFound:
    """Return the error for a query whose height cannot be read."""
    if isinstance(error, VersionMissing):
        return StateNotFound(error.version, str(error), error.last)
    return InvalidSdkRequest(str(error))


class HistoricalStore:
    """One store at one retained version; opened at the first read, since few queries read every store."""

    __slots__ = ("_charge", "_name", "_store", "_version", "_view")

    def __init__(self, store: MultiStore, name: str, version: int, charge: Charge = free) -> None:
        """Pass `charge`, which is called before the version is rebuilt and refuses the work by raising."""
        self._store = store
        self._name = name
        self._version = version
        self._charge = charge
        self._view: VersionView | None = None

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key` in that version, or None.

        Raises:
            StateNotFound: the version has been pruned.
            InvalidSdkRequest: rebuilding the version did not start in time.
        """
        try:
            return (self._view or self._looked_up()).get(key)
        except (VersionMissing, HistoryBusy) as error:
            raise unreadable(error) from error

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over entries with `start <= key < end`.

        Raises:
            StateNotFound: the version has been pruned.
            InvalidSdkRequest: rebuilding the version did not start in time.
        """
        try:
            yield from (self._view or self._looked_up()).iterate(start, end)
        except (VersionMissing, HistoryBusy) as error:
            raise unreadable(error) from error

    def _looked_up(self) -> VersionView:
        self._view = self._store.at(self._name, self._version, self._charge)
        return self._view


# -- gas for rebuilding an old version from the log before a query can read it

REBUILD_WRITE = 10_000
"""Gas for replaying one write of the log: in a large tree it takes as long as ten reads of an entry."""


def paid_by(meter: Callable[[], Gas]) -> Charge:
    """Return a function that charges a rebuild to a meter, before the work is done.

    `meter` is called only when there is work. After OutOfGas a query may be sent again: the store resumes the
    rebuild at the point where it stopped.
    """

    def charge(log_bytes: int, writes: int) -> None:
        meter().consume(READ_BYTE * log_bytes + REBUILD_WRITE * writes)

    return charge


# -- block times of committed heights, so that queries at a height use that block's time
#
# Each version of the state stores the time of its block as the multistore's metadata, which no app hash
# covers: unix nanoseconds in eight bytes or more, big-endian and signed. The time comes from the header,
# with FinalizeBlock; it survives a restart and is pruned with its version.

_BYTES = 8


def encode_time(time_ns: int) -> bytes:
    """Encode a block's time as metadata: never empty, and longer than eight bytes only if necessary."""
    return time_ns.to_bytes(max(_BYTES, (time_ns.bit_length() >> 3) + 1), "big", signed=True)


def decode_time(metadata: bytes) -> int | None:
    """Decode a block's time; None if the metadata is empty: a restored state, or an earlier release's."""
    return int.from_bytes(metadata, "big", signed=True) if metadata else None


class UntimedContext(BlockContext):
    """Context at a height whose block time is unknown: reading the time is refused.

    State sync brings a state without its block's header. A time that no validator signed must not decide
    whether a client has expired.
    """

    __slots__ = ()

    @property
    def time_ns(self) -> NoReturn:
        """Raise StateNotFound."""
        height = self.height.revision_height
        raise StateNotFound(height, "block time unknown: the state was restored from a snapshot", height)

    @time_ns.setter
    def time_ns(self, value: int) -> None:
        """Ignore the value: the time remains unknown."""
