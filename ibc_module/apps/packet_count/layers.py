"""The middleware of IBC v1: around the application, and between it and the module."""

from ibc_core.address import Address
from ibc_core.application.classic import AppAcknowledgement, IbcApp
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.services import PacketSender
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_module.apps.packet_count.counter import Counter


class CountingApp(PassThroughApp):
    """Around the application: counts packets that come in, and those that come to their end."""

    def __init__(self, below: IbcApp, counter: Counter) -> None:
        super().__init__(below)
        self._counter = counter

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Counts packets that the application took: what a refused one writes is undone."""
        self._counter.add(ctx, "received", packet.channel_id_on_b)
        return super().on_recv_packet(ctx, channel_version, packet, relayer)

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Counts answers, of whatever kind."""
        self._counter.add(ctx, "acknowledged", packet.channel_id_on_a)
        super().on_acknowledgement_packet(ctx, channel_version, packet, acknowledgement, relayer)

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Counts packets that came too late."""
        self._counter.add(ctx, "timed_out", packet.channel_id_on_a)
        super().on_timeout_packet(ctx, channel_version, packet, relayer)


class CountingSender(PassThroughSender):
    """Between the application and the module: counts packets that go out."""

    def __init__(self, above: PacketSender, counter: Counter) -> None:
        super().__init__(above)
        self._counter = counter

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Counts; a failed transaction takes its count back with it."""
        self._counter.add(ctx, "sent", channel_id)
        return super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
