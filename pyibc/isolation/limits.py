"""Limits of sizes and types of what applications return and emit, the same on every chain.

Gas limits what an application writes to the store; these limit what it returns and emits.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from pyibc.core.address import Address
from pyibc.core.coin import Coin
from pyibc.core.errors import InvalidEvent, LogicFault, TooLarge
from pyibc.core.height import Height
from pyibc.core.host.block import Event
from pyibc.core.host.overlay import BlockContext
from pyibc.core.numbers import MAX_U64, MAX_U256

MAX_ACKNOWLEDGEMENT = 262_144
"""Bytes of an acknowledgement or a queue's result, as of packet data: a transaction has to hold it."""
MAX_VERSION = 65_536
"""Bytes of a channel's version: it is stored, and a transaction of the other chain has to hold it."""
MAX_RESPONSE = 1_048_576
"""Bytes of the response to one message, and of all responses of a transaction."""
MAX_EVENTS = 50_000
"""Events of one message."""
MAX_EVENT_BYTES = 16_777_216
"""Bytes of one message's events, keys and types included."""
MAX_CONTRACT_EVENTS = 1_000
"""Events of one call of a contract, less than its message may emit."""
MAX_CONTRACT_EVENT_BYTES = 262_144
"""Bytes of the events of one call of a contract."""


def check_size(what: str, size: int, limit: int) -> None:
    """Check the size of a value that an application returned.

    Raises:
        TooLarge: it exceeds `limit`.
    """
    if size > limit:
        raise TooLarge(what, size, limit)


def check_events(events: Sequence[object], most: int = MAX_EVENTS, most_bytes: int = MAX_EVENT_BYTES) -> int:
    """Check the events of one message; return their size in bytes of UTF-8.

    Raises:
        InvalidEvent: see `event_size`.
        TooLarge: there are more than `most`, or more than `most_bytes` in them.
    """
    check_size("events", len(events), most)
    size = sum([event_size(event) for event in events])
    check_size("events' text", size, most_bytes)
    return size


def size_of_events(events: Iterable[Event]) -> int:
    """Return the bytes of events that are known to be well formed, in UTF-8."""
    size = 0
    for kind, attributes in events:
        size += len(kind)
        for key, value in attributes:
            size += len(key) + (len(value) if value.isascii() else len(value.encode()))
    return size


def bounded_events(call: Callable[..., None], most: int, most_bytes: int) -> Callable[..., None]:
    """Return `call`, whose first argument is a context, with the events checked that it emits.

    Raises:
        InvalidEvent, TooLarge: by the call, see `check_events`.
    """

    def within(ctx: Any, *given: Any) -> None:
        if not isinstance(ctx, BlockContext):  # a scoped context checks each event
            return call(ctx, *given)
        before = len(ctx.events)
        call(ctx, *given)
        check_events(ctx.events[before:], most, most_bytes)
        return None

    return within


def event_size(event: object) -> int:
    """Check one event `(type, ((key, value), ...))`; return its size in bytes of UTF-8.

    Raises:
        InvalidEvent: it or a part of it has another type, or a text is not valid Unicode.
    """
    kind, attributes = _pair(event)
    if type(attributes) is not tuple:
        raise InvalidEvent(type(attributes).__name__)
    size = _length(kind)
    for attribute in attributes:
        key, value = _pair(attribute)
        size += _length(key) + _length(value)
    return size


def _pair(found: object) -> tuple[object, object]:
    if type(found) is not tuple:
        raise InvalidEvent(type(found).__name__)
    if len(found) != 2:
        raise InvalidEvent(f"a tuple of {len(found)}")
    return found


def _length(text: object) -> int:
    if type(text) is not str:
        raise InvalidEvent(type(text).__name__)
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise InvalidEvent("half of a character") from None


def refuse(what: str, given: object) -> LogicFault:
    """Return the error for a value of a wrong type; `what` describes the argument."""
    return LogicFault(f"an application gave a {type(given).__name__} as {what}")


def check_record(kind: type, **types: type) -> Callable[[object, str], None]:
    """Return a check of a record's class and of the types of its fields."""
    fields, wanted = attrgetter(*types), tuple(types.values())

    def check(given: Any, what: str) -> None:
        if type(given) is not kind:
            raise refuse(what, given)
        if tuple(map(type, fields(given))) != wanted:
            raise LogicFault(f"an application gave fields of other types in {what}")

    return check


_check_height = check_record(Height, revision_number=int, revision_height=int)


def check_height(given: Any, what: str) -> None:
    """Raise LogicFault unless the value is a `Height` of two 64-bit numbers."""
    _check_height(given, what)
    # guard: h244-heights-of-any-size drop test_h244_numbers_that_no_field_holds_are_refused
    check_u64(what, *given)


def check_address(given: Address, what: str) -> None:
    """Raise LogicFault unless the value is an `Address` of bytes and str."""
    if type(given) is not Address or type(given.raw) is not bytes or type(given.text) is not str:
        raise refuse(what, given)


def check_coin(given: Coin, what: str) -> None:
    """Raise LogicFault unless the value is a `Coin` with a valid amount and its own text."""
    if type(given) is not Coin:
        raise refuse(what, given)
    denom, amount, text = given
    if type(denom) is not str or type(amount) is not int or type(text) is not str:
        raise LogicFault(f"an application gave fields of other types in {what}")
    # guard: h244-coins-of-any-amount {amount > MAX_U256 => False} test_h244_coins_of_more_than_256_bits
    if amount > MAX_U256:
        raise LogicFault("an application gave a coin of more than 256 bits")
    # guard: h81-a-coin-of-less-than-nothing-moves drop:amount test_h81_a_coin_that_lies_moves_nothing
    if amount < 0 or text != f"{amount}{denom}":
        raise LogicFault("an application gave a malformed coin")


def check_u64(what: str, *numbers: int) -> None:
    """Check that numbers fit the unsigned 64 bits that they have on the wire and in store keys.

    Raises:
        LogicFault: one does not.
    """
    for number in numbers:
        if not 0 <= number <= MAX_U64:
            raise LogicFault(f"an application gave a number outside 0..2^64-1 in {what}")


def check_types(what: str, *pairs: tuple[object, type]) -> None:
    """Check arguments, each with the type it must have.

    Raises:
        LogicFault: one is of another type.
    """
    for given, wanted in pairs:
        if type(given) is not wanted:
            raise refuse(what, given)
