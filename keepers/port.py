"""Ports: which application is bound where (ICS-5)."""

from collections.abc import Mapping

from ibc_module.core.application import IbcApp
from ibc_module.core.identifiers import validate_port_id
from ibc_module.errors import InvalidRoute


class PortKeeper:
    """The applications of this chain; bound at wiring, never later."""

    def __init__(self, apps: Mapping[str, IbcApp]) -> None:
        """Binds each application to its port.

        Raises:
            InvalidIdentifier: a port's name is malformed.
        """
        for port_id in apps:
            validate_port_id(port_id)
        self._apps = dict(apps)

    def route(self, port_id: str) -> IbcApp:
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
