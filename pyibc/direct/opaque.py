"""Opaque packets (ICS-4 `OpaquePacket`), which a module can pass on but neither read nor process.

The object is empty: a table of the handler that created it holds the packet. The handler returns the packet
once it is proven.
"""

from typing import Any, Never, final
from weakref import WeakKeyDictionary

from pyibc.core.packet.types import Packet
from pyibc.direct.errors import InvalidCapability, UnknownOpaquePacket


@final
class OpaquePacket:
    """Packet in opaque form; has no fields and is equal only to itself."""

    __slots__ = ("__weakref__",)

    def __init_subclass__(cls) -> Never:
        raise TypeError("an opaque packet has no subclasses")

    def __reduce_ex__(self, protocol: Any) -> Never:
        raise InvalidCapability("an opaque packet", "it cannot be copied")

    def __repr__(self) -> str:
        return "<opaque packet>"


class OpaquePackets:
    """Table of the packets that one handler made opaque; an entry lives as long as its object."""

    def __init__(self) -> None:
        self._packets: WeakKeyDictionary[OpaquePacket, Packet] = WeakKeyDictionary()

    def to_opaque(self, packet: Packet) -> OpaquePacket:
        """Convert a packet to opaque form."""
        opaque = OpaquePacket()
        self._packets[opaque] = packet
        return opaque

    def to_packet(self, opaque: object) -> Packet:
        """Convert an opaque packet back.

        Raises:
            UnknownOpaquePacket: it is not in this table.
        """
        packet = self._packets.get(opaque) if type(opaque) is OpaquePacket else None
        if packet is None:
            raise UnknownOpaquePacket
        return packet
