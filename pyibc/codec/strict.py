"""Strict decoding of untrusted bytes, as the Cosmos SDK decodes transactions.

Malformed bytes, strings that are not UTF-8, unknown fields at any depth and in Anys, disallowed types in
Anys, and size or nesting beyond the limits are refused. All nodes thus decode a transaction to the same
message, without hidden data.

Most messages are canonical, which protobuf's C core checks: parse, discard unknown fields, serialise,
compare. Only other messages are walked byte by byte in Python. The work is linear in the size: the content
of an Any is checked once, and a `Budget` is shared by all nested messages.
"""

from typing import TypeVar

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from pyibc.codec.anys import BUILTIN, MAX_ANY_DEPTH, REQUIRED, AnyPlace, KnownTypes, Role, any_places
from pyibc.codec.budget import ELEMENTS_OF_AN_ANY, Budget, count_listed, has_lists
from pyibc.codec.gogoproto import without_unknown
from pyibc.codec.walk import reject_unknown_fields
from pyibc.core.errors import TxDecode
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.pool import descriptor_of

_M = TypeVar("_M", bound=Message)

MAX_SIZE = 16 << 20
"""Maximum size of a message in bytes, four times the default block size of CometBFT."""


def parse(
    cls: type[_M],
    raw: bytes,
    *,
    known: KnownTypes = BUILTIN,
    non_critical: bool = True,
    budget: Budget | None = None,
    by_gogoproto: bool = True,
) -> _M:
    """Return the message of class `cls` encoded in `raw`, and check all nested Anys.

    Args:
        cls: The message's class.
        raw: The encoded message.
        known: The types allowed in Anys.
        non_critical: Whether to drop unknown fields with bit 11 of their number set, as inside a TxBody,
            instead of refusing them.
        budget: The budget of decoding; a new one for `raw` if it is None.
        by_gogoproto: Whether the SDK decodes it with gogoproto, as all messages: see `gogoproto_values`.

    Raises:
        TxDecode: the bytes are refused, see the module's docstring.
    """
    message = _parsed(cls, raw, non_critical)
    is_canonical = message.SerializeToString() == raw
    if not is_canonical or any_places(cls) or has_lists(cls):
        spent = Budget(len(raw)) if budget is None else budget
        spent.read(len(raw))
        checks = _Checks(known, non_critical, spent)
        checks.below(message, raw, is_canonical, 0)
        # guard: gogoproto-messages-are-read-in-c {checks.gogoproto_differs and by_gogoproto => False}
        #   test_an_empty_amount_leaves_the_one_before_it
        #   test_of_a_time_that_is_given_twice_the_last_one_counts
        if checks.gogoproto_differs and by_gogoproto:
            spent.read(len(raw))
            return cls.FromString(without_unknown(cls, raw, spent))
    return message


def parse_outer(cls: type[_M], raw: bytes, *, non_critical: bool, budget: Budget | None = None) -> _M:
    """Decode as `parse`, but without decoding the content of Anys.

    Raises:
        TxDecode: as by `parse`.
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
    """Return the message without unknown fields."""
    if len(raw) > MAX_SIZE:
        raise TxDecode(f"{len(raw)} bytes exceed {MAX_SIZE}")
    try:
        message = cls.FromString(raw)
    except DecodeError as error:
        raise _why(cls, raw, non_critical) from error
    message.DiscardUnknownFields()
    return message


def _why(cls: type[Message], raw: bytes, non_critical: bool) -> TxDecode:
    """Return the error for bytes that failed to parse, with invalid UTF-8 last, as in ibc-go."""
    name, budget = cls.DESCRIPTOR.full_name, Budget(len(raw))
    try:
        found = reject_unknown_fields(raw, descriptor_of(cls), non_critical=non_critical, budget=budget)
    except TxDecode as error:
        return TxDecode(f"malformed {name}: {error.reason}")
    if found.no_utf8 is not None:
        return TxDecode(f"malformed {name}: {found.no_utf8} {NOT_UTF8}")
    return TxDecode(f"malformed {name}")


NOT_UTF8 = "is not UTF-8"
"""Error text for a message whose only fault is a string with invalid UTF-8."""


class _Checks:
    """Checks of one input, including all nested messages."""

    __slots__ = ("_budget", "_done", "_known", "_non_critical", "gogoproto_differs")

    def __init__(self, known: KnownTypes, non_critical: bool, budget: Budget) -> None:
        self._known = known
        self._non_critical = non_critical
        self._budget = budget
        self._done: set[tuple[str, bytes, int]] = set()  # checked Anys, with their depth
        self.gogoproto_differs = False
        """True if gogoproto might decode other numbers or times than protobuf's C core."""

    def below(self, message: Message, raw: bytes, is_canonical: bool, depth: int) -> None:
        """Check the nested messages of a message parsed from `raw`, which is inside `depth` Anys."""
        if not is_canonical:
            self._walk(raw, descriptor_of(type(message)), depth)
        count_listed(message, self._budget)
        for place in any_places(type(message)):
            self._place(message, place, depth, is_canonical)

    def _walk(self, raw: bytes, descriptor: Descriptor, depth: int) -> None:
        """Check every field and every Any, including duplicates that a later one replaces."""
        self._budget.read(len(raw))
        found = reject_unknown_fields(raw, descriptor, non_critical=self._non_critical, budget=self._budget)
        self.gogoproto_differs |= found.gogoproto_differs
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
        """Check the content of an Any: its type in each role, its bytes once.

        `may_recur` is set in messages that are not canonical, where the same Any may be visited twice.
        """
        if depth > MAX_ANY_DEPTH:
            raise TxDecode(f"more than {MAX_ANY_DEPTH} Anys inside each other")
        # guard: executed-messages-have-no-empty-anys {self._budget.is_executed => False}
        #   test_a_state_that_is_given_and_empty_is_an_error
        if not type_url and self._budget.is_executed:
            return
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
                raise TxDecode(f"{type_url[:100]} without {field}").as_panic()
        if may_recur:
            # guard: h60-an-any-is-checked-whenever-it-is-met test_h60_ten_levels_cost_a_walk_of_each_byte
            #   test_h60_an_any_that_is_merged_is_read_once_more_and_what_is_in_it_is_not
            self._done.add((type_url, value, depth))


def check_any(type_url: str, value: bytes, budget: Budget) -> None:
    """Check the content of an Any of any type, including nested Anys.

    Raises:
        TxDecode: the type is unknown, the bytes are refused, or `budget` is exhausted.
    """
    _Checks(BUILTIN, True, budget).any(type_url, value, None, 1, may_recur=False)
