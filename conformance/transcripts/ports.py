"""Port routing of the recorded chains, by the rule of ibc-go's IBC v1 router.

ibc-go looks up the port's exact name first, then the first of its names, in sorted order, that is contained
anywhere in the port (modules/core/05-port/types/router.go). Our router knows ports and prefixes
(docs/adr/0010).
"""

from typing import Final

from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import IbcPlugin
from ibc_module.wiring import wire
from keepers.port import PortKeeper
from pyibc.core.application.classic import BoundApp
from pyibc.core.errors import InvalidRoute
from pyibc.isolation.isolate import builtin

NAMES: Final = ("icacontroller", "icahost", "mock", "mockblockupgrade", "mockicacontroller", "transfer")
"""Names bound by ibc-go's testing application, sorted; ports of applications that we lack have no route."""


class RecordedPorts(PortKeeper[BoundApp]):
    """Applications of a recorded chain, looked up by the rule of ibc-go's router."""

    def __init__(self, bound: PortKeeper[BoundApp]) -> None:
        found = {name: bound.find(name) or bound.find(f"{name}-") for name in NAMES}  # or below a prefix
        super().__init__({name: app for name, app in found.items() if app is not None})
        self.route = self._recorded_route

    def _recorded_route(self, port_id: str) -> BoundApp:
        """Return the application of `port_id`: by exact name, or by the first name that it contains.

        Raises:
            InvalidRoute: there is none.
        """
        name = port_id if port_id in NAMES else next((each for each in NAMES if each in port_id), None)
        app = None if name is None else self.find(name)
        if app is None:
            raise InvalidRoute(port_id)
        return app


@builtin  # a subclass: otherwise each message's depth is counted, and its cost differs from that of a chain
class RecordedIbcPlugin(IbcPlugin):
    """IBC plugin with the recorded chain's port routing for v1."""

    @hookimpl
    def chain_wired(self, pipeline: Pipeline) -> None:
        """Build the module, then replace its port routing.

        Raises:
            WiringError: the host's setup is wrong.
        """
        keepers = wire(pipeline, self.config)
        self.keepers = keepers._replace(ports=RecordedPorts(keepers.ports))
        pipeline.wired(self.keepers)
