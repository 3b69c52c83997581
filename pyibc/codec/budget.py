"""Budget for decoding an input: bytes and elements, in proportion to the input's size.

Messages in repeated fields are counted before a Python object is created for one of them: an empty message
takes two bytes in protobuf's C core, and a Python object costs as much as a hundred bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from pyibc.core.errors import TxDecode
from pyibc.proto.pool import descriptor_of

BYTES_A_BYTE = 64
"""Number of bytes that may be read per byte of the input.

A byte is read once for each enclosing Any, of which there are at most ten, each time by parsing,
serialising and walking; an Any merged from two is read once more. Input that the SDK accepts stays far
below the limit.
"""

BYTES_AN_ELEMENT = 16
"""Number of input bytes per element, such as a message in a repeated field.

At this point the signer is not verified, and an element costs as much as a thousand bytes in protobuf's C
core. The fields of canonical messages are not counted, and other messages are rare. The smallest message in
long lists is an absent vote in a commit, of 17 bytes.
"""

ELEMENTS_OF_A_FIELD = 2
"""Elements charged for a field that is walked in Python."""

ELEMENTS_OF_AN_ANY = 3
"""Elements charged for an Any, whose type is looked up and whose content is parsed separately."""

FLOOR = 4096
"""Bytes that an input of any size may use."""

FREE_ELEMENTS = 512
"""Elements that an input of any size may use, such as a transaction for all its messages.

Randomly modified messages in tests need up to 350. If each message had its own allowance, two hundred of the
smallest in one transaction would cost ten times the price of their bytes.
"""


class Budget:
    """Bytes and elements used for one input, including nested messages, and their limits."""

    __slots__ = ("bytes", "elements", "is_executed", "max_bytes", "max_elements")

    def __init__(self, size: int) -> None:
        """Create the budget of an input of `size` bytes."""
        self.bytes = 0
        self.elements = 0
        self.is_executed = False
        """True if another message executes the input; Go then treats an Any without a type as absent."""
        self.max_bytes = BYTES_A_BYTE * size + FLOOR
        self.max_elements = size // BYTES_AN_ELEMENT + FREE_ELEMENTS

    def read(self, size: int) -> None:
        """Charge `size` bytes.

        Raises:
            TxDecode: the budget is exhausted.
        """
        self.bytes += size
        if self.bytes > self.max_bytes:
            raise TxDecode(f"decoding reads more than {self.max_bytes} bytes")

    def visit(self, count: int) -> None:
        """Charge `count` elements: fields, Anys, and messages in repeated fields.

        Raises:
            TxDecode: the budget is exhausted.
        """
        self.elements += count
        # guard: h60-a-spent-budget-goes-on test_h60_a_spent_budget_refuses
        if self.elements > self.max_elements:
            raise TxDecode(f"decoding looks at more than {self.max_elements} elements")


class _Lists(NamedTuple):
    """Repeated message fields of a message type, at any depth outside other repeated fields."""

    flat: tuple[Callable[[Message], Sequence[Message]], ...]
    nested: "tuple[tuple[Callable[[Message], Sequence[Message]], _Lists], ...]"
    """The fields in `flat` whose members have repeated message fields themselves."""


_NONE = _Lists((), ())
_LISTS: dict[type[Message], _Lists] = {}


def has_lists(cls: type[Message]) -> bool:
    """Return whether messages of this class have repeated message fields at any depth."""
    return _of(cls) is not _NONE


def count_listed(message: Message, budget: Budget) -> None:
    """Charge an element for each message in a repeated field of `message`, at any depth outside Anys.

    A message nested in one of its own type (ModeInfo) is not visited.

    Raises:
        TxDecode: the budget is exhausted.
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
    """Yield the dotted path of each repeated field, and the repeated fields of its members."""
    for field in fields:
        message = field.message_type
        if message is None or message.full_name in seen:
            continue
        path, deeper = f"{to}{field.name}", seen | {message.full_name}
        if field.has_presence:
            yield from _paths(message.fields, deeper, f"{path}.")
        else:
            yield path, _below(message.fields, deeper)
