"""The middleware of IBC v2: around ICS-20, and between ICS-20 and the module."""

from contextlib import suppress

from ibc_core import paths
from ibc_core.application.middleware_v2 import PassThroughAppV2, PassThroughSenderV2
from ibc_core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from ibc_core.errors import NO_VERDICT, AsyncPacketNotFound, IbcError, RateLimitError
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet_v2.states import decode_packet
from ibc_core.packet_v2.types import SENTINEL, AcknowledgementV2, PacketV2
from ibc_module.apps.rate_limit import flow, transfers

_FAILURE = PayloadAnswer(success=False)


@shipped
class LimitedAppV2(PassThroughAppV2):
    """Around ICS-20 of IBC v2; a payload that is no transfer's is refused here already."""

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Refuses a transfer that the limits do not let out.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is no transfer's, see `transfers.sent_v2`.
            DenomIsBlacklisted, QuotaExceeded: see `flow.count_sent`.
        """
        moved = transfers.sent_v2(sending.client_id_on_a, sending.payload)
        flow.count_sent(ctx, moved, sending.sequence)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Fails if the transfer is refused, which counts nothing.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet: the transaction fails.
        """
        on_a, on_b, sequence, payload, _ = received
        try:
            moved = transfers.received_v2(on_a, on_b, payload)
            flow.count_received(ctx, moved, sequence)
        # guard: h183-a-receipt-over-clients-forgives-gas drop
        #   test_h183_neither_gas_nor_a_broken_invariant_is_an_answer
        except NO_VERDICT:
            raise
        except IbcError:
            return _FAILURE
        answer = self.below.on_recv_packet(ctx, received)
        if answer is not None:
            # guard: h181-v2-an-odd-name-leaves-no-answer drop:suppress
            #   test_layers_v2::test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20
            with suppress(RateLimitError):  # a name that no key can have was never marked
                flow.settle_received(ctx, moved, sequence, taken=True)
        return answer

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """An error acknowledgement takes off what was counted.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is no transfer's, see `transfers.sent_v2`.
            UnknownMessage, InvalidAcknowledgement: see `flow.has_arrived`.
        """
        moved = transfers.sent_v2(acknowledged.client_id_on_a, acknowledged.payload)
        arrived = flow.has_arrived(acknowledged.acknowledgement)
        flow.settle_sent(ctx, moved, acknowledged.sequence, arrived=arrived)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Takes off what was counted.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is no transfer's, see `transfers.sent_v2`.
        """
        moved = transfers.sent_v2(timed_out.client_id_on_a, timed_out.payload)
        flow.settle_sent(ctx, moved, timed_out.sequence, arrived=False)
        self.below.on_timeout_packet(ctx, timed_out)


@shipped
class LimitedSenderV2(PassThroughSenderV2):
    """Between ICS-20 of IBC v2 and the module: what is answered later."""

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """A transfer that is refused later is taken off.

        Raises:
            AsyncPacketNotFound: no such packet waits for an answer.
            InvalidRateLimitPacket, IbcError: its payload is no transfer's, see `transfers.sent_v2`.
        """
        packet = _unanswered(ctx, client_id_on_b, sequence)
        # guard: ratelimit-several-payloads-are-settled-as-one drop:len(packet.payloads)
        #   test_an_answer_to_several_payloads_goes_on
        if len(acknowledgement) == len(packet.payloads) == 1:
            moved = transfers.received_v2(packet.client_id_on_a, packet.client_id_on_b, packet.payloads[0])
            flow.settle_received(ctx, moved, sequence, taken=acknowledgement[0] != SENTINEL)
        super().write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)


def _unanswered(ctx: ReadContext, client_id_on_b: str, sequence: int) -> PacketV2:
    raw = ctx.ibc.get(paths.async_packet_path(client_id_on_b, sequence))
    if raw is None:
        raise AsyncPacketNotFound(client_id_on_b, sequence)
    return decode_packet(raw)
