"""CometBFT's event queries: `type.key = 'value' AND type.key = 'value' ...`."""

import re
from array import array
from binascii import unhexlify
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from hashlib import blake2b
from itertools import groupby
from threading import Lock
from typing import NamedTuple

from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import CommittedBlock, Event
from pyibc.core.numbers import MAX_I64

MAX_QUERY = 4_096
"""Maximum length of a query in characters."""

_CONDITION = re.compile(
    r"\s*(?P<key>[A-Za-z0-9_\-./]+)\s*(?P<op><=|>=|=|<|>)\s*(?:'(?P<text>[^']*)'|(?P<number>[0-9]{1,19}))\s*\Z",
    re.ASCII | re.DOTALL,
)
_AND = re.compile(r"\s+AND\s+(?=(?:[^']*'[^']*')*[^']*\Z)", re.DOTALL)  # not inside quotes
_HEIGHTS = {"tx.height", "block.height"}


class EventQuery(NamedTuple):
    """A parsed query; all conditions must hold."""

    attributes: tuple[tuple[str, str], ...]  # `type.key` and the required value
    first: int  # lowest height
    last: int  # highest height
    digest: bytes | None  # transaction hash, if the query has a condition on it


def parse_query(text: str) -> EventQuery:
    """Parse a query.

    Raises:
        InvalidRequest: the query is malformed, or compares an attribute other than `tx.height`,
            `block.height`.
    """
    if len(text) > MAX_QUERY:
        raise InvalidRequest(f"the query has {len(text)} characters; the limit is {MAX_QUERY}")
    query = EventQuery((), 0, MAX_I64, None)
    for part in _AND.split(text):
        found = _CONDITION.match(part)
        if found is None:
            raise InvalidRequest(f"query: {part[:100]!a} is not type.key = 'value'")
        query = _with(query, found["key"], found["op"], found["text"] or found["number"] or "")
    return query


def _with(query: EventQuery, key: str, operator: str, value: str) -> EventQuery:
    if key in _HEIGHTS:
        return _bounded(query, operator, value)
    if operator != "=":
        raise InvalidRequest(f"query: {key[:100]} {operator} is not supported")
    if key == "tx.hash":
        return query._replace(digest=_value_digest(value))
    if "." not in key:
        raise InvalidRequest(f"query: {key[:100]} is not type.key")
    return query._replace(attributes=(*query.attributes, (key, value)))


def _bounded(query: EventQuery, operator: str, value: str) -> EventQuery:
    if not value.isdigit() or not value.isascii() or len(value) > 19:
        raise InvalidRequest(f"query: {value[:100]!a} is not a height")
    height, first, last = int(value), query.first, query.last
    match operator:
        case "=":
            first, last = max(first, height), min(last, height)
        case "<":
            last = min(last, height - 1)
        case "<=":
            last = min(last, height)
        case ">":
            first = max(first, height + 1)
        case _:
            first = max(first, height)
    return query._replace(first=first, last=last)


def _value_digest(value: str) -> bytes:
    try:
        return unhexlify(value)
    except ValueError:
        raise InvalidRequest(f"query: {value[:100]!a} is not a hash") from None


# -- index of transactions and blocks by event attribute, as CometBFT's `kv` indexer provides
#
# In memory, built on the first query and updated block by block: some 100 bytes per attribute value. A
# node under CometBFT uses CometBFT's own index.
#
# An event is identified by a number: the serial of its place, i.e. a transaction or a block, and its index
# in it. Places are numbered in order of arrival, so that heights may be any int64.

_FORGET_EVERY = 1_000  # pruned blocks; removing their entries takes a pass over the index
_BLOCK = -1  # transaction index of events of the block itself
_NUMBER = 24  # bits of an event's index in its place: events of 1.6 GB


class TxPlace(NamedTuple):
    """The position of a transaction."""

    height: int
    number: int  # index in its block, from 0


class EventIndex:
    """The index of one chain.

    Args:
        height: Returns the chain's last height.
        first: Returns the height of the oldest stored block.
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
        self._heights = array("q")  # of all places, in order
        self._indexes = array("l")  # of their transactions in the block, or `_BLOCK`
        self._dropped = 0  # places removed from the index: the serial of the first remaining one
        self._lock = Lock()

    def txs(self, query: EventQuery) -> list[TxPlace]:
        """Return matching transactions, oldest first."""
        with self._lock:
            return [place for place in self._places(self._caught_up(query)) if place.number != _BLOCK]

    def blocks(self, query: EventQuery) -> list[int]:
        """Return heights of blocks whose own events match, lowest first."""
        with self._lock:
            query = self._caught_up(query)
            found = self._places(query) if query.attributes else []
        return [place.height for place in found if place.number == _BLOCK]

    def _places(self, query: EventQuery) -> list[TxPlace]:
        """Return the places within the query's heights whose events match, in order.

        For each event type of the query, one event must match all of its conditions.
        """
        # guard: h273-heights-are-clamped {bisect_left(self._heights, query.first) =>
        #   bisect_left(self._heights, min(query.first, (1 << 24) - 1))}
        #   test_h273_heights_of_any_int64_are_indexed
        first = self._dropped + bisect_left(self._heights, query.first)
        end = self._dropped + bisect_right(self._heights, query.last)
        found = set(range(first, end)) if not query.attributes else None
        ordered = sorted(query.attributes)
        for _, conditions in groupby(ordered, key=_type_of):
            places = {event >> _NUMBER for event in self._events(conditions, first, end)}
            found = places if found is None else found & places
        return [self._place(serial) for serial in sorted(found or ())]

    def _place(self, serial: int) -> TxPlace:
        at = serial - self._dropped
        return TxPlace(self._heights[at], self._indexes[at])

    def _events(self, conditions: Iterable[tuple[str, str]], first: int, end: int) -> set[int]:
        """Return the events with all of these attributes, at places from `first` to before `end`."""
        lists = [self._entries.get(_digest(key, value), array("Q")) for key, value in conditions]
        lists.sort(key=len)
        low, high = (bisect_left(lists[0], serial << _NUMBER) for serial in (first, end))
        found = set(lists[0][low:high])
        for others in lists[1:]:
            found.intersection_update(others)
        return found

    def _caught_up(self, query: EventQuery) -> EventQuery:
        """Index new blocks; return the query restricted to stored blocks."""
        first = self._first()
        for height in range(max(self._upto + 1, first), self._height() + 1):
            block = self._block(height)
            for index, outcome in enumerate(block.txs):
                self._add(height, index, outcome.events)
            if block.block_events:
                self._add(height, _BLOCK, block.block_events)
            self._upto = height
        if first - self._forgotten > _FORGET_EVERY:
            self._forget(first)
        return query._replace(first=max(query.first, first))

    def _forget(self, first: int) -> None:
        """Drop the entries of pruned blocks."""
        gone, self._forgotten = bisect_left(self._heights, first), first
        del self._heights[:gone], self._indexes[:gone]
        self._dropped += gone
        low = self._dropped << _NUMBER
        for key, events in list(self._entries.items()):
            left = events[bisect_left(events, low) :]
            if left:
                self._entries[key] = left
            else:
                del self._entries[key]

    def _add(self, height: int, index: int, events: Iterable[Event]) -> None:
        serial = self._dropped + len(self._heights)
        self._heights.append(height)
        self._indexes.append(index)
        for number, (kind, pairs) in enumerate(events):
            event = serial << _NUMBER | min(number, (1 << _NUMBER) - 1)
            for key, value in pairs:
                self._entries.setdefault(_digest(f"{kind}.{key}", value), array("Q")).append(event)


def _digest(key: str, value: str) -> bytes:
    return blake2b(f"{key}={value}".encode(), digest_size=16).digest()


def _type_of(condition: tuple[str, str]) -> str:
    return condition[0].rpartition(".")[0]
