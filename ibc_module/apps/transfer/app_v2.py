"""ICS-20 over IBC v2: the same coins, between two clients instead of two channel ends.

A voucher's hop names the client on the chain that received it, where v1 has the channel.
"""

from ibc_core.address import AddressCodec
from ibc_core.application.packet_data import PacketData
from ibc_core.application.v2 import AcknowledgedV2, IbcAppV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from ibc_core.errors import (
    NO_VERDICT,
    IbcError,
    InvalidDenomForTransfer,
    InvalidIdentifier,
    InvalidPacketV2,
    InvalidRequest,
    ReceiveFailed,
    SendDisabled,
    Unauthorized,
)
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.identifiers import parse_client_id
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.acknowledgement import Acknowledgement
from ibc_core.packet_v2.types import SENTINEL, Payload
from ibc_module.apps.transfer import encodings, packet_data, state
from ibc_module.apps.transfer.app import check_canonical, parse_answer
from ibc_module.apps.transfer.coins import CoinMover, Settlement
from ibc_module.apps.transfer.packet_data import TransferData

_SUCCESS = PayloadAnswer(success=True, data=acks.success())
_FAILURE = PayloadAnswer(success=False)


@shipped
class TransferAppV2(IbcAppV2):
    """ICS-20 on port `transfer` of IBC v2."""

    def __init__(self, coins: CoinMover, settlement: Settlement, addresses: AddressCodec) -> None:
        self._coins = coins
        self._settlement = settlement
        self._addresses = addresses

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Escrows or burns the sender's coins.

        Raises:
            InvalidPacketV2: not from `transfer` to `transfer`, between clients of the form `{type}-{N}`.
            InvalidTransferVersion, InvalidType, InvalidAmount, InvalidAddress, ...: not a transfer's data.
            Unauthorized: somebody else signed.
            InvalidDenomForTransfer: the base denomination has a slash, which the other chain would take
                for a hop.
            SendDisabled, InsufficientBalance: the coins cannot be moved.
        """
        payload, client_id = sending.payload, sending.client_id_on_a
        _check_route(payload, client_id, sending.client_id_on_b)
        data = encodings.decode(payload)
        sender = self._addresses.decode(data.sender, "sender")
        if sender.raw != sending.signer.raw:
            raise Unauthorized(data.sender, sending.signer.text)
        if "/" in data.denom.base:
            raise InvalidDenomForTransfer(data.denom.path[:64], "a slash in the base")
        if not state.params(ctx).send_enabled:
            raise SendDisabled
        self._settlement.check_send(ctx, sender, data.denom.coin_denom)
        self._coins.take(ctx, sender, data.denom, data.amount, payload.port_id_on_a, client_id)
        packet_data.emit_sent(ctx, data)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Credits the receiver, or fails: the acknowledgement says no more than that.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet (H15): the transaction fails.
        """
        client_id_on_a, client_id_on_b, _, payload, _ = received
        try:
            _check_route(payload, client_id_on_a, client_id_on_b)
        except InvalidPacketV2:
            return _FAILURE
        data: TransferData | None = None
        try:
            data = encodings.decode(payload)
            self._settlement.receive(
                ctx, data, payload.port_id_on_a, client_id_on_a, payload.port_id_on_b, client_id_on_b
            )
        # guard: h15-ics20-v2-answers-when-the-gas-is-gone test_h15_out_of_gas_is_no_answer
        except NO_VERDICT:
            raise
        except IbcError as error:
            packet_data.emit_refused_v2(ctx, data, str(error))
            return _FAILURE
        packet_data.emit_received(ctx, data)
        return _SUCCESS

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Refunds the sender if the acknowledgement is an error.

        Raises:
            UnknownRequest, InvalidType: the acknowledgement is not a standard one in its one form.
            InvalidRequest: it is an error other than the sentinel.
        """
        answer = _read_answer(acknowledged.acknowledgement)
        data = encodings.decode(acknowledged.payload)
        if answer.error is not None:
            self._refund(ctx, acknowledged, data)
        packet_data.emit_acknowledged(ctx, data, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Refunds."""
        data = encodings.decode(timed_out.payload)
        self._refund(ctx, timed_out, data)
        packet_data.emit_timed_out(ctx, data)

    def decode_packet_data(self, payload: Payload) -> PacketData:
        """Sender, receiver and memo of a transfer in any of its encodings; `value` is its `TransferData`.

        Raises:
            InvalidTransferVersion, InvalidType, InvalidAmount, ...: see `encodings.decode`.
        """
        return packet_data.told(encodings.decode(payload))

    def _refund(self, ctx: WriteContext, done: AcknowledgedV2 | TimedOutV2, data: TransferData) -> None:
        self._settlement.refund(ctx, data, done.payload.port_id_on_a, done.client_id_on_a)


def _check_route(payload: Payload, client_id_on_a: str, client_id_on_b: str) -> None:
    """Checks what no handshake settled: a voucher's hop says the receiving port and client alone.

    Raises:
        InvalidPacketV2: a port is not `transfer`, or a client's identifier not `{type}-{N}`.
    """
    if (payload.port_id_on_a, payload.port_id_on_b) != (state.PORT_ID, state.PORT_ID):
        raise InvalidPacketV2(f"ports {payload.port_id_on_a} and {payload.port_id_on_b}")
    try:
        parse_client_id(client_id_on_a)
        parse_client_id(client_id_on_b)
    except InvalidIdentifier as error:
        raise InvalidPacketV2(str(error)) from error


_REFUSED = Acknowledgement(error=acks.failure_text(ReceiveFailed()))
"""What events show for the sentinel."""


def _read_answer(acknowledgement: bytes) -> Acknowledgement:
    if acknowledgement == SENTINEL:
        return _REFUSED
    answer = parse_answer(acknowledgement)
    # guard: h7-transfer-v2-takes-any-form test_h9_answers_that_are_none_refund_nothing
    check_canonical(acknowledgement)
    if not answer.success:
        raise InvalidRequest("an error acknowledgement other than the sentinel")
    return answer
