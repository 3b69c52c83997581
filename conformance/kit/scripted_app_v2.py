"""A scripted IBC v2 application whose answer depends on the payload."""

from collections.abc import Mapping
from typing import Any

from conformance.kit.registered import registered
from ibc_core.application.services import Services
from ibc_core.application.v2 import IbcAppV2, PacketSenderV2, PayloadAnswer
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import SENTINEL, Payload
from ibc_module import hookimpl

PORT_V2 = "mock2"
ANSWERS = {
    b"later": None,
    b"refuse": PayloadAnswer(success=False),
    b"lie": PayloadAnswer(success=True, data=SENTINEL),
}
"""Payload value -> answer; any other value is acknowledged with `done`."""


class ScriptedAppV2:
    """Accepts everything except for the payloads in `ANSWERS`; `calls` records the callbacks."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def on_send_packet(self, *_: Any) -> None:
        """Accepts."""
        self.calls.append("on_send_packet")

    def on_recv_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        *_: Any,
    ) -> PayloadAnswer | None:
        """Answers according to the payload's value, and emits an event."""
        self.calls.append("on_recv_packet")
        ctx.emit(("scripted_received", (("from", f"{client_id_on_a}/{sequence} to {client_id_on_b}"),)))
        return ANSWERS.get(payload.value, PayloadAnswer(success=True, data=b"done"))

    def on_acknowledgement_packet(self, *_: Any) -> None:
        """Records the call."""
        self.calls.append("on_acknowledgement_packet")

    def on_timeout_packet(self, *_: Any) -> None:
        """Records the call."""
        self.calls.append("on_timeout_packet")


class ScriptedPluginV2:
    """The application on port `mock2`; `calls` may be shared with another application."""

    def __init__(self, calls: list[str]) -> None:
        self.app = ScriptedAppV2(calls)
        self._sender: PacketSenderV2 | None = None

    @property
    def sender(self) -> PacketSenderV2:
        """Sends and acknowledges packets for the application.

        Raises:
            ValueError: the plugin is not in a pipeline yet.
        """
        return registered(self._sender, "scripted IBC v2 plugin")

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """The application on port `mock2`."""
        self._sender = services.sender_v2
        return {PORT_V2: self.app}
