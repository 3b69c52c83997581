"""What applications of IBC v2 send through: the handlers, without a transaction's message."""

from handlers.packet_v2 import send
from handlers.packet_v2.write_acknowledgement import write_later
from ibc_module.core import basic_checks_v2
from ibc_module.core.address import Address
from ibc_module.core.application_v2 import PacketSenderV2
from ibc_module.core.context import WriteContext
from ibc_module.core.messages_v2 import MsgSendPacket
from ibc_module.core.packet_v2 import AcknowledgementV2, Payload
from ibc_module.errors import LogicFault
from keepers.keepers import Keepers


class CoreSenderV2(PacketSenderV2):
    """Bound to the keepers once these exist."""

    def __init__(self) -> None:
        self._keepers: Keepers | None = None

    def bind(self, keepers: Keepers) -> None:
        """Gives the sender its keepers."""
        self._keepers = keepers

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Sends a packet in the name of `signer`, as MsgSendPacket does; returns its sequence.

        Raises:
            IbcError: see `basic_checks_v2.send_packet` and `handlers.packet_v2.send`.
        """
        keepers = self._bound()
        msg = MsgSendPacket(client_id_on_a, timeout_s_on_b, payloads, signer.text)
        basic_checks_v2.send_packet(msg, keepers.addresses, several=keepers.v2.several_payloads)
        return send.execute(keepers, ctx, send.validate(keepers, ctx, msg))

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet whose `on_recv_packet` returned None.

        Raises:
            IbcError: see `handlers.packet_v2.write_acknowledgement`.
        """
        write_later(self._bound(), ctx, client_id_on_b, sequence, acknowledgement)

    def _bound(self) -> Keepers:
        if self._keepers is None:
            raise LogicFault("an application sent a packet before the module was wired")
        return self._keepers
