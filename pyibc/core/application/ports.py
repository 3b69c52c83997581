"""Port ownership and routing, by port identifier and by prefix (ICS-5).

A prefix matches every port that begins with it, as `icacontroller-` does for interchain accounts. An entry
for a port identifier takes precedence over its prefix. Prefixes do not overlap, so at most one matches (as
in ibc-go's router, modules/core/api/router.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pyibc.core.identifiers import validate_port_id

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PortPrefix:
    """Every port whose identifier begins with `text`."""

    text: str

    def __str__(self) -> str:
        return f"{self.text}*"


PortKey = str | PortPrefix
"""A port identifier or a prefix of port identifiers."""


def validate_port_key(key: PortKey) -> None:
    """Check a port identifier or a prefix, which must be a valid port identifier itself (ICS-24).

    Raises:
        InvalidIdentifier: the identifier or prefix is malformed.
    """
    validate_port_id(key.text if isinstance(key, PortPrefix) else key)


class PortOwner:
    """Capability of one plugin for its ports: code with this object acts for them.

    A middleware owns the port or prefix that it is registered for.
    """

    __slots__ = ("_ports", "_prefixes", "name")

    def __init__(self, name: str, *keys: PortKey) -> None:
        """Create the owner of `keys`; `name` is the plugin's, for error messages."""
        self.name = name
        self._ports: set[str] = set()
        self._prefixes: tuple[str, ...] = ()
        for key in keys:
            self.add(key)

    def add(self, key: PortKey) -> None:
        """Add a port, or all ports of a prefix."""
        if isinstance(key, PortPrefix):
            self._prefixes = (*self._prefixes, key.text)
        else:
            self._ports.add(key)

    def holds(self, port_id: str) -> bool:
        """Return whether the owner has the port; False for a subclass of `str`, which might lie."""
        return type(port_id) is str and (port_id in self._ports or port_id.startswith(self._prefixes))


class PortTable(Generic[_T]):
    """Immutable table of entries by port identifier and by prefix."""

    def __init__(self, entries: Mapping[PortKey, _T]) -> None:
        """Create the table; the caller has checked that prefixes do not overlap."""
        self._by_port = {key: entry for key, entry in entries.items() if not isinstance(key, PortPrefix)}
        self._by_prefix = [(key.text, entry) for key, entry in entries.items() if isinstance(key, PortPrefix)]

    def find(self, port_id: str) -> _T | None:
        """Return the entry of the port, or else of its prefix; None if there is neither."""
        found = self._by_port.get(port_id)
        return self._below_prefix(port_id) if found is None else found

    def _below_prefix(self, port_id: str) -> _T | None:
        for prefix, entry in self._by_prefix:
            if port_id.startswith(prefix):
                return entry
        return None
