"""ICS-20 over IBC v2: coins move between two clients instead of two channel ends.

A voucher's hop holds the identifier of the client on the receiving chain, where v1 has the channel's.
"""

from pyibc.apps.transfer import app, packet_data, state
from pyibc.apps.transfer.app import check_canonical, parse_acknowledgement
from pyibc.apps.transfer.coins import CoinMover, TransferKeeper
from pyibc.apps.transfer.packet_data import TransferData
from pyibc.core.address import AddressCodec
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.v2 import (
    AcknowledgedV2,
    IbcAppV2,
    PayloadAnswer,
    ReceivedV2,
    SendingV2,
    TimedOutV2,
)
from pyibc.core.errors import (
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
from pyibc.core.host.context import WriteContext
from pyibc.core.identifiers import parse_client_id
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement
from pyibc.core.packet_v2.types import SENTINEL, Payload
from pyibc.isolation.isolate import builtin

_SUCCESS = PayloadAnswer(success=True, data=acks.success())
_FAILURE = PayloadAnswer(success=False)


@builtin
class TransferAppV2(IbcAppV2):
    """ICS-20 on port `transfer` of IBC v2."""

    def __init__(self, coins: CoinMover, keeper: TransferKeeper, addresses: AddressCodec) -> None:
        self._coins = coins
        self._keeper = keeper
        self._addresses = addresses

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Escrow or burn the sender's coins.

        Raises:
            InvalidPacketV2: a port is not `transfer`, or a client identifier is not of the form
                `{type}-{N}`.
            InvalidTransferVersion, InvalidType, InvalidAmount, InvalidAddress, ...: the payload is not a
                valid transfer (`packet_data.decode_payload`).
            Unauthorized: the signer is not the sender, or is a blocked module account.
            InvalidDenomForTransfer: the base denomination has a slash; chain B would read a hop into it.
            SendDisabled, InsufficientBalance: the coins cannot be moved.
        """
        payload, client_id = sending.payload, sending.client_id_on_a
        _check_route(payload, client_id, sending.client_id_on_b)
        data = packet_data.decode_payload(payload)
        sender = self._addresses.decode(data.sender, "sender")
        if sender.raw != sending.signer.raw:
            raise Unauthorized(data.sender, sending.signer.text)
        if "/" in data.denom.base:
            raise InvalidDenomForTransfer(data.denom.path[:64], "a slash in the base")
        if not state.params(ctx).send_enabled:
            raise SendDisabled
        self._keeper.check_send(ctx, sender, data.denom.coin_denom)
        self._coins.escrow_or_burn(ctx, sender, data.denom, data.amount, payload.port_id_on_a, client_id)
        app.emit_sent(ctx, data)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Credit the receiver, or fail with the sentinel acknowledgement, which has no details.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived
                (H15).
        """
        client_id_on_a, client_id_on_b, _, payload, _ = received
        try:
            _check_route(payload, client_id_on_a, client_id_on_b)
        except InvalidPacketV2:
            return _FAILURE
        data: TransferData | None = None
        try:
            data = packet_data.decode_payload(payload)
            self._keeper.receive(
                ctx, data, payload.port_id_on_a, client_id_on_a, payload.port_id_on_b, client_id_on_b
            )
        # guard: h15-ics20-v2-answers-when-the-gas-is-gone test_h15_out_of_gas_is_no_answer
        except NO_VERDICT:
            raise
        except IbcError as error:
            app.emit_refused_v2(ctx, data, str(error))
            return _FAILURE
        app.emit_received(ctx, data)
        return _SUCCESS

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Refund the sender if the acknowledgement is an error.

        Raises:
            UnknownRequest: it is not a standard acknowledgement.
            InvalidType: it is not in canonical form.
            InvalidRequest: it is an error other than the sentinel.
        """
        answer = _parse_acknowledgement(acknowledged.acknowledgement)
        data = packet_data.decode_payload(acknowledged.payload)
        if answer.error is not None:
            self._refund(ctx, acknowledged, data)
        app.emit_acknowledged(ctx, data, answer)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Refund the sender."""
        data = packet_data.decode_payload(timed_out.payload)
        self._refund(ctx, timed_out, data)
        app.emit_timed_out(ctx, data)

    def decode_packet_data(self, payload: Payload) -> PacketData:
        """Return sender, receiver and memo of a transfer in any encoding; `value` is its `TransferData`.

        Raises:
            InvalidTransferVersion, InvalidType, InvalidAmount, ...: see `packet_data.decode_payload`.
        """
        return packet_data.to_packet_data(packet_data.decode_payload(payload))

    def _refund(self, ctx: WriteContext, done: AcknowledgedV2 | TimedOutV2, data: TransferData) -> None:
        self._keeper.refund(ctx, data, done.payload.port_id_on_a, done.client_id_on_a)


def _check_route(payload: Payload, client_id_on_a: str, client_id_on_b: str) -> None:
    """Check ports and client identifiers, which no handshake has checked in IBC v2.

    A voucher's hop records only the receiving port and client.

    Raises:
        InvalidPacketV2: a port is not `transfer`, or a client's identifier not `{type}-{N}`.
    """
    if (payload.port_id_on_a, payload.port_id_on_b) != (packet_data.PORT_ID, packet_data.PORT_ID):
        raise InvalidPacketV2(f"ports {payload.port_id_on_a} and {payload.port_id_on_b}")
    try:
        parse_client_id(client_id_on_a)
        parse_client_id(client_id_on_b)
    except InvalidIdentifier as error:
        raise InvalidPacketV2(str(error)) from error


_REFUSED = Acknowledgement(error=acks.failure_text(ReceiveFailed()))
"""Acknowledgement that events show in place of the sentinel."""


def _parse_acknowledgement(acknowledgement: bytes) -> Acknowledgement:
    if acknowledgement == SENTINEL:
        return _REFUSED
    answer = parse_acknowledgement(acknowledgement)
    # guard: h7-transfer-v2-takes-any-form test_h9_answers_that_are_none_refund_nothing
    check_canonical(acknowledgement)
    if not answer.success:
        raise InvalidRequest("an error acknowledgement other than the sentinel")
    return answer
