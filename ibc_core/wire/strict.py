"""Decodes untrusted bytes as strictly as the Cosmos SDK decodes transactions.

It refuses malformed bytes, text that is not UTF-8, fields that the message does not have (also below
it, and inside every Any), types that no Any may hold, and size or nesting beyond the limits. Two nodes
that read the same transaction thus see the same message, and nothing hides in it.

Most messages are in canonical form, which is checked by protobuf's C core: parse, drop unknown fields,
serialise, compare. Only a message that fails this is walked byte by byte. Whatever the shape, the work is
linear in the size: what an Any holds is checked once, and a `Budget` counts across all that is nested.
"""

from typing import NamedTuple, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from ibc_core.errors import TxDecode
from ibc_core.wire.budget import ELEMENTS_OF_AN_ANY, Budget
from ibc_core.wire.interfaces import BUILTIN, REQUIRED, ROLES, KnownTypes, Role
from ibc_core.wire.lists import count_listed, has_lists
from ibc_core.wire.walk import reject_unknown_fields
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.pool import descriptor_of

_M = TypeVar("_M", bound=Message)

MAX_SIZE = 16 << 20
"""Bytes of a message; four times what a block of CometBFT holds by default."""

MAX_ANY_DEPTH = 10
"""Anys inside Anys, as in the SDK. Plain nesting ends at upb's 100 levels, in its parser."""


def parse(
    cls: type[_M],
    raw: bytes,
    *,
    known: KnownTypes = BUILTIN,
    non_critical: bool = True,
    budget: Budget | None = None,
) -> _M:
    """The message of type `cls` that `raw` encodes, with all Anys below it checked.

    Args:
        cls: The message's class.
        raw: Its bytes.
        known: The types that the chain knows in Anys.
        non_critical: Whether unknown fields with bit 11 of their number set are let through (and
            dropped), as everywhere below a TxBody; elsewhere they are refused too.
        budget: What decoding may cost; one of the size of `raw` where there is none.

    Raises:
        TxDecode: see the module's text.
    """
    message = _parsed(cls, raw, non_critical)
    is_canonical = message.SerializeToString() == raw
    if not is_canonical or any_places(cls) or has_lists(cls):
        spent = Budget(len(raw)) if budget is None else budget
        spent.read(len(raw))
        _Checks(known, non_critical, spent).below(message, raw, is_canonical, 0)
    return message


def parse_outer(cls: type[_M], raw: bytes, *, non_critical: bool, budget: Budget | None = None) -> _M:
    """As `parse`, but what Anys hold is left unread.

    Raises:
        TxDecode: as `parse`.
    """
    message = _parsed(cls, raw, non_critical)
    spent = Budget(len(raw)) if budget is None else budget
    if message.SerializeToString() != raw:
        spent.read(len(raw))
        reject_unknown_fields(raw, descriptor_of(cls), non_critical=non_critical, budget=spent)
    # guard: h60-lists-of-outer-messages-cost-nothing drop
    #   test_h60_lists_are_counted_where_anys_are_not_looked_into
    count_listed(message, spent)
    return message


def _parsed(cls: type[_M], raw: bytes, non_critical: bool) -> _M:
    """The message without what it has no fields for."""
    if len(raw) > MAX_SIZE:
        raise TxDecode(f"{len(raw)} bytes exceed {MAX_SIZE}")
    try:
        message = cls.FromString(raw)
    except DecodeError as error:
        raise _why(cls, raw, non_critical) from error
    message.DiscardUnknownFields()
    return message


def _why(cls: type[Message], raw: bytes, non_critical: bool) -> TxDecode:
    """The error of bytes that did not parse: text apart, ibc-go looks at what else a message says first."""
    name, budget = cls.DESCRIPTOR.full_name, Budget(len(raw))
    try:
        found = reject_unknown_fields(raw, descriptor_of(cls), non_critical=non_critical, budget=budget)
    except TxDecode as error:
        return TxDecode(f"malformed {name}: {error.reason}")
    if found.no_utf8 is not None:
        return TxDecode(f"malformed {name}: {found.no_utf8} {NOT_UTF8}")
    return TxDecode(f"malformed {name}")


NOT_UTF8 = "is not UTF-8"
"""What the error of a message says in which nothing is wrong but text."""


class AnyPlace(NamedTuple):
    """A field that is an Any, or that has Anys below it."""

    field: str
    repeated: bool
    is_any: bool
    role: Role | None


_PLACES: dict[type[Message], tuple[AnyPlace, ...]] = {}


def any_places(cls: type[Message]) -> tuple[AnyPlace, ...]:
    """The fields of a message in which Anys are, or below which."""
    found = _PLACES.get(cls)
    if found is None:
        found = _PLACES[cls] = tuple(
            AnyPlace(
                field.name, not field.has_presence, _is_any(field.message_type), ROLES.get(field.full_name)
            )
            for field in descriptor_of(cls).fields
            if field.message_type is not None and _leads_to_any(field, frozenset())
        )
    return found


def _is_any(descriptor: Descriptor) -> bool:
    return descriptor.full_name == "google.protobuf.Any"


# recursion: over the descriptors of a message, each once
def _leads_to_any(field: FieldDescriptor, seen: frozenset[str]) -> bool:
    below = field.message_type
    if below is None or below.full_name in seen:
        return False
    deeper = seen | {below.full_name}
    return _is_any(below) or any(_leads_to_any(each, deeper) for each in below.fields)


class _Checks:
    """The checks of one input, however deep they lead."""

    __slots__ = ("_budget", "_done", "_known", "_non_critical")

    def __init__(self, known: KnownTypes, non_critical: bool, budget: Budget) -> None:
        self._known = known
        self._non_critical = non_critical
        self._budget = budget
        self._done: set[tuple[str, bytes, int]] = set()  # Anys that are in order, by their depth

    def below(self, message: Message, raw: bytes, is_canonical: bool, depth: int) -> None:
        """Checks what is below a message that was parsed out of `raw`, inside of `depth` Anys."""
        if not is_canonical:
            self._walk(raw, descriptor_of(type(message)), depth)
        count_listed(message, self._budget)
        for place in any_places(type(message)):
            self._place(message, place, depth, is_canonical)

    def _walk(self, raw: bytes, descriptor: Descriptor, depth: int) -> None:
        """Every field, and every Any: of one given twice the last counts, and both must be in order."""
        self._budget.read(len(raw))
        found = reject_unknown_fields(raw, descriptor, non_critical=self._non_critical, budget=self._budget)
        for packed in found.anys:
            given = any_pb2.Any.FromString(packed)
            self.any(given.type_url, given.value, None, depth + 1, may_recur=True)

    def _place(self, message: Message, place: AnyPlace, depth: int, is_canonical: bool) -> None:
        if place.repeated:
            found = getattr(message, place.field)
        else:
            found = (getattr(message, place.field),) if message.HasField(place.field) else ()
        for child in found:
            if place.is_any:
                self.any(child.type_url, child.value, place.role, depth + 1, may_recur=not is_canonical)
            else:
                for below in any_places(type(child)):
                    self._place(child, below, depth, is_canonical)

    # recursion: MAX_ANY_DEPTH Anys, each as deep as its type's descriptors lead to another
    def any(self, type_url: str, value: bytes, role: Role | None, depth: int, *, may_recur: bool) -> None:
        """Checks what an Any holds: its type in each role that it is given, its bytes once.

        `may_recur`: it stands in a message that is not canonical, where one Any is met more than once.
        """
        if depth > MAX_ANY_DEPTH:
            raise TxDecode(f"more than {MAX_ANY_DEPTH} Anys inside each other")
        cls = self._known.find(type_url, role)
        if cls is None:
            raise TxDecode(f"{type_url[:100]!a} is no known {role.value if role else 'type'}")
        if may_recur and (type_url, value, depth) in self._done:
            return
        self._budget.visit(ELEMENTS_OF_AN_ANY)
        self._budget.read(len(value))
        inner = _parsed(cls, value, self._non_critical)
        self.below(inner, value, inner.SerializeToString() == value, depth)
        for field in REQUIRED.get(cls.DESCRIPTOR.full_name, ()):
            if not inner.HasField(field):
                raise TxDecode(f"{type_url[:100]} without {field}")
        if may_recur:
            # guard: h60-an-any-is-checked-whenever-it-is-met test_h60_ten_levels_cost_a_walk_of_each_byte
            #   test_h60_an_any_that_is_merged_is_read_once_more_and_what_is_in_it_is_not
            self._done.add((type_url, value, depth))


def check_any(type_url: str, value: bytes, budget: Budget) -> None:
    """Checks what an Any holds that may be of any type, and the Anys in that.

    Raises:
        TxDecode: the type is unknown, its bytes are refused, or `budget` is spent.
    """
    _Checks(BUILTIN, True, budget).any(type_url, value, None, 1, may_recur=False)
