"""Index of transactions and blocks by event attribute, as CometBFT's `kv` indexer provides.

In memory, built on the first query and updated block by block: some 100 bytes per attribute value. A node
under CometBFT uses CometBFT's own index.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from hashlib import blake2b
from itertools import groupby
from threading import Lock
from typing import NamedTuple

from ibc_core.host.block import CommittedBlock
from ibc_core.host.events import Event
from localnet.event_query import EventQuery

_FORGET_EVERY = 1_000  # pruned blocks: dropping their entries costs a walk over all
_BLOCK = (1 << 20) - 1  # stands for a transaction index: events of the block itself


class TxPlace(NamedTuple):
    """The position of a transaction."""

    height: int
    number: int  # index in its block, from 0


class EventIndex:
    """The index of one chain.

    Args:
        height: Returns the chain's last height.
        first: Returns the height of the oldest block that is kept.
        block: Returns a committed block by height.
    """

    def __init__(
        self, height: Callable[[], int], first: Callable[[], int], block: Callable[[int], CommittedBlock]
    ) -> None:
        self._height = height
        self._block = block
        self._first = first
        self._upto = self._forgotten = 0
        self._entries: dict[bytes, array[int]] = {}  # digest of an attribute -> events with it
        self._counts: dict[int, int] = {}  # height -> number of transactions, if any
        self._lock = Lock()

    def txs(self, query: EventQuery) -> list[TxPlace]:
        """Matching transactions, oldest first."""
        with self._lock:
            query = self._caught_up(query)
            found = self._matching(query) if query.attributes else self._all(query)
        places = sorted({event >> 20 for event in found})
        return [TxPlace(place >> 20, place & _BLOCK) for place in places if place & _BLOCK != _BLOCK]

    def blocks(self, query: EventQuery) -> list[int]:
        """Heights of blocks whose own events match, lowest first."""
        with self._lock:
            found = self._matching(self._caught_up(query))
        places = sorted({event >> 20 for event in found})
        return [place >> 20 for place in places if place & _BLOCK == _BLOCK]

    def _all(self, query: EventQuery) -> set[int]:
        return {
            _event(height, index, 0)
            for height, count in self._counts.items()
            if query.first <= height <= query.last
            for index in range(count)
        }

    def _matching(self, query: EventQuery) -> set[int]:
        """Places that have, for each event type, one event matching all of its conditions."""
        result: set[int] | None = None
        ordered = sorted(query.attributes)
        for _, conditions in groupby(ordered, key=_type_of):
            places = {event >> 20 << 20 for event in self._events(conditions, query)}
            result = places if result is None else result & places
        return result or set()

    def _events(self, conditions: Iterable[tuple[str, str]], query: EventQuery) -> set[int]:
        """Events with all of these attributes, within the query's heights."""
        lists = [self._entries.get(_digest(key, value), array("Q")) for key, value in conditions]
        lists.sort(key=len)
        low, high = _event(query.first, 0, 0), _event(query.last + 1, 0, 0)
        found = {event for event in lists[0] if low <= event < high}
        for others in lists[1:]:
            found.intersection_update(others)
        return found

    def _caught_up(self, query: EventQuery) -> EventQuery:
        """Reads the blocks that are new; the query, among the blocks that are kept."""
        first = self._first()
        for height in range(max(self._upto + 1, first), self._height() + 1):
            block = self._block(height)
            if block.txs:
                self._counts[height] = len(block.txs)
            for index, outcome in enumerate(block.txs):
                self._add(height, index, outcome.events)
            self._add(height, _BLOCK, block.block_events)
            self._upto = height
        if first - self._forgotten > _FORGET_EVERY:
            self._forget(first)
        return query._replace(first=max(query.first, first))

    def _forget(self, first: int) -> None:
        """Drops the entries of blocks that were pruned."""
        low, self._forgotten = _event(first, 0, 0), first
        self._counts = {height: count for height, count in self._counts.items() if height >= first}
        for key, events in list(self._entries.items()):
            left = events[bisect_left(events, low) :]
            if left:
                self._entries[key] = left
            else:
                del self._entries[key]

    def _add(self, height: int, index: int, events: Iterable[Event]) -> None:
        for number, (kind, pairs) in enumerate(events):
            for key, value in pairs:
                entry = self._entries.setdefault(_digest(f"{kind}.{key}", value), array("Q"))
                entry.append(_event(height, index, number))


def _event(height: int, index: int, number: int) -> int:
    """Packs 24 bits of height, 20 bits of transaction index, 20 bits of event index."""
    return min(height, (1 << 24) - 1) << 40 | index << 20 | number


def _digest(key: str, value: str) -> bytes:
    return blake2b(f"{key}={value}".encode(), digest_size=16).digest()


def _type_of(condition: tuple[str, str]) -> str:
    return condition[0].rpartition(".")[0]
