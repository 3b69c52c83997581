"""Ports: which application is bound where (ICS-5)."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from ibc_core.errors import InvalidRoute
from ibc_core.identifiers import validate_port_id

_App = TypeVar("_App")


class PortKeeper(Generic[_App]):
    """The applications of this chain, of IBC v1 or of v2; bound at wiring, never later."""

    def __init__(self, apps: Mapping[str, _App]) -> None:
        """Binds each application to its port.

        Raises:
            InvalidIdentifier: a port's name is malformed.
        """
        for port_id in apps:
            validate_port_id(port_id)
        self._apps = dict(apps)

    def route(self, port_id: str) -> _App:
        """The application bound to `port_id`.

        Raises:
            InvalidRoute: none is.
        """
        app = self._apps.get(port_id)
        if app is None:
            raise InvalidRoute(port_id)
        return app

    def bound(self) -> tuple[str, ...]:
        """Every bound port, sorted."""
        return tuple(sorted(self._apps))
