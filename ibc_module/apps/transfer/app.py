"""The application on transfer channels (ICS-20, over ICS-26)."""

from ibc_core.address import Address
from ibc_core.application.classic import AppAcknowledgement
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.errors import (
    IbcError,
    InvalidAcknowledgement,
    InvalidChannelOrdering,
    InvalidRequest,
    InvalidRoute,
    InvalidTransferVersion,
    InvalidType,
    LogicFault,
    MaxTransferChannels,
    OutOfGas,
    UnknownRequest,
)
from ibc_core.host.context import WriteContext
from ibc_core.identifiers import parse_numbered
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_core.text import is_blank
from ibc_module.apps.transfer import events, packet_data, state
from ibc_module.apps.transfer.denom import Hop
from ibc_module.apps.transfer.packet_data import TransferData
from ibc_module.apps.transfer.settle import Settlement

_MAX_CHANNEL_NUMBER = 2**32 - 1
_SUCCESS = AppAcknowledgement(success=True, data=acks.success())


class TransferApp:
    """ICS-20 on port `transfer`: escrow, vouchers, home again, refunds."""

    def __init__(self, settlement: Settlement) -> None:
        self._settlement = settlement

    # -- handshake

    def on_chan_open_init(
        self,
        ctx: WriteContext,  # noqa: ARG002
        order: Order,
        connection_id: str,  # noqa: ARG002
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,  # noqa: ARG002
        version: str,
    ) -> str:
        """Proposes ics20-1; a blank version means that.

        Raises:
            MaxTransferChannels, InvalidChannelOrdering, InvalidRoute, InvalidTransferVersion.
        """
        _check_channel(order, port_id, channel_id)
        if is_blank(version):
            return state.VERSION
        _check_version(version)
        return version

    def on_chan_open_try(
        self,
        ctx: WriteContext,  # noqa: ARG002
        order: Order,
        connection_id: str,  # noqa: ARG002
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,  # noqa: ARG002
        counterparty_version: str,  # noqa: ARG002
    ) -> str:
        """Settles on ics20-1, whatever was proposed: chain A refuses if it meant another.

        Raises:
            MaxTransferChannels, InvalidChannelOrdering, InvalidRoute.
        """
        _check_channel(order, port_id, channel_id)
        return state.VERSION

    def on_chan_open_ack(
        self,
        ctx: WriteContext,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        counterparty_channel_id: str,  # noqa: ARG002
        counterparty_version: str,
    ) -> None:
        """Refuses a version that is not ics20-1.

        Raises:
            InvalidTransferVersion.
        """
        _check_version(counterparty_version)

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Nothing is left to agree on."""

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:  # noqa: ARG002
        """Nobody may close a transfer channel: escrowed coins could never come home.

        Raises:
            InvalidRequest.
        """
        raise InvalidRequest("a transfer channel cannot be closed by a user")

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """The other chain closed; packets still in flight come back by timeout on close."""

    # -- packets

    def on_recv_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        relayer: Address,  # noqa: ARG002
    ) -> AppAcknowledgement:
        """Gives the receiver his coins, or answers with an error's number (never its text, H1).

        Raises:
            OutOfGas, LogicFault: no verdict on the packet (H15): the transaction fails, another may bring it.
        """
        data = None
        try:
            data = _decode(packet, channel_version)
            self._receive(ctx, packet, data)
        except (OutOfGas, LogicFault):
            raise
        except IbcError as error:
            events.refused(ctx, data, str(error))
            return AppAcknowledgement(success=False, data=acks.failure(error))
        events.received(ctx, data)
        return _SUCCESS

    def _receive(self, ctx: WriteContext, packet: Packet, data: TransferData) -> None:
        on_a = Hop(packet.port_id_on_a, packet.channel_id_on_a)
        self._settlement.receive(ctx, data, on_a, Hop(packet.port_id_on_b, packet.channel_id_on_b))

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,  # noqa: ARG002
    ) -> None:
        """Gives the sender his coins back if the other chain refused them.

        Raises:
            UnknownRequest, InvalidType: the acknowledgement is not a standard one in its one form.
        """
        answer = acks.parse(acknowledgement)
        if answer is None:
            raise UnknownRequest("the acknowledgement cannot be read")
        data = _decode(packet, channel_version)
        try:
            acks.check_canonical(acknowledgement)
        except InvalidAcknowledgement as error:
            raise InvalidType("a canonical acknowledgement", "another form of it") from error
        if answer.error is not None:
            self._refund(ctx, packet, data)
        elif answer.result is None:
            raise InvalidType("result or error", "neither")
        events.acknowledged(ctx, data, answer)

    def on_timeout_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        relayer: Address,  # noqa: ARG002
    ) -> None:
        """Gives the sender his coins back."""
        data = _decode(packet, channel_version)
        self._refund(ctx, packet, data)
        events.timed_out(ctx, data)

    def _refund(self, ctx: WriteContext, packet: Packet, data: TransferData) -> None:
        self._settlement.refund(ctx, data, Hop(packet.port_id_on_a, packet.channel_id_on_a))


def _decode(packet: Packet, channel_version: str) -> TransferData:
    if channel_version != state.VERSION:
        raise InvalidTransferVersion(state.VERSION, channel_version[:64])
    return packet_data.decode(packet.data)


def _check_version(version: str) -> None:
    if version != state.VERSION:
        raise InvalidTransferVersion(state.VERSION, version[:64])


def _check_channel(order: Order, port_id: str, channel_id: str) -> None:
    number = parse_numbered(channel_id, "channel-")
    if number is None or number > _MAX_CHANNEL_NUMBER:
        raise MaxTransferChannels(channel_id)
    if order is not Order.UNORDERED:
        raise InvalidChannelOrdering(Order.UNORDERED.text, order.text)
    if port_id != state.PORT_ID:
        raise InvalidRoute(port_id)
