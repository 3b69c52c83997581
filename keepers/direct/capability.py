"""Capabilities of this chain's ports and channels (ICS-5 bindPort, authenticate). Not state.

Whether a channel exists or is closed is read from the store; this module only maps names to capability
objects. So every node decides alike, whenever it was started and whichever transactions were reverted.
"""

from weakref import WeakValueDictionary

from ibc_core.application.ports import PortOwner
from ibc_core.direct.capability import Capability, mint, shown
from ibc_core.errors import NotPortOwner
from ibc_core.errors.direct import InvalidCapability
from ibc_core.identifiers import validate_port_id
from keepers.port import PortOwners


class CapabilityKeeper:
    """The one capability of each port and each channel, as long as somebody holds it.

    One that nobody holds any more cannot be presented, so it may be collected and a new one be made.
    """

    def __init__(self, owners: PortOwners) -> None:
        self._owners = owners
        self._ports: WeakValueDictionary[str, Capability] = WeakValueDictionary()
        self._channels: WeakValueDictionary[tuple[str, str], Capability] = WeakValueDictionary()

    def bind_port(self, owner: PortOwner, port_id: str) -> Capability:
        """Binds a port to `owner`, first come, first served; again for its owner: the same capability.

        Raises:
            InvalidIdentifier: the port's name is malformed.
            PortExists: it is another owner's, by name or by a prefix.
            InvalidRoute: the chain runs already, and the port is not bound.
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
        """The capability of a channel, for an owner that has shown its port's.

        Raises:
            InvalidCapability: the channel's identifier is not a plain `str`.
        """
        if type(channel_id) is not str:
            raise InvalidCapability(f"ports/{port_id}", f"a {type(channel_id).__name__} is no name")
        name = (port_id, channel_id)
        held = self._channels.get(name)
        if held is None:
            held = self._channels[name] = mint(f"ports/{port_id}/channels/{channel_id}")
        return held

    def authenticate_port(self, owner: PortOwner, presented: object, port_id: str) -> None:
        """Checks that `owner` bound the port and shows the port's capability.

        Raises:
            NotPortOwner, InvalidCapability.
        """
        self._check_owner(owner, port_id)
        held = self._ports.get(port_id)
        if held is None or held is not presented:
            raise InvalidCapability(f"ports/{port_id}", f"{shown(presented)} was shown")

    def is_port(self, owner: PortOwner, presented: object, port_id: str) -> bool:
        """Whether the presented object is the port's capability, and `owner` its owner."""
        held = self._ports.get(port_id) if self._owners.owns(owner, port_id) else None
        return held is not None and held is presented

    def authenticate_channel(
        self, owner: PortOwner, presented: object, port_id: str, channel_id: str
    ) -> None:
        """Checks that `owner` bound the port and shows the channel's capability.

        A capability that another owner obtained is refused.

        Raises:
            NotPortOwner, InvalidCapability.
        """
        self._check_owner(owner, port_id)
        plain = channel_id if type(channel_id) is str else type(channel_id).__name__
        held = self._channels.get((port_id, plain))
        if held is None or held is not presented:
            raise InvalidCapability(f"ports/{port_id}/channels/{plain[:64]}", f"{shown(presented)} was shown")

    def _check_owner(self, owner: PortOwner, port_id: str) -> None:
        if not self._owners.owns(owner, port_id):
            raise NotPortOwner(port_id if type(port_id) is str else type(port_id).__name__)
