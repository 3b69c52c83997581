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
    NO_VERDICT,
    IbcError,
    InvalidAcknowledgement,
    InvalidChannelOrdering,
    InvalidRequest,
    InvalidRoute,
    InvalidTransferVersion,
    InvalidType,
    MaxTransferChannels,
    UnknownRequest,
)
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.identifiers import is_blank, parse_numbered
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.acknowledgement import Acknowledgement
from ibc_core.packet.types import Packet
from ibc_module.apps.transfer import packet_data, state
from ibc_module.apps.transfer.coins import Settlement
from ibc_module.apps.transfer.packet_data import TransferData

_MAX_CHANNEL_NUMBER = 2**32 - 1
_SUCCESS = AppAcknowledgement(success=True, data=acks.success())


@shipped
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
        """Answers with ics20-1, whatever was proposed: chain A refuses if it proposed another.

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
        """Nothing to do: the version is negotiated."""

    def on_chan_close_init(self) -> None:
        """Transfer channels cannot be closed: escrowed coins could never be returned.

        Raises:
            InvalidRequest.
        """
        raise InvalidRequest("a transfer channel cannot be closed by a user")

    def on_chan_close_confirm(self) -> None:
        """The other chain closed; packets in flight are refunded by timeout on close."""

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Credits the receiver, or acknowledges with the error's code (never its text, H1).

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet (H15): the transaction fails.
        """
        packet, data = received.packet, None
        try:
            data = _decode(packet.data, received.channel_version)
            self._settlement.receive(
                ctx,
                data,
                packet.port_id_on_a,
                packet.channel_id_on_a,
                packet.port_id_on_b,
                packet.channel_id_on_b,
            )
        # guard: h15-ics20-answers-when-the-gas-is-gone test_h15_out_of_gas_inside_ics20_is_no_answer
        except NO_VERDICT:
            raise
        except IbcError as error:
            packet_data.emit_refused(ctx, data, str(error))
            return AppAcknowledgement(success=False, data=acks.failure(error))
        packet_data.emit_received(ctx, data)
        return _SUCCESS

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Refunds the sender if the acknowledgement is an error.

        Raises:
            UnknownRequest, InvalidType: the acknowledgement is not a standard one in its one form.
        """
        answer = parse_answer(acknowledged.acknowledgement)
        data = _decode(acknowledged.packet.data, acknowledged.channel_version)
        # guard: h7-transfer-takes-any-form test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement
        check_canonical(acknowledged.acknowledgement)
        if answer.error is not None:
            self._refund(ctx, acknowledged.packet, data)
        elif answer.result is None:
            raise InvalidType("result or error", "neither")
        packet_data.emit_acknowledged(ctx, data, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Refunds."""
        data = _decode(timed_out.packet.data, timed_out.channel_version)
        self._refund(ctx, timed_out.packet, data)
        packet_data.emit_timed_out(ctx, data)

    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:
        """Sender, receiver and memo of a transfer; `value` is its `TransferData`.

        Raises:
            InvalidTransferVersion: the channel's version is not ics20-1.
            InvalidType, InvalidAmount, InvalidAddress, ...: see `packet_data.decode`.
        """
        return packet_data.told(_decode(data, channel_version))

    def _refund(self, ctx: WriteContext, packet: Packet, data: TransferData) -> None:
        self._settlement.refund(ctx, data, packet.port_id_on_a, packet.channel_id_on_a)


def parse_answer(acknowledgement: bytes) -> Acknowledgement:
    """What the other chain says of a transfer.

    Raises:
        UnknownRequest: it is no standard acknowledgement.
    """
    answer = acks.parse(acknowledgement)
    if answer is None:
        raise UnknownRequest("the acknowledgement cannot be read")
    return answer


def check_canonical(acknowledgement: bytes) -> None:
    """Checks that a standard acknowledgement is in its one form, with the error that ICS-20 has for it.

    Raises:
        InvalidType: it is not.
    """
    try:
        acks.check_canonical(acknowledgement)
    except InvalidAcknowledgement as error:
        raise InvalidType("a canonical acknowledgement", "another form of it") from error


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
