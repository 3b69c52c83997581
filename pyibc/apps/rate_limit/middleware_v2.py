"""Rate limit middleware of IBC v2: one layer around ICS-20, one between ICS-20 and core."""

from contextlib import suppress

from pyibc.apps.rate_limit import flow, transfers
from pyibc.core import paths
from pyibc.core.application.middleware import PassThroughAppV2, PassThroughSenderV2
from pyibc.core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from pyibc.core.errors import NO_VERDICT, AsyncPacketNotFound, IbcError, RateLimitError
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet_v2.types import SENTINEL, AcknowledgementV2, PacketV2, decode_packet
from pyibc.isolation.builtin import builtin

_FAILURE = PayloadAnswer(success=False)


@builtin
class LimitedAppV2(PassThroughAppV2):
    """Layer around ICS-20 of IBC v2; refuses payloads that are not transfers."""

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Count a transfer and pass it on, or refuse it.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is not a transfer, see `transfers.sent_v2`.
            DenomIsBlacklisted, QuotaExceeded: see `flow.count_sent`.
        """
        info = transfers.sent_v2(sending.client_id_on_a, sending.payload)
        flow.count_sent(ctx, info, sending.sequence)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Pass the packet on, or fail without counting if a limit refuses it.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived.
        """
        on_a, on_b, sequence, payload, _ = received
        try:
            info = transfers.received_v2(on_a, on_b, payload)
            flow.count_received(ctx, info, sequence)
        # guard: h183-a-receipt-over-clients-forgives-gas drop
        #   test_h183_neither_gas_nor_a_broken_invariant_is_an_answer
        except NO_VERDICT:
            raise
        except IbcError:
            return _FAILURE
        answer = self.below.on_recv_packet(ctx, received)
        if answer is not None:
            # guard: h181-v2-an-odd-name-leaves-no-answer drop:suppress
            #   test_middleware_v2::test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20
            with suppress(RateLimitError):  # such a packet was never marked
                flow.finish_received(ctx, info, sequence, accepted=True)
        return answer

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Subtract the coins of a failed transfer.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is not a transfer, see `transfers.sent_v2`.
            UnknownMessage, InvalidAcknowledgement: see `flow.has_arrived`.
        """
        info = transfers.sent_v2(acknowledged.client_id_on_a, acknowledged.payload)
        arrived = flow.has_arrived(acknowledged.acknowledgement)
        flow.finish_sent(ctx, info, acknowledged.sequence, arrived=arrived)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Subtract the coins of the packet.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is not a transfer, see `transfers.sent_v2`.
        """
        info = transfers.sent_v2(timed_out.client_id_on_a, timed_out.payload)
        flow.finish_sent(ctx, info, timed_out.sequence, arrived=False)
        self.below.on_timeout_packet(ctx, timed_out)


@builtin
class LimitedSenderV2(PassThroughSenderV2):
    """Layer between ICS-20 of IBC v2 and core, for asynchronous acknowledgements."""

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Subtract the coins of a transfer that is refused asynchronously.

        Raises:
            AsyncPacketNotFound: no such packet is pending.
            InvalidRateLimitPacket, IbcError: its payload is not a transfer, see `transfers.sent_v2`.
        """
        packet = _unanswered(ctx, client_id_on_b, sequence)
        # guard: ratelimit-several-payloads-are-settled-as-one drop:len(packet.payloads)
        #   test_an_answer_to_several_payloads_goes_on
        if len(acknowledgement) == len(packet.payloads) == 1:
            info = transfers.received_v2(packet.client_id_on_a, packet.client_id_on_b, packet.payloads[0])
            flow.finish_received(ctx, info, sequence, accepted=acknowledgement[0] != SENTINEL)
        super().write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)


def _unanswered(ctx: ReadContext, client_id_on_b: str, sequence: int) -> PacketV2:
    raw = ctx.ibc.get(paths.async_packet_path(client_id_on_b, sequence))
    if raw is None:
        raise AsyncPacketNotFound(client_id_on_b, sequence)
    return decode_packet(raw)
