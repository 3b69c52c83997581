"""IBC v2 application on port `gmpport`: checks calls that are sent, executes calls that are received."""

from base64 import b64encode
from collections.abc import Sequence

from pyibc.apps.gmp import packet_data
from pyibc.apps.gmp.messages import read_messages
from pyibc.apps.gmp.packet_data import PORT_ID, AccountIdentifier, GmpPacketData
from pyibc.apps.gmp.state import CallAccounts
from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import Budget
from pyibc.codec.encoding import encode
from pyibc.codec.gojson import marshal_string
from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import DecodedMessage, Messages
from pyibc.core.application.v2 import IbcAppV2, PayloadAnswer, ReceivedV2, SendingV2
from pyibc.core.errors import (
    NO_VERDICT,
    IbcError,
    InvalidCallPayload,
    InvalidIdentifier,
    InvalidPacketV2,
    Unauthorized,
)
from pyibc.core.host.context import WriteContext
from pyibc.core.identifiers import parse_client_id
from pyibc.core.packet_v2.types import Payload
from pyibc.isolation.isolate import builtin
from pyibc.proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from pyibc.proto.google.protobuf.any_pb2 import Any

MODULE = ("message", (("module", "gmp"),))
EMPTY_DATA = GmpPacketData("", "", b"", b"", "")
"""Attribute values for a packet that cannot be decoded."""


def emit_sent(ctx: WriteContext, sending: SendingV2, data: GmpPacketData) -> None:
    """Emit the event of a call that is sent."""
    ctx.emit(("ics27_gmp_send_call", _attributes(sending, data)))
    ctx.emit(MODULE)


def emit_received(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData) -> None:
    """Emit the event of a call that was executed."""
    _emit(ctx, received, data, ("success", "true"))


def emit_refused(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData, error: IbcError) -> None:
    """Emit the event of a call that failed."""
    _emit(ctx, received, data, ("success", "false"), ("error", str(error)))


def _emit(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData, *outcome: tuple[str, str]) -> None:
    ctx.emit(("ics27_gmp_recv_packet", (*_attributes(received, data), *outcome)))
    ctx.emit(MODULE)


def _attributes(packet: SendingV2 | ReceivedV2, data: GmpPacketData) -> tuple[tuple[str, str], ...]:
    return (
        ("sender", data.sender),
        ("receiver", data.receiver),
        ("salt", b64encode(data.salt).decode()),
        ("payload", b64encode(data.payload).decode()),
        ("memo", data.memo),
        ("source_client", packet.client_id_on_a),
        ("destination_client", packet.client_id_on_b),
        ("source_port", packet.payload.port_id_on_a),
        ("destination_port", packet.payload.port_id_on_b),
        ("sequence", str(packet.sequence)),
    )


# -- execution of calls: all messages by the sender's account, atomically


class CallExecutor:
    """Executes calls through the chain's message routes."""

    def __init__(self, messages: Messages, addresses: AddressCodec) -> None:
        self._messages = messages
        self._addresses = addresses

    def execute(self, ctx: WriteContext, account: Address, payload: bytes) -> bytes:
        """Execute a `CosmosTx`; return a `TxMsgData` of the responses.

        Raises:
            InvalidCallPayload: it has no messages, or one with other than one signer.
            Unauthorized: the signer of a message is another account.
            IbcError: it is malformed, or a message fails; nothing is written.
        """
        budget = Budget(len(payload))
        messages = [self._messages.decode(each, budget) for each in read_messages(payload, self._messages)]
        self._authenticate(account, messages)
        # guard: h166-part-of-a-call-stays drop:branch test_h166_messages_are_executed_in_a_branch
        with ctx.branch():
            responses = [self._messages.deliver(ctx, each) for each in messages]
        return _encode(responses)

    def _authenticate(self, account: Address, messages: Sequence[DecodedMessage]) -> None:
        # guard: h166-no-messages test_h166_a_call_that_fails_leaves_nothing
        if not messages:
            raise InvalidCallPayload("empty message list")
        for each in messages:
            signers = self._messages.signers(each)
            # guard: h166-several-signers test_h166_one_signer_a_message
            if len(signers) != 1:
                raise InvalidCallPayload(f"{each.type_url} has {len(signers)} signers")
            # guard: h166-anybodys-message test_h166_a_call_that_fails_leaves_nothing
            if signers[0] != account.raw:
                raise Unauthorized(account.text, self._addresses.encode(signers[0]).text)


def _encode(responses: Sequence[AnyMessage]) -> bytes:
    packed = [Any(type_url=each.type_url, value=each.value) for each in responses]
    return encode(TxMsgData(msg_responses=packed))


# -- the application


@builtin
class GmpApp(IbcAppV2):
    """ICS-27 GMP application."""

    def __init__(self, accounts: CallAccounts, calls: CallExecutor, addresses: AddressCodec) -> None:
        self._accounts = accounts
        self._calls = calls
        self._addresses = addresses

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Check a call; its sender must have signed.

        Raises:
            InvalidPacketV2: a port is not `gmpport`, or a client identifier not of the form `{type}-{N}`.
            InvalidCallVersion, InvalidCallEncoding, InvalidType: it is not a call in canonical form.
            InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo: a field is missing or too long.
            Unauthorized: the signer is not the sender.
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
        emit_sent(ctx, sending, data)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Execute a call, or fail with the sentinel acknowledgement, which has no details.

        Raises:
            OutOfGas, LogicFault, ApplicationFault: the transaction fails and the packet stays unreceived.
        """
        data = EMPTY_DATA
        try:
            _check_ports(received.payload, InvalidCallPayload)
            data = _decode(received.payload)
            data.check()
            identifier = AccountIdentifier(received.client_id_on_b, data.sender, data.salt)
            account = self._accounts.ensure(ctx, identifier)
            result = self._calls.execute(ctx, account, data.payload)
            answer = packet_data.encode_acknowledgement(result, received.payload.encoding)
        # guard: h166-a-call-out-of-gas-is-answered test_h166_no_verdict
        except NO_VERDICT:
            raise
        except IbcError as error:
            emit_refused(ctx, received, data, error)
            return PayloadAnswer(success=False)
        emit_received(ctx, received, data)
        return PayloadAnswer(success=True, data=answer)

    def on_acknowledgement_packet(self) -> None:
        """Accept: the sender reads the result from the acknowledgement."""

    def on_timeout_packet(self) -> None:
        """Accept: a call locks no coins."""

    def decode_packet_data(self, payload: Payload) -> PacketData:
        """Return sender, receiver and memo of a call; its callback address is always the sender.

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
