"""`OpaquePacket` (ICS-4): a packet that a module can pass on, and neither read nor act on.

The object is empty: the packet stands in a table of the handler that made it opaque. What a module can do
with it is to hand it to that handler, which gives the packet back once it is proven.
"""

from typing import Any, Never, final
from weakref import WeakKeyDictionary

from ibc_core.errors.direct import InvalidCapability, UnknownOpaquePacket
from ibc_core.packet.types import Packet


@final
class OpaquePacket:
    """A packet in opaque form. Equal to itself alone; has no fields."""

    __slots__ = ("__weakref__",)

    def __init_subclass__(cls) -> Never:
        raise TypeError("an opaque packet has no subclasses")

    def __reduce_ex__(self, protocol: Any) -> Never:
        raise InvalidCapability("an opaque packet", "it cannot be copied")

    def __repr__(self) -> str:
        return "<opaque packet>"


class OpaquePackets:
    """One handler's table of the packets that it made opaque; an entry lasts as long as its object does."""

    def __init__(self) -> None:
        self._packets: WeakKeyDictionary[OpaquePacket, Packet] = WeakKeyDictionary()

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Packet -> OpaquePacket."""
        opaque = OpaquePacket()
        self._packets[opaque] = packet
        return opaque

    def to_packet(self, opaque: object) -> Packet:
        """OpaquePacket -> Packet.

        Raises:
            UnknownOpaquePacket: it is not of this table.
        """
        packet = self._packets.get(opaque) if type(opaque) is OpaquePacket else None
        if packet is None:
            raise UnknownOpaquePacket
        return packet
