"""The application of IBC v2 on port `gmpport`: sends calls, and executes those that come in."""

from ibc_core.address import AddressCodec
from ibc_core.application.packet_data import PacketData
from ibc_core.application.v2 import IbcAppV2, PayloadAnswer, ReceivedV2, SendingV2
from ibc_core.errors import (
    NO_VERDICT,
    IbcError,
    InvalidCallPayload,
    InvalidIdentifier,
    InvalidPacketV2,
    Unauthorized,
)
from ibc_core.gmp import packet_data
from ibc_core.gmp.account import AccountIdentifier
from ibc_core.gmp.names import PORT_ID
from ibc_core.gmp.packet_data import GmpPacketData
from ibc_core.host.context import WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.identifiers import parse_client_id
from ibc_core.packet_v2.types import Payload
from ibc_core.wire.gojson import marshal_string
from ibc_module.apps.gmp import events
from ibc_module.apps.gmp.accounts import CallAccounts
from ibc_module.apps.gmp.calls import Calls


@shipped
class GmpApp(IbcAppV2):
    """ICS-27 GMP."""

    def __init__(self, accounts: CallAccounts, calls: Calls, addresses: AddressCodec) -> None:
        self._accounts = accounts
        self._calls = calls
        self._addresses = addresses

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Lets a call leave that its sender signed.

        Raises:
            InvalidPacketV2: not from `gmpport` to `gmpport`, between clients of the form `{type}-{N}`.
            InvalidCallVersion, InvalidCallEncoding, InvalidType: not a call in its one form.
            InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo: a call that cannot be.
            Unauthorized: somebody else signed.
        """
        _check_ports(sending.payload, InvalidPacketV2)
        try:
            parse_client_id(sending.client_id_on_a)
            # guard: h166-between-any-clients test_h166_what_may_not_leave
            parse_client_id(sending.client_id_on_b)
        except InvalidIdentifier as error:
            raise InvalidPacketV2(str(error)) from error
        data = _decode(sending.payload)
        data.check()
        sender = self._addresses.decode(data.sender, "sender")
        # guard: h166-anybody-signs-for-the-sender test_h166_what_may_not_leave
        if sender.raw != sending.signer.raw:
            raise Unauthorized(sender.text, sending.signer.text)
        events.emit_sent(ctx, sending, data)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Executes a call, or fails: the acknowledgement says no more than that.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: no verdict on the packet: the transaction fails.
        """
        data = events.NOTHING
        try:
            _check_ports(received.payload, InvalidCallPayload)
            data = _decode(received.payload)
            data.check()
            identifier = AccountIdentifier(received.client_id_on_b, data.sender, data.salt)
            account = self._accounts.ensure(ctx, identifier)
            result = self._calls.execute(ctx, account, data.payload)
            answer = packet_data.encode_answer(result, received.payload.encoding)
        # guard: h166-a-call-out-of-gas-is-answered test_h166_no_verdict
        except NO_VERDICT:
            raise
        except IbcError as error:
            events.emit_refused(ctx, received, data, error)
            return PayloadAnswer(success=False)
        events.emit_received(ctx, received, data)
        return PayloadAnswer(success=True, data=answer)

    def on_acknowledgement_packet(self) -> None:
        """Nothing: what a call gave is the sender's to look at."""

    def on_timeout_packet(self) -> None:
        """Nothing: a call holds no coins."""

    def decode_packet_data(self, payload: Payload) -> PacketData:
        """Sender, receiver and memo of a call, which asks for a callback at its sender whatever that says.

        `value` is its `GmpPacketData`.

        Raises:
            InvalidCallVersion, InvalidCallEncoding, InvalidType: see `packet_data.decode`.
        """
        data = _decode(payload)
        own = b'{"src_callback":{"address":%b}}' % marshal_string(data.sender)
        return PacketData(data.sender, data.receiver, data.memo, data, own=own.decode())


def _decode(payload: Payload) -> GmpPacketData:
    return packet_data.decode(payload.value, payload.version, payload.encoding)


def _check_ports(payload: Payload, refusal: type[InvalidPacketV2] | type[InvalidCallPayload]) -> None:
    ports = payload.port_id_on_a, payload.port_id_on_b
    # guard: h166-from-any-port test_h166_what_may_not_leave test_h166_what_is_not_executed
    if ports != (PORT_ID, PORT_ID):
        raise refusal(f"ports {ports[0]} and {ports[1]}")
