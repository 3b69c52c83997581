"""The plugin of ICS-4's first version: direct calls, chosen identifiers, cleanup (docs/adr/0013)."""

from collections.abc import Mapping

from handlers.direct.dispatch import HANDLERS_DIRECT
from handlers.direct.handler import ModuleHandler
from handlers.dispatch import routes
from handlers.keepers_ref import KeepersRef
from ibc_core.application.classic import BoundApp
from ibc_core.application.ports import PortOwner
from ibc_core.direct.calls import DirectHandler
from ibc_core.direct.module import DIRECT_MODULE
from ibc_core.host.routes import MessageRoute
from ibc_core.host.shipped import shipped
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import DirectCalls
from keepers.direct.capability import CapabilityKeeper
from keepers.keepers import Keepers
from keepers.port import PortOwners

__all__ = ["DirectPlugin"]


class CapabilityCalls(DirectCalls):
    """Direct calls of one chain's modules, each with the capabilities of its own ports."""

    def __init__(self, keepers: KeepersRef[Keepers], owners: PortOwners) -> None:
        self._keepers = keepers
        self._capabilities = CapabilityKeeper(owners)

    def handler(self, owner: PortOwner) -> DirectHandler:
        """The direct calls of one plugin."""
        return ModuleHandler(self._keepers, self._capabilities, owner)

    def application(self) -> BoundApp:
        """Refuses every callback."""
        return DIRECT_MODULE


@shipped
class DirectPlugin:
    """`Services.direct`, and the messages of `pyibc.connection.v1` and `pyibc.channel.v1`; has no state.

    A host lists it beside `ibc_module.plugin.plugins(config)`.
    """

    _keepers = AtWiring[Keepers]()

    @hookimpl
    def ibc_direct_calls(self, keepers: KeepersRef[Keepers], owners: PortOwners) -> DirectCalls:
        """Handlers that compare capabilities."""
        return CapabilityCalls(keepers, owners)

    @hookimpl
    def ibc_wired(self, keepers: Keepers) -> None:
        """Takes the keepers that the messages act on."""
        self._keepers = keepers

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Routes to the standard handlers, for ends of any name.

        Raises:
            WiringError: the IBC plugin is not listed.
        """
        return routes(self._keepers, HANDLERS_DIRECT)
