"""The middleware: around ICS-20 of IBC v1 and v2, and between ICS-20 of v1 and the module."""

from ibc_core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from ibc_core.errors import QuotaExceeded
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module.apps.rate_limit import coins, quota


@shipped
class LimitedApp(PassThroughApp):
    """Around ICS-20."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Returns an error acknowledgement if the quota is exceeded; a refused transfer is not counted."""
        packet = received.packet
        try:
            limit = quota.count_received(ctx, coins.received(packet))
        except QuotaExceeded as error:
            return AppAcknowledgement(success=False, data=acks.failure(error))
        answer = self.below.on_recv_packet(ctx, received)
        if answer is None:
            quota.note_waiting(ctx, limit, packet.sequence)
        return answer

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """An error acknowledgement restores the quota."""
        self.below.on_acknowledgement_packet(ctx, acknowledged)
        _settle(ctx, acknowledged.packet, refunded=not is_success(acknowledged.acknowledgement))

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Restores the quota."""
        self.below.on_timeout_packet(ctx, timed_out)
        _settle(ctx, timed_out.packet, refunded=True)


def _settle(ctx: WriteContext, packet: Packet, *, refunded: bool) -> None:
    moved = coins.sent(packet.channel_id_on_a, packet.data)
    quota.settle_sent(ctx, packet.channel_id_on_a, packet.sequence, moved, refunded=refunded)


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
        """Refuses a transfer that exceeds the quota.

        Raises:
            QuotaExceeded: it is.
        """
        limit = quota.count_sent(ctx, coins.sent(channel_id, data))
        sequence = super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        quota.note_sent(ctx, limit, sequence)
        return sequence

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Restores the quota if a transfer is refused later."""
        super().write_acknowledgement(ctx, packet, acknowledgement)
        refused = not is_success(acknowledgement)
        moved = coins.received(packet)
        quota.settle_received(ctx, packet.channel_id_on_b, packet.sequence, moved, refused=refused)


@shipped
class LimitedAppV2(PassThroughAppV2):
    """Around ICS-20 of IBC v2. Transfers are never acknowledged asynchronously there."""

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Refuses a transfer that exceeds the quota.

        Raises:
            QuotaExceeded: it is.
        """
        limit = quota.count_sent(ctx, coins.sent_v2(sending.client_id_on_a, sending.payload))
        quota.note_sent(ctx, limit, sending.sequence)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Fails if the quota is exceeded; a refused transfer is not counted."""
        on_a, on_b = received.client_id_on_a, received.client_id_on_b
        try:
            quota.count_received(ctx, coins.received_v2(on_a, on_b, received.payload))
        except QuotaExceeded:
            return PayloadAnswer(success=False)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """An error acknowledgement restores the quota."""
        self.below.on_acknowledgement_packet(ctx, acknowledged)
        _settle_v2(ctx, acknowledged, refunded=not is_success(acknowledged.acknowledgement))

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Restores the quota."""
        self.below.on_timeout_packet(ctx, timed_out)
        _settle_v2(ctx, timed_out, refunded=True)


def _settle_v2(ctx: WriteContext, done: AcknowledgedV2 | TimedOutV2, *, refunded: bool) -> None:
    moved = coins.sent_v2(done.client_id_on_a, done.payload)
    quota.settle_sent(ctx, done.client_id_on_a, done.sequence, moved, refunded=refunded)


def is_success(acknowledgement: bytes) -> bool:
    """Whether an ICS-20 acknowledgement is a success."""
    answer = acks.parse(acknowledgement)
    return answer is not None and answer.success
