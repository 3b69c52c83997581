"""Rate limit middleware: one layer around ICS-20, one between ICS-20 and core; over channels and clients."""

from contextlib import suppress

from pyibc.apps.rate_limit import flow
from pyibc.apps.rate_limit.flow import PacketInfo
from pyibc.core import paths
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from pyibc.core.application.middleware import (
    PassThroughApp,
    PassThroughAppV2,
    PassThroughSender,
    PassThroughSenderV2,
)
from pyibc.core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from pyibc.core.errors import (
    NO_VERDICT,
    AsyncAckNil,
    AsyncPacketNotFound,
    IbcError,
    RateLimitError,
    SequenceSendNotFound,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import SENTINEL, AcknowledgementV2, PacketV2, decode_packet
from pyibc.isolation.isolate import builtin


@builtin
class LimitedApp(PassThroughApp):
    """Layer around ICS-20."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Pass the packet on, or return an error acknowledgement without counting if a limit refuses it.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived.
        """
        packet, info = received.packet, _received(received.packet)
        if info is not None:
            try:
                flow.count_received(ctx, info, packet.sequence)
            except RateLimitError as error:
                return AppAcknowledgement(success=False, data=acks.failure(error))
        answer = self.below.on_recv_packet(ctx, received)
        if answer is not None and info is not None:
            _finish_received(ctx, info, packet.sequence)
        return answer

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Subtract the coins of a failed transfer; only ICS-20's errors fail the transaction."""
        try:
            arrived = flow.has_arrived(acknowledged.acknowledgement)
            _finish_sent(ctx, acknowledged.packet, arrived=arrived)
        # guard: h183-an-acknowledgement-forgives-gas test_h183_running_out_of_gas_is_never_left_to_ics_20
        except NO_VERDICT:
            raise
        # guard: h182-an-acknowledgement-is-stuck-behind-the-limits drop
        #   test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge
        #   test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge
        except IbcError:
            pass  # as in ibc-go: a limit must never block a refund
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Subtract the coins of the packet; only ICS-20's errors fail the transaction."""
        try:
            _finish_sent(ctx, timed_out.packet, arrived=False)
        # guard: h183-a-timeout-forgives-gas test_h183_running_out_of_gas_is_never_left_to_ics_20
        except NO_VERDICT:
            raise
        # guard: h182-a-timeout-is-stuck-behind-the-limits drop
        #   test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge
        except IbcError:
            pass  # as in `on_acknowledgement_packet`
        self.below.on_timeout_packet(ctx, timed_out)


@builtin
class LimitedSender(PassThroughSender):
    """Layer between ICS-20 and core."""

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Count a transfer and send it, or refuse it.

        Raises:
            SequenceSendNotFound: there is no such channel.
            InvalidType, InvalidSdkRequest: `data` is not a transfer.
            DenomIsBlacklisted, QuotaExceeded: see `flow.count_sent`.
        """
        sequence = _next_sequence(ctx, port_id, channel_id)
        flow.count_sent(ctx, flow.sent(channel_id, data), sequence)
        return super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Subtract the coins of a transfer that is refused asynchronously.

        Raises:
            AsyncAckNil: `acknowledgement` is empty.
            InvalidRateLimitChannel, InvalidRateLimitPacket: see `flow.finish_received`.
        """
        # guard: ratelimit-nothing-is-an-answer test_no_answer_is_none
        if not acknowledgement:
            raise AsyncAckNil(packet.channel_id_on_b, packet.sequence)
        answer, info = acks.parse(acknowledgement), _received(packet)
        # guard: ratelimit-late-answer-leaves-mark test_middleware::test_a_late_answer_settles_what_came_in
        if info is not None:
            accepted = answer is not None and answer.success
            flow.finish_received(ctx, info, packet.sequence, accepted=accepted)
        super().write_acknowledgement(ctx, packet, acknowledgement)


def _received(packet: Packet) -> PacketInfo | None:
    """Return the transfer of a received packet, None if it is not one: ICS-20 reports the error."""
    try:
        return flow.received(packet)
    except IbcError:
        return None


def _finish_received(ctx: WriteContext, info: PacketInfo, sequence: int) -> None:
    """Remove the pending mark of a packet that is acknowledged at once."""
    # guard: h181-v1-an-odd-name-leaves-no-answer drop:suppress
    #   test_middleware::test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20
    with suppress(RateLimitError):  # such a packet was never marked; ICS-20's answer stands
        flow.finish_received(ctx, info, sequence, accepted=True)


def _finish_sent(ctx: WriteContext, packet: Packet, *, arrived: bool) -> None:
    info = flow.sent(packet.channel_id_on_a, packet.data)
    flow.finish_sent(ctx, info, packet.sequence, arrived=arrived)


def _next_sequence(ctx: ReadContext, port_id: str, channel_id: str) -> int:
    raw = ctx.ibc.get(paths.next_sequence_send_path(port_id, channel_id))
    if raw is None:
        raise SequenceSendNotFound(port_id, channel_id)
    return int.from_bytes(raw, "big")


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
        info = flow.sent_v2(sending.client_id_on_a, sending.payload)
        flow.count_sent(ctx, info, sending.sequence)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Pass the packet on, or fail without counting if a limit refuses it.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived.
        """
        on_a, on_b, sequence, payload, _ = received
        try:
            info = flow.received_v2(on_a, on_b, payload)
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
        info = flow.sent_v2(acknowledged.client_id_on_a, acknowledged.payload)
        arrived = flow.has_arrived(acknowledged.acknowledgement)
        flow.finish_sent(ctx, info, acknowledged.sequence, arrived=arrived)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Subtract the coins of the packet.

        Raises:
            InvalidRateLimitPacket, IbcError: the payload is not a transfer, see `transfers.sent_v2`.
        """
        info = flow.sent_v2(timed_out.client_id_on_a, timed_out.payload)
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
            info = flow.received_v2(packet.client_id_on_a, packet.client_id_on_b, packet.payloads[0])
            flow.finish_received(ctx, info, sequence, accepted=acknowledgement[0] != SENTINEL)
        super().write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)


def _unanswered(ctx: ReadContext, client_id_on_b: str, sequence: int) -> PacketV2:
    raw = ctx.ibc.get(paths.async_packet_path(client_id_on_b, sequence))
    if raw is None:
        raise AsyncPacketNotFound(client_id_on_b, sequence)
    return decode_packet(raw)
