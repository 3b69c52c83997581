"""The application on transfer channels (ICS-20, over ICS-26)."""

from ibc_core.application.classic import (
    Acknowledged,
    AppAcknowledgement,
    IbcApp,
    Opened,
    Opening,
    Received,
    TimedOut,
)
from ibc_core.application.packet_data import PacketData
from ibc_core.channel.types import Order
from ibc_core.errors import (
    IbcError,
    InvalidChannelOrdering,
    InvalidRequest,
    InvalidRoute,
    InvalidTransferVersion,
    InvalidType,
    LogicFault,
    MaxTransferChannels,
    OutOfGas,
)
from ibc_core.host.context import WriteContext
from ibc_core.host.depth import bounded_depth
from ibc_core.identifiers import is_blank, parse_numbered
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module.apps.transfer import events, packet_data, settle, state
from ibc_module.apps.transfer.denom import Hop
from ibc_module.apps.transfer.packet_data import TransferData
from ibc_module.apps.transfer.settle import Settlement

_MAX_CHANNEL_NUMBER = 2**32 - 1
_SUCCESS = AppAcknowledgement(success=True, data=acks.success())


@bounded_depth
class TransferApp(IbcApp):
    """ICS-20 on port `transfer`: escrow, vouchers, home again, refunds."""

    def __init__(self, settlement: Settlement) -> None:
        self._settlement = settlement

    # -- handshake

    def on_chan_open_init(self, opening: Opening) -> str:
        """Proposes ics20-1; a blank version means that.

        Raises:
            MaxTransferChannels, InvalidChannelOrdering, InvalidRoute, InvalidTransferVersion.
        """
        _check_channel(opening)
        if is_blank(opening.version):
            return state.VERSION
        _check_version(opening.version)
        return opening.version

    def on_chan_open_try(self, opening: Opening) -> str:
        """Settles on ics20-1, whatever was proposed: chain A refuses if it meant another.

        Raises:
            MaxTransferChannels, InvalidChannelOrdering, InvalidRoute.
        """
        _check_channel(opening)
        return state.VERSION

    def on_chan_open_ack(self, opened: Opened) -> None:
        """Refuses a version that is not ics20-1.

        Raises:
            InvalidTransferVersion.
        """
        _check_version(opened.version)

    def on_chan_open_confirm(self) -> None:
        """Nothing is left to agree on."""

    def on_chan_close_init(self) -> None:
        """Nobody may close a transfer channel: escrowed coins could never come home.

        Raises:
            InvalidRequest.
        """
        raise InvalidRequest("a transfer channel cannot be closed by a user")

    def on_chan_close_confirm(self) -> None:
        """The other chain closed; packets still in flight come back by timeout on close."""

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Gives the receiver his coins, or answers with an error's number (never its text, H1).

        Raises:
            OutOfGas, LogicFault: no verdict on the packet (H15): the transaction fails, another may bring it.
        """
        packet, data = received.packet, None
        try:
            data = _decode(packet.data, received.channel_version)
            on_a = Hop(packet.port_id_on_a, packet.channel_id_on_a)
            self._settlement.receive(ctx, data, on_a, Hop(packet.port_id_on_b, packet.channel_id_on_b))
        except (OutOfGas, LogicFault):
            raise
        except IbcError as error:
            events.refused(ctx, data, str(error))
            return AppAcknowledgement(success=False, data=acks.failure(error))
        events.received(ctx, data)
        return _SUCCESS

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Gives the sender his coins back if the other chain refused them.

        Raises:
            UnknownRequest, InvalidType: the acknowledgement is not a standard one in its one form.
        """
        answer = settle.parse_answer(acknowledged.acknowledgement)
        data = _decode(acknowledged.packet.data, acknowledged.channel_version)
        settle.check_canonical(acknowledged.acknowledgement)
        if answer.error is not None:
            self._refund(ctx, acknowledged.packet, data)
        elif answer.result is None:
            raise InvalidType("result or error", "neither")
        events.acknowledged(ctx, data, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Refunds."""
        data = _decode(timed_out.packet.data, timed_out.channel_version)
        self._refund(ctx, timed_out.packet, data)
        events.timed_out(ctx, data)

    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:
        """Sender, receiver and memo of a transfer; `value` is its `TransferData`.

        Raises:
            InvalidTransferVersion: the channel's version is not ics20-1.
            InvalidType, InvalidAmount, InvalidAddress, ...: see `packet_data.decode`.
        """
        return packet_data.told(_decode(data, channel_version))

    def _refund(self, ctx: WriteContext, packet: Packet, data: TransferData) -> None:
        self._settlement.refund(ctx, data, Hop(packet.port_id_on_a, packet.channel_id_on_a))


def _decode(data: bytes, channel_version: str) -> TransferData:
    _check_version(channel_version)
    return packet_data.decode(data)


def _check_version(version: str) -> None:
    if version != state.VERSION:
        raise InvalidTransferVersion(state.VERSION, version[:64])


def _check_channel(opening: Opening) -> None:
    number = parse_numbered(opening.channel_id, "channel-")
    if number is None or number > _MAX_CHANNEL_NUMBER:
        raise MaxTransferChannels(opening.channel_id)
    if opening.order is not Order.UNORDERED:
        raise InvalidChannelOrdering(Order.UNORDERED.text, opening.order.text)
    if opening.port_id != state.PORT_ID:
        raise InvalidRoute(opening.port_id)
