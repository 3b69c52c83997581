"""Capabilities of this chain's ports and channels (ICS-5 bindPort, authenticate). Not state.

What exists and what is closed is read from the store by whoever asks; here is only which object stands for
which name. So every node decides alike, whenever it was started and whatever transactions were undone.
"""

from weakref import WeakValueDictionary

from ibc_core.direct.capability import Capability, Owner, mint, shown
from ibc_core.errors import InvalidCapability, InvalidRoute, NotPortOwner, PortExists
from ibc_core.identifiers import validate_port_id


class CapabilityKeeper:
    """Who owns each port, and the one capability of each name that is in anybody's hands."""

    def __init__(self) -> None:
        self._owners: dict[str, Owner] = {}
        self._ports: dict[str, Capability] = {}
        # One that nobody holds any more cannot be presented: it may go, and a new one be made.
        self._channels: WeakValueDictionary[tuple[str, str], Capability] = WeakValueDictionary()
        self._sealed = False

    def bind_port(self, owner: Owner, port_id: str) -> Capability:
        """Binds a port to `owner`, first come, first served; again for its owner: the same capability.

        Raises:
            InvalidIdentifier: the port's name is malformed.
            PortExists: another owner bound it.
            InvalidRoute: the chain runs already, and nobody bound it in time.
        """
        if type(port_id) is not str:
            raise NotPortOwner(type(port_id).__name__)
        validate_port_id(port_id)
        holder = self._owners.get(port_id)
        if holder is None:
            if self._sealed:
                raise InvalidRoute(port_id)
            self._owners[port_id] = owner
            self._ports[port_id] = mint(f"ports/{port_id}")
            owner.ports.add(port_id)
        elif holder is not owner:
            raise PortExists(port_id)
        return self._ports[port_id]

    def seal(self) -> tuple[str, ...]:
        """Ends the binding of ports; returns those that are bound, sorted."""
        self._sealed = True
        return tuple(sorted(self._owners))

    def channel(self, port_id: str, channel_id: str) -> Capability:
        """The capability of a channel, for an owner that has shown its port's.

        Raises:
            InvalidCapability: the channel's name is no plain text.
        """
        if type(channel_id) is not str:
            raise InvalidCapability(f"ports/{port_id}", f"a {type(channel_id).__name__} is no name")
        name = (port_id, channel_id)
        held = self._channels.get(name)
        if held is None:
            held = self._channels[name] = mint(f"ports/{port_id}/channels/{channel_id}")
        return held

    def authenticate_port(self, owner: Owner, presented: object, port_id: str) -> None:
        """Checks that `owner` bound the port and shows the port's capability.

        Raises:
            NotPortOwner, InvalidCapability.
        """
        self._check_owner(owner, port_id)
        if self._ports[port_id] is not presented:
            raise InvalidCapability(f"ports/{port_id}", f"{shown(presented)} was shown")

    def is_port(self, owner: Owner, presented: object, port_id: str) -> bool:
        """Whether what is shown is the port's capability, in its owner's hands."""
        held = self._ports.get(port_id) if owner.holds(port_id) else None
        return held is not None and held is presented and self._owners[port_id] is owner

    def authenticate_channel(self, owner: Owner, presented: object, port_id: str, channel_id: str) -> None:
        """Checks that `owner` bound the port and shows the channel's capability.

        A capability that came into another owner's hands is worth nothing there.

        Raises:
            NotPortOwner, InvalidCapability.
        """
        self._check_owner(owner, port_id)
        plain = channel_id if type(channel_id) is str else type(channel_id).__name__
        held = self._channels.get((port_id, plain))
        if held is None or held is not presented:
            raise InvalidCapability(f"ports/{port_id}/channels/{plain[:64]}", f"{shown(presented)} was shown")

    def _check_owner(self, owner: Owner, port_id: str) -> None:
        if not owner.holds(port_id) or self._owners.get(port_id) is not owner:
            raise NotPortOwner(port_id if type(port_id) is str else type(port_id).__name__)
