"""Checks of values that applications hand to the module: exact types, and numbers that fit their fields.

State and the keys of caches are made of these values. A bytearray could change in the store, a float differs
by machine, and a bool or a subclass of `str` may be encoded differently.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from pyibc.core.address import Address
from pyibc.core.coin import Coin
from pyibc.core.errors import LogicFault
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_U64, MAX_U256


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
