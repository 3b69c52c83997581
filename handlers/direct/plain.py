"""The arguments of a direct call must be of exactly their types.

An instance of a module's own subclass of `str` or `Height` could behave differently when it is checked and
when the store key is built, and would corrupt caches that are keyed by arguments.
"""

from typing import Any

from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.direct.calls import Opening
from ibc_core.errors import InvalidRequest
from ibc_core.height import Height
from ibc_core.numbers import u64
from ibc_core.packet.types import Packet

_PACKET = {
    "sequence": int,
    "port_id_on_a": str,
    "channel_id_on_a": str,
    "port_id_on_b": str,
    "channel_id_on_b": str,
    "data": bytes,
    "timeout_height_on_b": Height,
    "timeout_ns_on_b": int,
}


def require(kind: type[Any], *values: object) -> None:
    """Checks that all values are of exactly that type, not of a subclass.

    Raises:
        InvalidRequest: one is not.
    """
    for value in values:
        if type(value) is not kind:
            raise InvalidRequest(f"a {type(value).__name__} is not a plain {kind.__name__}")


def height(at: Height) -> None:
    """Checks a height.

    Raises:
        InvalidRequest: not a height, or outside 64 bits.
    """
    require(Height, at)
    for part in at:
        require(int, part)
        u64(part, "height")


def proven(proof: bytes, at: Height) -> None:
    """Checks the form of a proof and of its height.

    Raises:
        InvalidRequest: not bytes, or no height.
    """
    require(bytes, proof)
    height(at)


def opening(asked: Opening) -> None:
    """Checks the types of a channel to open.

    Raises:
        InvalidRequest: a field is not of its type.
    """
    require(Opening, asked)
    require(ChannelCounterparty, asked.counterparty)
    require(Order, asked.order)
    require(tuple, asked.connection_hops)
    far = asked.counterparty
    require(str, asked.port_id, asked.channel_id, asked.version, far.port_id, far.channel_id)
    require(str, *asked.connection_hops)


def packet(given: Packet) -> None:
    """Checks a packet.

    Raises:
        InvalidRequest: a field is not of its type, or does not fit the wire.
        InvalidPacket, InvalidIdentifier: malformed.
    """
    for name, kind in _PACKET.items():
        require(kind, getattr(given, name))
    height(given.timeout_height_on_b)
    u64(given.sequence, "sequence")
    u64(given.timeout_ns_on_b, "timeout_ns")
    given.validate_basic()
