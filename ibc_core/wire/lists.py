"""Messages in lists: how many there are, counted before one of them becomes an object of Python.

protobuf's C core reads a list of empty messages at two bytes each; whoever turns them into values does it one
by one, at the price of a hundred bytes each.
"""

from collections.abc import Sequence
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ibc_core.wire.budget import Budget
from ibc_proto.pool import descriptor_of


class _Way(NamedTuple):
    """A field that is a list of messages, or that leads to one."""

    field: str
    repeated: bool
    below: "tuple[_Way, ...]"


_WAYS: dict[type[Message], tuple[_Way, ...]] = {}


def has_lists(cls: type[Message]) -> bool:
    """Whether messages of this class, or what is below them, have lists of messages."""
    return bool(_ways(cls))


def count_listed(message: Message, budget: Budget) -> None:
    """Spends an element for each message in a list of `message` or below it; what Anys hold is not below it.

    Raises:
        TxDecode: the budget is spent.
    """
    ways = _ways(type(message))
    if ways:
        _count(message, ways, budget)


def _count(message: Message, ways: tuple[_Way, ...], budget: Budget) -> None:
    for field, repeated, below in ways:
        if repeated:
            listed = getattr(message, field)
            budget.visit(len(listed))
            for child in listed if below else ():
                _count(child, below, budget)
        elif message.HasField(field):
            _count(getattr(message, field), below, budget)


def _ways(cls: type[Message]) -> tuple[_Way, ...]:
    found = _WAYS.get(cls)
    if found is None:
        found = _WAYS[cls] = _ways_below(descriptor_of(cls).fields, frozenset())
    return found


def _ways_below(fields: Sequence[FieldDescriptor], seen: frozenset[str]) -> tuple[_Way, ...]:
    ways = []
    for field in fields:
        if field.message_type is None or field.message_type.full_name in seen:
            continue
        below = _ways_below(field.message_type.fields, seen | {field.message_type.full_name})
        repeated = not field.has_presence
        if repeated or below:
            ways.append(_Way(field.name, repeated, below))
    return tuple(ways)
