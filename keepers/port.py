"""Ports: which application is bound where, and which plugin owns what (ICS-5)."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from ibc_core.application.ports import PortKey, PortOwner, PortPrefix, PortTable, validate_port_key
from ibc_core.errors import InvalidRoute, PortExists

_App = TypeVar("_App")


class PortKeeper(PortTable[_App]):
    """The applications of this chain, of IBC v1 or of v2; bound at wiring only."""

    def __init__(self, apps: Mapping[PortKey, _App]) -> None:
        """Binds each application to its port, or to its prefix.

        Raises:
            InvalidIdentifier: a port's name is malformed.
        """
        for key in apps:
            validate_port_key(key)
        super().__init__(apps)
        self.route: Callable[[str], _App] = _Routes(self._by_port, self._below_prefix).__getitem__
        """The application of a port: the one bound to it, or else to a prefix of it.

        Raises:
            InvalidRoute: there is none.
        """


class _Routes(dict[str, _App], Generic[_App]):
    """Applications by port, found as fast as in any dict; the prefixes are asked for what no port has."""

    def __init__(self, by_port: Mapping[str, _App], below_prefix: Callable[[str], _App | None]) -> None:
        super().__init__(by_port)
        self._below_prefix = below_prefix

    def __missing__(self, port_id: str) -> _App:
        app = self._below_prefix(port_id)
        if app is None:
            raise InvalidRoute(port_id)
        return app


class PortOwners:
    """Which plugin owns each port and each prefix: first come, first served, until the chain is wired."""

    def __init__(self) -> None:
        self._by_port: dict[str, PortOwner] = {}
        self._by_prefix: dict[str, PortOwner] = {}
        self._sealed = False

    def claim(self, owner: PortOwner, key: PortKey) -> None:
        """Makes a port or a prefix the owner's; again for its owner: no change.

        Raises:
            InvalidIdentifier: it is malformed.
            PortExists: another claim is in conflict (`conflict` says which).
            InvalidRoute: the chain is wired already.
        """
        validate_port_key(key)
        taken = self._by_prefix if isinstance(key, PortPrefix) else self._by_port
        text = key.text if isinstance(key, PortPrefix) else key
        if taken.get(text) is owner:
            return
        if self.conflict(owner, key) is not None:
            raise PortExists(text)
        if self._sealed:
            raise InvalidRoute(text)
        taken[text] = owner
        owner.add(key)

    def conflict(self, owner: PortOwner, key: PortKey) -> tuple[PortKey, PortOwner] | None:
        """What keeps `owner` from claiming `key`, and whose it is; None: nothing.

        Prefixes never overlap, not even one owner's: which of them a port belongs to would be open. A port
        below a prefix is the prefix's owner's, who may have another application there.
        """
        if isinstance(key, PortPrefix):
            return self._conflict_of_prefix(owner, key.text)
        holder = self._by_port.get(key)
        if holder is not None and holder is not owner:
            return key, holder
        for prefix, holder in self._by_prefix.items():
            if key == prefix or (key.startswith(prefix) and holder is not owner):
                return PortPrefix(prefix), holder
        return None

    def _conflict_of_prefix(self, owner: PortOwner, text: str) -> tuple[PortKey, PortOwner] | None:
        for prefix, holder in self._by_prefix.items():
            if prefix.startswith(text) or text.startswith(prefix):
                return PortPrefix(prefix), holder
        for port_id, holder in self._by_port.items():
            if port_id == text or (port_id.startswith(text) and holder is not owner):
                return port_id, holder
        return None

    def owner_of(self, port_id: str) -> PortOwner | None:
        """The owner of a port, by its name or by a prefix; None: nobody claimed it."""
        found = self._by_port.get(port_id)
        below = (holder for prefix, holder in self._by_prefix.items() if port_id.startswith(prefix))
        return next(below, None) if found is None else found

    def owns(self, owner: PortOwner, port_id: str) -> bool:
        """Whether the port is claimed by `owner`. A `str` of a class that lies about itself is not."""
        return type(port_id) is str and self.owner_of(port_id) is owner

    def seal(self) -> tuple[PortKey, ...]:
        """Ends the claiming; returns the ports, sorted, and then the prefixes, sorted."""
        self._sealed = True
        return (*sorted(self._by_port), *map(PortPrefix, sorted(self._by_prefix)))
