"""A scripted IBC v2 application whose answer depends on the payload."""

from collections.abc import Callable, Mapping

from ibc_core.application.services import Services
from ibc_core.application.v2 import IbcAppV2, PacketSenderV2, PayloadAnswer, ReceivedV2
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import SENTINEL
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring

PORT_V2 = "mock2"
ANSWERS = {
    b"later": None,
    b"refuse": PayloadAnswer(success=False),
    b"lie": PayloadAnswer(success=True, data=SENTINEL),
}
"""Payload value -> answer; any other value is acknowledged with `done`."""


class ScriptedAppV2(IbcAppV2):
    """Accepts everything except for the payloads in `ANSWERS`; `receive`, if set, answers instead."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls
        self.receive: Callable[[WriteContext], PayloadAnswer | None] | None = None

    def on_send_packet(self) -> None:
        """Accepts."""
        self.calls.append("on_send_packet")

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Answers according to the payload's value, and emits an event."""
        self.calls.append("on_recv_packet")
        on_a, on_b, sequence, payload, _ = received
        ctx.emit(("scripted_received", (("from", f"{on_a}/{sequence} to {on_b}"),)))
        if self.receive is not None:
            return self.receive(ctx)
        return ANSWERS.get(payload.value, PayloadAnswer(success=True, data=b"done"))

    def on_acknowledgement_packet(self) -> None:
        """Records the call."""
        self.calls.append("on_acknowledgement_packet")

    def on_timeout_packet(self) -> None:
        """Records the call."""
        self.calls.append("on_timeout_packet")


class ScriptedPluginV2:
    """The application on port `mock2`; `calls` may be shared with another application."""

    sender = AtWiring[PacketSenderV2]()
    """What packets are sent and answered through."""

    def __init__(self, calls: list[str]) -> None:
        self.app = ScriptedAppV2(calls)

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """The application on port `mock2`."""
        self.sender = services.sender_v2
        return {PORT_V2: self.app}
