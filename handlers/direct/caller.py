"""The calling module in its application's place: it knows what it does, and is not called back."""

from ibc_core.address import Address
from ibc_core.application.classic import AppAcknowledgement
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet


class Caller:
    """Answers each callback with what the module said in its call; agrees to all else in silence."""

    def __init__(self, *, version: str = "", acknowledgement: bytes = b"") -> None:
        """`acknowledgement` b"": the module answers later."""
        self._version = version
        self._acknowledgement = acknowledgement

    def on_chan_open_init(
        self,
        ctx: WriteContext,  # noqa: ARG002
        order: Order,  # noqa: ARG002
        connection_id: str,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        counterparty: ChannelCounterparty,  # noqa: ARG002
        version: str,  # noqa: ARG002
    ) -> str:
        """The version of the call."""
        return self._version

    def on_chan_open_try(
        self,
        ctx: WriteContext,  # noqa: ARG002
        order: Order,  # noqa: ARG002
        connection_id: str,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        counterparty: ChannelCounterparty,  # noqa: ARG002
        counterparty_version: str,  # noqa: ARG002
    ) -> str:
        """The version of the call."""
        return self._version

    def on_chan_open_ack(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        counterparty_channel_id: str,
        counterparty_version: str,
    ) -> None:
        """Nothing."""

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Nothing."""

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Nothing."""

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Nothing."""

    def on_recv_packet(
        self,
        ctx: WriteContext,  # noqa: ARG002
        channel_version: str,  # noqa: ARG002
        packet: Packet,  # noqa: ARG002
        relayer: Address,  # noqa: ARG002
    ) -> AppAcknowledgement | None:
        """The acknowledgement of the call."""
        return AppAcknowledgement(success=True, data=self._acknowledgement) if self._acknowledgement else None

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Nothing."""

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Nothing."""

    def on_cleanup_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Nothing."""
