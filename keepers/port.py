"""Bindings of applications to ports, and ownership of ports by plugins (ICS-5)."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from pyibc.core.application.services import PortKey, PortOwner, PortPrefix, PortTable, validate_port_key
from pyibc.core.errors import InvalidRoute, PortExists

_App = TypeVar("_App")


class PortKeeper(PortTable[_App]):
    """The applications of this chain by port, of IBC v1 or v2; immutable after wiring."""

    def __init__(self, apps: Mapping[PortKey, _App]) -> None:
        """Bind each application to its port, or to its prefix.

        Raises:
            InvalidIdentifier: a port identifier is malformed.
        """
        for key in apps:
            validate_port_key(key)
        super().__init__(apps)
        self.route: Callable[[str], _App] = _Routes(self._by_port, self._below_prefix).__getitem__
        """Application by port: the one bound to the port, or else to its prefix.

        Raises:
            InvalidRoute: no application is bound.
        """


class _Routes(dict[str, _App], Generic[_App]):
    """Dict of applications by port, which falls back to prefixes."""

    def __init__(self, by_port: Mapping[str, _App], below_prefix: Callable[[str], _App | None]) -> None:
        super().__init__(by_port)
        self._below_prefix = below_prefix

    def __missing__(self, port_id: str) -> _App:
        app = self._below_prefix(port_id)
        if app is None:
            raise InvalidRoute(port_id)
        return app


class PortOwners:
    """Owners of ports and prefixes, claimed first come, first served until the chain is wired."""

    def __init__(self) -> None:
        self._by_port: dict[str, PortOwner] = {}
        self._by_prefix: dict[str, PortOwner] = {}
        self._sealed = False

    def claim(self, owner: PortOwner, key: PortKey) -> None:
        """Claim a port or a prefix for an owner; repeating a claim has no effect.

        Raises:
            InvalidIdentifier: the port or prefix is malformed.
            PortExists: the claim conflicts with another one (see `conflict`).
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
        """Return the claim that conflicts with one of `key` by `owner`, and its owner; None if there is none.

        Prefixes must not overlap, even those of one owner, as the prefix of a port would be ambiguous. A
        port below a prefix belongs to the prefix's owner, which may bind another application to it.
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
        """Return the owner of a port or of its prefix; None if it is not claimed."""
        found = self._by_port.get(port_id)
        below = (holder for prefix, holder in self._by_prefix.items() if port_id.startswith(prefix))
        return next(below, None) if found is None else found

    def owns(self, owner: PortOwner, port_id: str) -> bool:
        """Return whether `owner` has claimed the port; False for a subclass of `str`, which might lie."""
        return type(port_id) is str and self.owner_of(port_id) is owner

    def seal(self) -> tuple[PortKey, ...]:
        """Disallow further claims, and return the ports, sorted, followed by the prefixes, sorted."""
        self._sealed = True
        return (*sorted(self._by_port), *map(PortPrefix, sorted(self._by_prefix)))
