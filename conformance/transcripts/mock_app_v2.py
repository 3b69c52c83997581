"""ibc-go's IBC v2 test applications on `mockv2A` and `mockv2B`."""

from collections.abc import Mapping

from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.core.application.services import Services
from pyibc.core.application.v2 import IbcAppV2, PacketSenderV2, PayloadAnswer, ReceivedV2
from pyibc.core.packet import acknowledgement as acks

PORTS = ("mockv2A", "mockv2B")


class MockAppV2(IbcAppV2):
    """Acknowledges depending on the payload; accepts everything else without events."""

    def on_send_packet(self) -> None:
        """Accept."""

    def on_recv_packet(self, received: ReceivedV2) -> PayloadAnswer | None:
        """Acknowledge with success, asynchronously, or with an error."""
        if received.payload.value == b"mock packet data":
            return PayloadAnswer(success=True, data=acks.success(b"mock acknowledgement"))
        later = received.payload.value == b"mock async packet data"
        return None if later else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self) -> None:
        """Accept."""

    def on_timeout_packet(self) -> None:
        """Accept."""


class MockPluginV2:
    """The IBC v2 mock applications, and the packet sender for the replay."""

    sender = AtWiring[PacketSenderV2]()
    """Sender for packets and asynchronous acknowledgements."""

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """Return an application for each of the two ports."""
        self.sender = services.sender_v2
        return {port: MockAppV2() for port in PORTS}
