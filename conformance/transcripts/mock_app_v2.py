"""ibc-go's IBC v2 test applications on `mockv2A` and `mockv2B`."""

from collections.abc import Mapping

from ibc_core.application.services import Services
from ibc_core.application.v2 import (
    IbcAppV2,
    PacketSenderV2,
    PayloadAnswer,
    ReceivedV2,
)
from ibc_core.packet import acknowledgement as acks
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring

PORTS = ("mockv2A", "mockv2B")


class MockAppV2(IbcAppV2):
    """Acknowledges depending on the payload; accepts everything else without events."""

    def on_send_packet(self) -> None:
        """Accepts."""

    def on_recv_packet(self, received: ReceivedV2) -> PayloadAnswer | None:
        """Acknowledges with success, asynchronously, or with an error."""
        if received.payload.value == b"mock packet data":
            return PayloadAnswer(success=True, data=acks.success(b"mock acknowledgement"))
        later = received.payload.value == b"mock async packet data"
        return None if later else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self) -> None:
        """Accepts."""

    def on_timeout_packet(self) -> None:
        """Accepts."""


class MockPluginV2:
    """The IBC v2 mock applications, and the packet sender for the replay."""

    sender = AtWiring[PacketSenderV2]()
    """What packets are answered through."""

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """An application on each of the two ports."""
        self.sender = services.sender_v2
        return {port: MockAppV2() for port in PORTS}
