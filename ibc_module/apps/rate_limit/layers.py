"""The middleware of IBC v1: around ICS-20, and between ICS-20 and the module."""

from contextlib import suppress

from ibc_core import paths
from ibc_core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.errors import NO_VERDICT, AsyncAckNil, IbcError, RateLimitError, SequenceSendNotFound
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module.apps.rate_limit import flow, transfers
from ibc_module.apps.rate_limit.transfers import Moved


@shipped
class LimitedApp(PassThroughApp):
    """Around ICS-20."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Returns an error acknowledgement if the transfer is refused, which counts nothing.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet: the transaction fails.
        """
        packet, moved = received.packet, _received(received.packet)
        if moved is not None:
            try:
                flow.count_received(ctx, moved, packet.sequence)
            except RateLimitError as error:
                return AppAcknowledgement(success=False, data=acks.failure(error))
        answer = self.below.on_recv_packet(ctx, received)
        if answer is not None and moved is not None:
            _settle_received(ctx, moved, packet.sequence)
        return answer

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """An error acknowledgement takes off what was counted; what ICS-20 says of the packet is final."""
        try:
            arrived = flow.has_arrived(acknowledged.acknowledgement)
            _settle_sent(ctx, acknowledged.packet, arrived=arrived)
        # guard: h183-an-acknowledgement-forgives-gas test_h183_running_out_of_gas_is_never_left_to_ics_20
        except NO_VERDICT:
            raise
        # guard: h182-an-acknowledgement-is-stuck-behind-the-limits drop
        #   test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge
        #   test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge
        except IbcError:
            pass  # as ibc-go: a refund must not be stuck behind the limits
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Takes off what was counted; what ICS-20 says of the packet is final."""
        try:
            _settle_sent(ctx, timed_out.packet, arrived=False)
        # guard: h183-a-timeout-forgives-gas test_h183_running_out_of_gas_is_never_left_to_ics_20
        except NO_VERDICT:
            raise
        # guard: h182-a-timeout-is-stuck-behind-the-limits drop
        #   test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge
        except IbcError:
            pass  # as above
        self.below.on_timeout_packet(ctx, timed_out)


@shipped
class LimitedSender(PassThroughSender):
    """Between ICS-20 and the module."""

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Refuses a transfer that the limits do not let out.

        Raises:
            SequenceSendNotFound: there is no such channel.
            InvalidType, InvalidSdkRequest: `data` is no transfer's.
            DenomIsBlacklisted, QuotaExceeded: see `flow.count_sent`.
        """
        sequence = _next_sequence(ctx, port_id, channel_id)
        flow.count_sent(ctx, transfers.sent(channel_id, data), sequence)
        return super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """A transfer that is refused later is taken off.

        Raises:
            AsyncAckNil: `acknowledgement` is empty.
            InvalidRateLimitChannel, InvalidRateLimitPacket: see `flow.settle_received`.
        """
        # guard: ratelimit-nothing-is-an-answer test_no_answer_is_none
        if not acknowledgement:
            raise AsyncAckNil(packet.channel_id_on_b, packet.sequence)
        answer, moved = acks.parse(acknowledgement), _received(packet)
        # guard: ratelimit-a-late-answer-leaves-the-mark test_layers::test_a_late_answer_settles_what_came_in
        if moved is not None:
            taken = answer is not None and answer.success
            flow.settle_received(ctx, moved, packet.sequence, taken=taken)
        super().write_acknowledgement(ctx, packet, acknowledgement)


def _received(packet: Packet) -> Moved | None:
    """What a packet moves in; None where it is no transfer, which is for ICS-20 to say."""
    try:
        return transfers.received(packet)
    except IbcError:
        return None


def _settle_received(ctx: WriteContext, moved: Moved, sequence: int) -> None:
    """Takes the mark of a packet away that is answered at once."""
    # guard: h181-v1-an-odd-name-leaves-no-answer drop:suppress
    #   test_layers::test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20
    with suppress(RateLimitError):  # a name that no key can have was never marked; ICS-20's answer stands
        flow.settle_received(ctx, moved, sequence, taken=True)


def _settle_sent(ctx: WriteContext, packet: Packet, *, arrived: bool) -> None:
    moved = transfers.sent(packet.channel_id_on_a, packet.data)
    flow.settle_sent(ctx, moved, packet.sequence, arrived=arrived)


def _next_sequence(ctx: ReadContext, port_id: str, channel_id: str) -> int:
    raw = ctx.ibc.get(paths.next_sequence_send_path(port_id, channel_id))
    if raw is None:
        raise SequenceSendNotFound(port_id, channel_id)
    return int.from_bytes(raw, "big")
