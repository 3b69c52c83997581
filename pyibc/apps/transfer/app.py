"""ICS-20 application for IBC v1: the ICS-26 callbacks of channels on port `transfer`."""

from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.coins import TransferKeeper
from pyibc.apps.transfer.packet_data import TransferData
from pyibc.codec.gojson import marshal_string
from pyibc.core.application.classic import (
    Acknowledged,
    AppAcknowledgement,
    IbcApp,
    Opened,
    Opening,
    Received,
    TimedOut,
)
from pyibc.core.application.packet_data import PacketData
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
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
from pyibc.core.host.block import Attribute, Event
from pyibc.core.host.context import WriteContext
from pyibc.core.identifiers import is_blank, parse_numbered
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement, text_format
from pyibc.core.packet.types import Packet
from pyibc.isolation.isolate import builtin

_MAX_CHANNEL_NUMBER = 2**32 - 1
_SUCCESS = AppAcknowledgement(success=True, data=acks.success())


@builtin
class TransferApp(IbcApp):
    """ICS-20 on port `transfer`: escrow, vouchers, return of coins to their source chain, refunds."""

    def __init__(self, keeper: TransferKeeper) -> None:
        self._keeper = keeper

    # -- handshake

    def on_chan_open_init(self, opening: Opening) -> str:
        """Return version `ics20-1`, which a blank version stands for.

        Raises:
            MaxTransferChannels: the channel number is above 2^32-1.
            InvalidChannelOrdering: the channel is ordered.
            InvalidRoute: the port is not `transfer`.
            InvalidTransferVersion: the version is neither blank nor `ics20-1`.
        """
        _check_channel(opening)
        if is_blank(opening.version):
            return packet_data.VERSION
        _check_version(opening.version)
        return opening.version

    def on_chan_open_try(self, opening: Opening) -> str:
        """Return version `ics20-1`; chain A refuses it in chanOpenAck if it proposed another version.

        Raises:
            MaxTransferChannels, InvalidChannelOrdering, InvalidRoute: see `on_chan_open_init`.
        """
        _check_channel(opening)
        return packet_data.VERSION

    def on_chan_open_ack(self, opened: Opened) -> None:
        """Check that chain B chose version `ics20-1`.

        Raises:
            InvalidTransferVersion: it chose another version.
        """
        _check_version(opened.version)

    def on_chan_open_confirm(self) -> None:
        """Accept: the version was negotiated in chanOpenTry."""

    def on_chan_close_init(self) -> None:
        """Refuse to close the channel: coins in escrow could never be returned.

        Raises:
            InvalidRequest: always.
        """
        raise InvalidRequest("a transfer channel cannot be closed by a user")

    def on_chan_close_confirm(self) -> None:
        """Accept: chain B closed its end. Packets in flight are refunded by timeoutOnClose."""

    # -- packets

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Credit the receiver, or acknowledge with the error's codespace and code, never its text (H1).

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived
                (H15).
        """
        packet, data = received.packet, None
        try:
            data = _decode(packet.data, received.channel_version)
            self._keeper.receive(
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
            emit_refused(ctx, data, str(error))
            return AppAcknowledgement(success=False, data=acks.failure(error))
        emit_received(ctx, data)
        return _SUCCESS

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Refund the sender if the acknowledgement is an error.

        Raises:
            UnknownRequest: it is not a standard acknowledgement.
            InvalidType: it is not in canonical form, or holds neither a result nor an error.
        """
        answer = parse_acknowledgement(acknowledged.acknowledgement)
        data = _decode(acknowledged.packet.data, acknowledged.channel_version)
        # guard: h7-transfer-takes-any-form test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement
        check_canonical(acknowledged.acknowledgement)
        if answer.error is not None:
            self._refund(ctx, acknowledged.packet, data)
        elif answer.result is None:
            raise InvalidType("result or error", "neither")
        emit_acknowledged(ctx, data, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Refund the sender."""
        data = _decode(timed_out.packet.data, timed_out.channel_version)
        self._refund(ctx, timed_out.packet, data)
        emit_timed_out(ctx, data)

    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:
        """Return sender, receiver and memo of a transfer; `value` is its `TransferData`.

        Raises:
            InvalidTransferVersion: the channel's version is not ics20-1.
            InvalidType, InvalidAmount, InvalidAddress, ...: see `packet_data.decode`.
        """
        return packet_data.to_packet_data(_decode(data, channel_version))

    def _refund(self, ctx: WriteContext, packet: Packet, data: TransferData) -> None:
        self._keeper.refund(ctx, data, packet.port_id_on_a, packet.channel_id_on_a)


def parse_acknowledgement(acknowledgement: bytes) -> Acknowledgement:
    """Decode a standard acknowledgement (ICS-4).

    Raises:
        UnknownRequest: it is not a standard acknowledgement.
    """
    answer = acks.parse(acknowledgement)
    if answer is None:
        raise UnknownRequest("the acknowledgement cannot be read")
    return answer


def check_canonical(acknowledgement: bytes) -> None:
    """Check that a standard acknowledgement is in canonical form.

    Raises:
        InvalidType: it is not; ICS-20's error for it.
    """
    try:
        acks.check_canonical(acknowledgement)
    except InvalidAcknowledgement as error:
        raise InvalidType("a canonical acknowledgement", "another form of it") from error


def _decode(data: bytes, channel_version: str) -> TransferData:
    _check_version(channel_version)
    return packet_data.decode(data)


def _check_version(version: str) -> None:
    if version != packet_data.VERSION:
        raise InvalidTransferVersion(packet_data.VERSION, version[:64])


def _check_channel(opening: Opening) -> None:
    number = parse_numbered(opening.channel_id, "channel-")
    if number is None or number > _MAX_CHANNEL_NUMBER:
        raise MaxTransferChannels(opening.channel_id)
    if opening.order is not Order.UNORDERED:
        raise InvalidChannelOrdering(Order.UNORDERED.text, opening.order.text)
    if opening.port_id != packet_data.PORT_ID:
        raise InvalidRoute(opening.port_id)


# -- events, attribute for attribute as ibc-go emits them

MODULE: Event = ("message", (("module", "transfer"),))
EVENT_TYPE = "fungible_token_packet"


def emit_sent(ctx: WriteContext, data: TransferData) -> None:
    """Emit `ibc_transfer` for a transfer that leaves this chain."""
    ctx.emit(("ibc_transfer", _parties(data)))
    ctx.emit(MODULE)


def emit_received(ctx: WriteContext, data: TransferData) -> None:
    """Emit `fungible_token_packet` for a transfer that was received."""
    ctx.emit((EVENT_TYPE, (*_parties(data), ("success", "true"))))
    ctx.emit(MODULE)


def emit_refused(ctx: WriteContext, data: TransferData | None, reason: str) -> None:
    """Emit `fungible_token_packet` for a refused transfer.

    The handler reverts the branch that holds this event and emits it again under its name for errors.
    """
    _refused(ctx, data, reason, "false")


def emit_refused_v2(ctx: WriteContext, data: TransferData | None, reason: str) -> None:
    """Emit `fungible_token_packet` for a transfer refused over IBC v2.

    Attribute `success` is `true` as in ibc-go; attribute `error` and the sentinel acknowledgement show the
    failure.
    """
    _refused(ctx, data, reason, "true")


def _refused(ctx: WriteContext, data: TransferData | None, reason: str, success: str) -> None:
    parties = _parties(data) if data is not None else _NO_PARTIES
    ctx.emit((EVENT_TYPE, (*parties, ("success", success), ("error", reason))))
    ctx.emit(MODULE)


def emit_acknowledged(ctx: WriteContext, data: TransferData, answer: Acknowledgement) -> None:
    """Emit both events of an acknowledged transfer."""
    ctx.emit((EVENT_TYPE, (*_parties(data), ("acknowledgement", text_format(answer)))))
    ctx.emit(MODULE)
    if answer.error is not None:
        ctx.emit((EVENT_TYPE, (("error", answer.error),)))
    else:
        ctx.emit((EVENT_TYPE, (("success", (answer.result or b"").decode("utf-8", "replace")),)))


def emit_timed_out(ctx: WriteContext, data: TransferData) -> None:
    """Emit `timeout` for a refunded transfer."""
    refund = f'{{"denom":{data.denom.json},"amount":{marshal_string(data.amount_text).decode()}}}'
    ctx.emit(("timeout", (("receiver", data.sender), ("refund_tokens", refund), ("memo", data.memo))))
    ctx.emit(MODULE)


_NO_PARTIES: tuple[Attribute, ...] = (
    ("sender", ""),
    ("receiver", ""),
    ("denom", ""),
    ("amount", ""),
    ("memo", ""),
)


def _parties(data: TransferData) -> tuple[Attribute, ...]:
    return (
        ("sender", data.sender),
        ("receiver", data.receiver),
        ("denom", data.denom.path),
        ("amount", data.amount_text),
        ("memo", data.memo),
    )
