"""A scripted IBC v2 application whose acknowledgement depends on the payload."""

from collections.abc import Callable, Mapping

from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.core.application.services import Services
from pyibc.core.application.v2 import IbcAppV2, PacketSenderV2, PayloadAnswer, ReceivedV2
from pyibc.core.host.context import WriteContext
from pyibc.core.packet_v2.types import SENTINEL

PORT_V2 = "mock2"
ANSWERS = {
    b"later": None,
    b"refuse": PayloadAnswer(success=False),
    b"lie": PayloadAnswer(success=True, data=SENTINEL),
}
"""Payload value -> acknowledgement; any other value is acknowledged with `done`."""


class ScriptedAppV2(IbcAppV2):
    """Accepts everything except for the payloads in `ANSWERS`; `receive`, if set, overrides it."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls
        self.receive: Callable[[WriteContext], PayloadAnswer | None] | None = None

    def on_send_packet(self) -> None:
        """Accept."""
        self.calls.append("on_send_packet")

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Acknowledge according to the payload's value, and emit an event."""
        self.calls.append("on_recv_packet")
        on_a, on_b, sequence, payload, _ = received
        ctx.emit(("scripted_received", (("from", f"{on_a}/{sequence} to {on_b}"),)))
        if self.receive is not None:
            return self.receive(ctx)
        return ANSWERS.get(payload.value, PayloadAnswer(success=True, data=b"done"))

    def on_acknowledgement_packet(self) -> None:
        """Record the call."""
        self.calls.append("on_acknowledgement_packet")

    def on_timeout_packet(self) -> None:
        """Record the call."""
        self.calls.append("on_timeout_packet")


class ScriptedPluginV2:
    """The application on port `mock2`; `calls` may be shared with another application."""

    sender = AtWiring[PacketSenderV2]()
    """Sender for packets and asynchronous acknowledgements."""

    def __init__(self, calls: list[str]) -> None:
        self.app = ScriptedAppV2(calls)

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """Return the application on port `mock2`."""
        self.sender = services.sender_v2
        return {PORT_V2: self.app}
