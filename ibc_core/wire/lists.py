"""Messages in lists: how many there are, counted before one of them becomes an object of Python.

protobuf's C core reads a list of empty messages at two bytes each; whoever turns them into values does it one
by one, at the price of a hundred bytes each.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ibc_core.wire.budget import Budget
from ibc_proto.pool import descriptor_of


class _Lists(NamedTuple):
    """The lists of messages that a message leads to, other than through a list; an absent part has none."""

    flat: tuple[Callable[[Message], Sequence[Message]], ...]
    nested: "tuple[tuple[Callable[[Message], Sequence[Message]], _Lists], ...]"
    """Those of the flat ones in whose members there are lists."""


_NONE = _Lists((), ())
_LISTS: dict[type[Message], _Lists] = {}


def has_lists(cls: type[Message]) -> bool:
    """Whether messages of this class, or what is below them, have lists of messages."""
    return _of(cls) is not _NONE


def count_listed(message: Message, budget: Budget) -> None:
    """Spends an element for each message in a list of `message` or below it; what Anys hold is not below it.

    A message in one of its own type (ModeInfo) is not looked into.

    Raises:
        TxDecode: the budget is spent.
    """
    lists = _of(type(message))
    if lists is not _NONE:
        _count(message, lists, budget)


# recursion: over the descriptors of a message
def _count(message: Message, lists: _Lists, budget: Budget) -> None:
    listed = 0
    for read in lists.flat:
        listed += len(read(message))
    if listed:
        # guard: h60-lists-cost-nothing test_h60_lists_of_next_to_nothing_are_refused_though_canonical
        #   test_h60_lists_are_counted_where_anys_are_not_looked_into
        budget.visit(listed)
        for read, below in lists.nested:
            for child in read(message):
                _count(child, below, budget)


def _of(cls: type[Message]) -> _Lists:
    found = _LISTS.get(cls)
    if found is None:
        descriptor = descriptor_of(cls)
        found = _LISTS[cls] = _below(descriptor.fields, frozenset({descriptor.full_name}))
    return found


def _below(fields: Sequence[FieldDescriptor], seen: frozenset[str]) -> _Lists:
    found = list(_paths(fields, seen, ""))
    if not found:
        return _NONE
    nested = [(attrgetter(path), below) for path, below in found if below is not _NONE]
    return _Lists(tuple([attrgetter(path) for path, _ in found]), tuple(nested))


# recursion: over the descriptors of a message, each once
def _paths(fields: Sequence[FieldDescriptor], seen: frozenset[str], to: str) -> Iterator[tuple[str, _Lists]]:
    """The dotted path of each list, and what is below its members."""
    for field in fields:
        message = field.message_type
        if message is None or message.full_name in seen:
            continue
        path, deeper = f"{to}{field.name}", seen | {message.full_name}
        if field.has_presence:
            yield from _paths(message.fields, deeper, f"{path}.")
        else:
            yield path, _below(message.fields, deeper)
