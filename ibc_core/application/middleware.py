"""Bases for middleware (ICS-30): every call goes on unchanged; a middleware spells only what it changes."""

from ibc_core.address import Address
from ibc_core.application.classic import AppAcknowledgement, IbcApp
from ibc_core.application.services import PacketSender
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet


class PassThroughApp(IbcApp):
    """What stands around an application: hands every callback to `below`."""

    def __init__(self, below: IbcApp) -> None:
        self.below = below

    def on_chan_open_init(
        self,
        ctx: WriteContext,
        order: Order,
        connection_id: str,
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,
        version: str,
    ) -> str:
        """As below."""
        return self.below.on_chan_open_init(
            ctx, order, connection_id, port_id, channel_id, counterparty, version
        )

    def on_chan_open_try(
        self,
        ctx: WriteContext,
        order: Order,
        connection_id: str,
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,
        counterparty_version: str,
    ) -> str:
        """As below."""
        return self.below.on_chan_open_try(
            ctx, order, connection_id, port_id, channel_id, counterparty, counterparty_version
        )

    def on_chan_open_ack(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        counterparty_channel_id: str,
        counterparty_version: str,
    ) -> None:
        """As below."""
        self.below.on_chan_open_ack(ctx, port_id, channel_id, counterparty_channel_id, counterparty_version)

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """As below."""
        self.below.on_chan_open_confirm(ctx, port_id, channel_id)

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """As below."""
        self.below.on_chan_close_init(ctx, port_id, channel_id)

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """As below."""
        self.below.on_chan_close_confirm(ctx, port_id, channel_id)

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """As below."""
        return self.below.on_recv_packet(ctx, channel_version, packet, relayer)

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """As below."""
        self.below.on_acknowledgement_packet(ctx, channel_version, packet, acknowledgement, relayer)

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """As below."""
        self.below.on_timeout_packet(ctx, channel_version, packet, relayer)


class PassThroughSender(PacketSender):
    """What stands between an application and the module: hands every call to `above`."""

    def __init__(self, above: PacketSender) -> None:
        self.above = above

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """As above."""
        return self.above.send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """As above."""
        self.above.write_acknowledgement(ctx, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """As above."""
        self.above.close_channel(ctx, port_id, channel_id)
