"""Ports by name and by prefix: who owns one, and what is registered for it (ICS-5).

A prefix stands for every port below it, as `icacontroller-` does for the ports of interchain accounts. What
is registered for a port itself goes before what its prefix has; prefixes do not overlap, so at most one
matches (as ibc-go's router, modules/core/api/router.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ibc_core.identifiers import validate_port_id

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PortPrefix:
    """Every port whose identifier begins with `text`."""

    text: str

    def __str__(self) -> str:
        return f"{self.text}*"


PortKey = str | PortPrefix
"""A port's identifier, or a prefix of many."""


def validate_port_key(key: PortKey) -> None:
    """Checks a port's identifier or a prefix: a prefix is a port identifier itself (ICS-24).

    Raises:
        InvalidIdentifier: it is malformed.
    """
    validate_port_id(key.text if isinstance(key, PortPrefix) else key)


class PortOwner:
    """One plugin as the owner of its ports. Whoever holds the object acts for them.

    Middleware is the owner of the one port, or the one prefix, that it is declared for.
    """

    __slots__ = ("_ports", "_prefixes", "name")

    def __init__(self, name: str, *keys: PortKey) -> None:
        """`name`: the plugin's, for people."""
        self.name = name
        self._ports: set[str] = set()
        self._prefixes: tuple[str, ...] = ()
        for key in keys:
            self.add(key)

    def add(self, key: PortKey) -> None:
        """Makes the port, or every port of the prefix, its own."""
        if isinstance(key, PortPrefix):
            self._prefixes = (*self._prefixes, key.text)
        else:
            self._ports.add(key)

    def holds(self, port_id: str) -> bool:
        """Whether the port is one of its own. A `str` of a class that lies about itself is not."""
        return type(port_id) is str and (port_id in self._ports or port_id.startswith(self._prefixes))


class PortTable(Generic[_T]):
    """What is registered for ports and for prefixes; complete when it is made."""

    def __init__(self, entries: Mapping[PortKey, _T]) -> None:
        """Prefixes must not overlap: whoever makes the table has checked it."""
        self._by_port = {key: entry for key, entry in entries.items() if not isinstance(key, PortPrefix)}
        self._by_prefix = [(key.text, entry) for key, entry in entries.items() if isinstance(key, PortPrefix)]

    def find(self, port_id: str) -> _T | None:
        """What is registered for the port, or else for a prefix of it; None: nothing."""
        found = self._by_port.get(port_id)
        return self._below_prefix(port_id) if found is None else found

    def _below_prefix(self, port_id: str) -> _T | None:
        for prefix, entry in self._by_prefix:
            if port_id.startswith(prefix):
                return entry
        return None
