"""What an application on a channel is (ICS-26, ICS-30).

Applications and middleware implement `IbcApp`; the same Protocol is what middleware calls below itself.
"""

from typing import NamedTuple, Protocol

from ibc_core.address import Address
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet


class AppAcknowledgement(NamedTuple):
    """What an application answers to a packet."""

    success: bool  # False: the application's writes are undone
    data: bytes  # what is committed and sent back to chain A


class IbcApp(Protocol):
    """One application. A raised `IbcError` refuses the handshake step, or fails the transaction."""

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
        """Chain A opens; returns the version to propose."""

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
        """Chain B opens; returns the version it settles on."""

    def on_chan_open_ack(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        counterparty_channel_id: str,
        counterparty_version: str,
    ) -> None:
        """Chain A's end is OPEN now."""

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Chain B's end is OPEN now."""

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Somebody asks to close this end; raise to refuse."""

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """The other end is CLOSED."""

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Chain B executes a packet, in a branch; None: the acknowledgement comes later."""

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Chain A learns the answer; the packet's commitment is gone already."""

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Chain A takes the packet back; its commitment is gone already."""


class AppWithCleanup(IbcApp, Protocol):
    """An application that lets others clean up its received packets by message (`MsgCleanupPacket`)."""

    def on_cleanup_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Chain B received the packet, and nobody will say more about it; raise to refuse.

        `acknowledgement` is B's answer on an unordered channel, b"" on an ordered one.
        """
