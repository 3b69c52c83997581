"""Object capabilities (ICS-5, ICS-4), which authorize a module to act for a port or channel.

A capability is authorized by its object identity: its keeper compares with `is`, so a copied or rebuilt one
is invalid. Capabilities are not state: after a restart a node creates new ones, and applications request them
again.
"""

from typing import Any, Never, final
from weakref import WeakKeyDictionary, WeakValueDictionary

from keepers.port import PortOwners
from pyibc.core.application.services import PortOwner
from pyibc.core.errors import NotPortOwner
from pyibc.core.identifiers import validate_port_id
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


@final
class Capability:
    """Authority over one port, or over one channel of it; only a keeper creates valid ones."""

    __slots__ = ("__weakref__", "_name")

    def __new__(cls) -> "Capability":
        """Refuse to create a capability directly.

        Raises:
            InvalidCapability: always; keepers use `mint`.
        """
        raise InvalidCapability("anything", "only a keeper creates capabilities")

    def __init_subclass__(cls) -> Never:
        raise TypeError("a capability has no subclasses")

    def __setattr__(self, name: str, value: Any) -> Never:
        raise InvalidCapability(shown(self), "it cannot be changed")

    def __delattr__(self, name: str) -> Never:
        raise InvalidCapability(shown(self), "it cannot be changed")

    def __reduce_ex__(self, protocol: Any) -> Never:
        raise InvalidCapability(shown(self), "it cannot be copied")

    def __repr__(self) -> str:
        return f"<capability {shown(self)}>"


def mint(name: str) -> Capability:
    """Create a capability; `name` is for error messages."""
    made = object.__new__(Capability)
    object.__setattr__(made, "_name", name)
    return made


def shown(presented: object) -> str:
    """Return a capability's name, or another object's type name, for error messages."""
    name = getattr(presented, "_name", None) if type(presented) is Capability else None
    return name if type(name) is str else type(presented).__name__


# -- capabilities of this chain's ports and channels (ICS-5 bindPort, authenticate). Not state
#
# Existence and state of a channel are read from the store; this module only maps names to capability
# objects. So all nodes decide alike, regardless of restarts and reverted transactions.


class CapabilityKeeper:
    """Capabilities of ports and channels, one each, as long as a reference exists.

    A capability without references cannot be presented, so it may be collected and replaced by a new one.
    """

    def __init__(self, owners: PortOwners) -> None:
        self._owners = owners
        self._ports: WeakValueDictionary[str, Capability] = WeakValueDictionary()
        self._channels: WeakValueDictionary[tuple[str, str], Capability] = WeakValueDictionary()

    def bind_port(self, owner: PortOwner, port_id: str) -> Capability:
        """Bind a port to `owner`; return the same capability again for its owner.

        Raises:
            InvalidIdentifier: the port identifier is malformed.
            PortExists: another owner has it, by name or by prefix.
            InvalidRoute: the chain is running, and the port is not bound.
        """
        if type(port_id) is not str:
            raise NotPortOwner(type(port_id).__name__)
        validate_port_id(port_id)
        if not self._owners.owns(owner, port_id):
            self._owners.claim(owner, port_id)
        held = self._ports.get(port_id)
        if held is None:
            held = self._ports[port_id] = mint(f"ports/{port_id}")
        return held

    def channel(self, port_id: str, channel_id: str) -> Capability:
        """Return the capability of a channel; the caller must have presented the port's.

        Raises:
            InvalidCapability: the channel identifier is not a plain `str`.
        """
        if type(channel_id) is not str:
            raise InvalidCapability(f"ports/{port_id}", f"a {type(channel_id).__name__} is not an identifier")
        name = (port_id, channel_id)
        held = self._channels.get(name)
        if held is None:
            held = self._channels[name] = mint(f"ports/{port_id}/channels/{channel_id}")
        return held

    def authenticate_port(self, owner: PortOwner, presented: object, port_id: str) -> None:
        """Check that `owner` bound the port and presents the port's capability.

        Raises:
            NotPortOwner: another owner bound the port, or none.
            InvalidCapability: the object presented is not the port's capability.
        """
        self._check_owner(owner, port_id)
        held = self._ports.get(port_id)
        if held is None or held is not presented:
            raise InvalidCapability(f"ports/{port_id}", f"{shown(presented)} was presented")

    def is_port(self, owner: PortOwner, presented: object, port_id: str) -> bool:
        """Return whether `owner` bound the port and presents its capability."""
        held = self._ports.get(port_id) if self._owners.owns(owner, port_id) else None
        return held is not None and held is presented

    def authenticate_channel(
        self, owner: PortOwner, presented: object, port_id: str, channel_id: str
    ) -> None:
        """Check that `owner` bound the port and presents the channel's capability.

        A capability obtained by another owner is refused.

        Raises:
            NotPortOwner: another owner bound the port, or none.
            InvalidCapability: the object presented is not the channel's capability.
        """
        self._check_owner(owner, port_id)
        plain = channel_id if type(channel_id) is str else type(channel_id).__name__
        held = self._channels.get((port_id, plain))
        if held is None or held is not presented:
            raise InvalidCapability(
                f"ports/{port_id}/channels/{plain[:64]}", f"{shown(presented)} was presented"
            )

    def _check_owner(self, owner: PortOwner, port_id: str) -> None:
        if not self._owners.owns(owner, port_id):
            raise NotPortOwner(port_id if type(port_id) is str else type(port_id).__name__)
