"""The middleware of IBC v1: around ICS-20 for what comes in, between it and the module for what goes out."""

from ibc_core.address import Address
from ibc_core.application.classic import AppAcknowledgement
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.errors import QuotaExceeded
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module.apps.rate_limit import coins, quota, state


class LimitedApp(PassThroughApp):
    """Around ICS-20."""

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Answers with an error where the quota is used up; what a refused transfer counted is undone."""
        moved = coins.received(packet)
        try:
            limit = None if moved is None else quota.count_received(ctx, moved)
        except QuotaExceeded as error:
            return AppAcknowledgement(success=False, data=acks.failure(error))
        answer = super().on_recv_packet(ctx, channel_version, packet, relayer)
        if answer is None and limit is not None:
            state.note_packet(ctx, state.WAITING, limit, packet.sequence)
        return answer

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Gives the quota back with the coins."""
        super().on_acknowledgement_packet(ctx, channel_version, packet, acknowledgement, relayer)
        self._settle(ctx, packet, refunded=not is_success(acknowledgement))

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Gives the quota back with the coins."""
        super().on_timeout_packet(ctx, channel_version, packet, relayer)
        self._settle(ctx, packet, refunded=True)

    def _settle(self, ctx: WriteContext, packet: Packet, *, refunded: bool) -> None:
        note = state.take_packet(ctx, state.SENT, packet.channel_id_on_a, packet.sequence)
        moved = coins.sent(packet.channel_id_on_a, packet.data)
        if refunded and note is not None and moved is not None:
            quota.give_back_sent(ctx, moved, note)


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
        """Refuses what is more than the quota has left.

        Raises:
            QuotaExceeded: it is.
        """
        moved = coins.sent(channel_id, data)
        limit = None if moved is None else quota.count_sent(ctx, moved)
        sequence = super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        if limit is not None:
            state.note_packet(ctx, state.SENT, limit, sequence)
        return sequence

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Gives the quota back where a transfer is refused after all."""
        super().write_acknowledgement(ctx, packet, acknowledgement)
        note = state.take_packet(ctx, state.WAITING, packet.channel_id_on_b, packet.sequence)
        moved = coins.received(packet)
        if note is not None and moved is not None and not is_success(acknowledgement):
            quota.give_back_received(ctx, moved, note)


def is_success(acknowledgement: bytes) -> bool:
    """Whether an acknowledgement of ICS-20 says that the coins arrived."""
    answer = acks.parse(acknowledgement)
    return answer is not None and answer.success
