"""How the recorded chains find the application of a port of IBC v1: ibc-go's router, a fact of their host.

ibc-go takes the port's exact name first, then the first of its names, sorted, that is contained anywhere in
the port (modules/core/05-port/types/router.go). Ours knows ports and prefixes (docs/adr/0010).
"""

from typing import Final

from ibc_core.application.classic import BoundApp
from ibc_core.errors import InvalidRoute
from ibc_core.host.shipped import shipped
from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import IbcPlugin
from ibc_module.wiring import wire
from keepers.port import PortKeeper

NAMES: Final = ("icacontroller", "icahost", "mock", "mockblockupgrade", "mockicacontroller", "transfer")
"""What ibc-go's testing application binds, sorted; a port that goes to one we lack goes nowhere."""


class RecordedPorts(PortKeeper[BoundApp]):
    """The applications of a recorded chain, found as ibc-go's router finds them."""

    def __init__(self, bound: PortKeeper[BoundApp]) -> None:
        found = {name: bound.find(name) or bound.find(f"{name}-") for name in NAMES}  # or below a prefix
        super().__init__({name: app for name, app in found.items() if app is not None})
        self.route = self._recorded_route

    def _recorded_route(self, port_id: str) -> BoundApp:
        """The application of `port_id`: of its name, or else of the first name that it contains.

        Raises:
            InvalidRoute: there is none.
        """
        name = port_id if port_id in NAMES else next((each for each in NAMES if each in port_id), None)
        app = None if name is None else self.find(name)
        if app is None:
            raise InvalidRoute(port_id)
        return app


@shipped  # as what it derives from: else each message's depth is counted, and its cost is not that of a chain
class RecordedIbcPlugin(IbcPlugin):
    """IBC whose v1 ports are found as on the recorded chain."""

    @hookimpl
    def chain_wired(self, pipeline: Pipeline) -> None:
        """Builds the module, then has its ports found by the recorded host's rule.

        Raises:
            WiringError: the host is set up wrongly.
        """
        keepers = wire(pipeline, self.config)
        self.keepers = keepers._replace(ports=RecordedPorts(keepers.ports))
        pipeline.wired(self.keepers)
