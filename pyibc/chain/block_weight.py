"""Memory size estimates of cached blocks: bytes in memory, not on the wire.

An event takes several times its text in memory. The estimate is an upper bound, apart from strings that are
shared with other entries.
"""

from collections.abc import Iterable
from sys import getsizeof

from pyibc.core.host.block import CommittedBlock, Event, TxOutcome

_OBJECT = 400
"""Bytes of a transaction's or a block's own tuples and numbers."""
_EVENT = 56 + 48
"""Bytes of an event without its type and attributes: two tuples."""
_ATTRIBUTE = 56 + 8
"""Bytes of an attribute without its strings: a tuple, and its slot in the event."""
_SHARED = 64
"""Maximum length of a key or type that is assumed to be a shared constant."""


def weight_of_block(block: CommittedBlock) -> int:
    """Return the weight of a block's results, its transactions included, in bytes."""
    return _OBJECT + sum(map(_weight_of_outcome, block.txs)) + _weight_of_events(block.block_events)


def _weight_of_outcome(outcome: TxOutcome) -> int:
    own = _OBJECT + len(outcome.tx) + len(outcome.data) + getsizeof(outcome.log)
    return own + _weight_of_events(outcome.events)


def _weight_of_events(events: Iterable[Event]) -> int:
    weight = 0
    for kind, attributes in events:
        weight += _EVENT + _weight_of_name(kind)
        for key, value in attributes:
            weight += _ATTRIBUTE + _weight_of_name(key) + getsizeof(value)
    return weight


def _weight_of_name(name: str) -> int:
    return getsizeof(name) if len(name) > _SHARED else 0
