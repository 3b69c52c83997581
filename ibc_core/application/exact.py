"""What applications hand to the module is of exactly the types it should be.

A `str`, `bytes` or `int` of a class of the application's own may hash, compare and encode as it likes, and
differently each time; a bytearray may change when it is in the store. Caches are keyed by such things, and
state is made of them: so they stop here.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ibc_core.address import Address
from ibc_core.coin import Coin
from ibc_core.errors import LogicFault
from ibc_core.height import Height
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import Payload


def refuse(what: str, given: object) -> LogicFault:
    """The error of what is not of its type."""
    return LogicFault(f"an application gave a {type(given).__name__} as {what}")


def check_record(kind: type, **types: type) -> Callable[[object, str], None]:
    """A check of a record: of its class, and of those of its fields."""
    fields, wanted = attrgetter(*types), tuple(types.values())

    def check(given: Any, what: str) -> None:
        if type(given) is not kind:
            raise refuse(what, given)
        if tuple(map(type, fields(given))) != wanted:
            raise LogicFault(f"an application gave fields of other types in {what}")

    return check


_check_packet = check_record(
    Packet,
    sequence=int,
    port_id_on_a=str,
    channel_id_on_a=str,
    port_id_on_b=str,
    channel_id_on_b=str,
    data=bytes,
    timeout_height_on_b=Height,
    timeout_ns_on_b=int,
)
check_payload = check_record(
    Payload, port_id_on_a=str, port_id_on_b=str, version=str, encoding=str, value=bytes
)
"""Raises LogicFault: it is no `Payload` of texts and bytes."""


def check_height(given: Any, what: str) -> None:
    """Raises LogicFault: it is no `Height` of two numbers."""
    if type(given) is not Height:
        raise refuse(what, given)
    number, height = given
    if type(number) is not int or type(height) is not int:
        raise LogicFault(f"an application gave fields of other types in {what}")


def check_packet(given: Any) -> None:
    """Raises LogicFault: it is no `Packet` of numbers, texts, bytes and a height."""
    _check_packet(given, "a packet")
    check_height(given.timeout_height_on_b, "a packet's timeout")


def check_address(given: Address, what: str) -> None:
    """Raises LogicFault: it is no `Address` of bytes and text."""
    if type(given) is not Address or type(given.raw) is not bytes or type(given.text) is not str:
        raise refuse(what, given)


def check_coin(given: Coin) -> None:
    """Raises LogicFault: it is no `Coin`, less than nothing, or has another text than its own."""
    if type(given) is not Coin:
        raise refuse("a coin", given)
    denom, amount, text = given
    if type(denom) is not str or type(amount) is not int or type(text) is not str:
        raise refuse("a part of a coin", given)
    # guard: h81-a-coin-of-less-than-nothing-moves drop:amount test_h81_a_coin_that_lies_moves_nothing
    if amount < 0 or text != f"{amount}{denom}":
        raise LogicFault("an application gave a malformed coin")


def check_types(what: str, *pairs: tuple[object, type]) -> None:
    """Checks arguments, each with the type it must have.

    Raises:
        LogicFault: one is of another type.
    """
    for given, wanted in pairs:
        if type(given) is not wanted:
            raise refuse(what, given)
