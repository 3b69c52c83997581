"""Type checks of direct calls' arguments, which must have exactly the declared types.

A subclass of `str` or `Height` could compare differently in a check and in the store key, and could corrupt
caches keyed by arguments.
"""

from typing import Any

from pyibc.core.channel.types import ChannelCounterparty, Order
from pyibc.core.errors import InvalidRequest
from pyibc.core.height import Height
from pyibc.core.numbers import u64
from pyibc.core.packet.types import Packet
from pyibc.direct.calls import DirectOpening

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
    """Check that all values have exactly this type, not a subclass.

    Raises:
        InvalidRequest: one has another type.
    """
    for value in values:
        if type(value) is not kind:
            raise InvalidRequest(f"a {type(value).__name__} is not a plain {kind.__name__}")


def height(at: Height) -> None:
    """Check a height.

    Raises:
        InvalidRequest: it is not a height, or a number is outside 64 bits.
    """
    require(Height, at)
    for part in at:
        require(int, part)
        u64(part, "height")


def proven(proof: bytes, at: Height) -> None:
    """Check the types of a proof and its height.

    Raises:
        InvalidRequest: the proof is not bytes, or the height not a Height.
    """
    require(bytes, proof)
    height(at)


def opening(request: DirectOpening) -> None:
    """Check the types of the parameters of a channel to open.

    Raises:
        InvalidRequest: a field has another type.
    """
    require(DirectOpening, request)
    require(ChannelCounterparty, request.counterparty)
    require(Order, request.order)
    require(tuple, request.connection_hops)
    other = request.counterparty
    require(str, request.port_id, request.channel_id, request.version, other.port_id, other.channel_id)
    require(str, *request.connection_hops)


def packet(given: Packet) -> None:
    """Check a packet.

    Raises:
        InvalidRequest: a field has another type, or a number is outside 64 bits.
        InvalidPacket, InvalidIdentifier: the packet is malformed.
    """
    for name, kind in _PACKET.items():
        require(kind, getattr(given, name))
    height(given.timeout_height_on_b)
    u64(given.sequence, "sequence")
    u64(given.timeout_ns_on_b, "timeout_ns")
    given.validate_basic()
