"""Plugin of ICS-4's first text: direct calls, chosen identifiers, cleanup (docs/adr/0013)."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Never

from handlers.dispatch import routes
from handlers.keepers_ref import KeepersRef
from ibc_module import hookimpl
from ibc_module.hookspecs import DirectCalls
from ibc_module.registration import AtWiring
from keepers.keepers import Keepers
from keepers.port import PortOwners
from pyibc.core.application.classic import BoundApp
from pyibc.core.application.services import PortOwner
from pyibc.core.host.context import MessageRoute
from pyibc.direct.capability import CapabilityKeeper
from pyibc.direct.errors import DirectCallsOnly
from pyibc.direct.handlers.handler import HANDLERS_DIRECT, DirectHandler
from pyibc.isolation.isolate import builtin

__all__ = ["DirectPlugin"]


def _refusing(callback: str) -> Callable[..., Never]:
    def refuse(*_: Any) -> Never:
        raise DirectCallsOnly(callback)

    return refuse


DIRECT_MODULE: Final = BoundApp(
    on_chan_open_init=_refusing("on_chan_open_init"),
    on_chan_open_try=_refusing("on_chan_open_try"),
    on_chan_open_ack=_refusing("on_chan_open_ack"),
    on_chan_open_confirm=_refusing("on_chan_open_confirm"),
    on_chan_close_init=_refusing("on_chan_close_init"),
    on_chan_close_confirm=_refusing("on_chan_close_confirm"),
    on_recv_packet=_refusing("on_recv_packet"),
    on_acknowledgement_packet=_refusing("on_acknowledgement_packet"),
    on_timeout_packet=_refusing("on_timeout_packet"),
)
"""Application of ports without routed messages: raises `DirectCallsOnly` in every callback."""


class CapabilityCalls(DirectCalls):
    """Factory of direct handlers, each with the capabilities of its owner's ports."""

    def __init__(self, keepers: KeepersRef[Keepers], owners: PortOwners) -> None:
        self._keepers = keepers
        self._capabilities = CapabilityKeeper(owners)

    def handler(self, owner: PortOwner) -> DirectHandler:
        """Return the direct handler of one plugin."""
        return DirectHandler(self._keepers, self._capabilities, owner)

    def application(self) -> BoundApp:
        """Return an application that refuses every callback."""
        return DIRECT_MODULE


@builtin
class DirectPlugin:
    """Provides `Services.direct` and the messages of `pyibc.connection.v1` and `pyibc.channel.v1`; stateless.

    A host lists it next to `pyibc.plugins(config)`.
    """

    _keepers = AtWiring[Keepers]()

    @hookimpl
    def ibc_direct_calls(self, keepers: KeepersRef[Keepers], owners: PortOwners) -> DirectCalls:
        """Provide direct handlers that check capabilities."""
        return CapabilityCalls(keepers, owners)

    @hookimpl
    def ibc_wired(self, keepers: Keepers) -> None:
        """Store the keepers for the messages."""
        self._keepers = keepers

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route the messages to the standard handlers, for any identifier.

        Raises:
            WiringError: the IBC plugin is not listed.
        """
        return routes(self._keepers, HANDLERS_DIRECT)
