"""Atomic execution of a packet's messages on the host, and the event `ics27_packet` (ICS-27)."""

from collections.abc import Callable, Sequence
from typing import Literal

from google.protobuf.message import Message

from pyibc.apps.interchain_accounts.packet_data import (
    ENCODINGS,
    EXECUTE_TX,
    MODULE_NAME,
    PROTO3,
    decode_metadata,
    decode_packet_data,
)
from pyibc.apps.interchain_accounts.state import AccountsState, get_channel, host_params
from pyibc.codec import exact_json
from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import Budget
from pyibc.codec.gogoproto import read_cosmos_tx
from pyibc.core.address import AddressCodec
from pyibc.core.application.classic import Received
from pyibc.core.application.services import DecodedMessage, Messages
from pyibc.core.errors import (
    NO_VERDICT,
    HostDisabled,
    IbcError,
    InterchainAccountNotFound,
    InvalidType,
    NoSigners,
    TxDecode,
    Unauthorized,
    UnknownDataType,
    UnsupportedEncoding,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.isolation.limits import MAX_ACKNOWLEDGEMENT, check_size
from pyibc.proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from pyibc.proto.google.protobuf import any_pb2

# -- transaction of a packet: its messages, in the encoding of the channel's metadata


def read_messages(data: bytes, encoding: str, wire: Callable[[str], type[Message]]) -> list[AnyMessage]:
    """Decode a CosmosTx to packed messages; `wire` returns the protobuf class of a type URL, for JSON.

    Unknown fields of a CosmosTx in protobuf are ignored, as in Go.

    Raises:
        InvalidType: it is not a CosmosTx in this encoding.
        UnsupportedEncoding: the encoding is unknown.
        IbcError: `wire` does not know a type.
    """
    if encoding not in ENCODINGS:
        raise UnsupportedEncoding(encoding)
    try:
        return read_cosmos_tx(data) if encoding == PROTO3 else exact_json.read_messages(data, wire)
    except TxDecode as error:
        raise InvalidType(f"a CosmosTx in {encoding}", str(error)) from error


# -- execution

PACKET = "ics27_packet"
_MODULE = ("module", MODULE_NAME)


def emit_executed(ctx: WriteContext, channel_id: str) -> None:
    """Emit the event of an executed packet."""
    ctx.emit((PACKET, (_MODULE, ("host_channel_id", channel_id), ("success", "true"))))


def emit_refused(
    ctx: WriteContext, which: Literal["host_channel_id", "controller_channel_id"], channel_id: str, error: str
) -> None:
    """Emit the event of a packet that gets an error acknowledgement."""
    ctx.emit((PACKET, (_MODULE, (which, channel_id), ("success", "false"), ("error", error))))


def emit_host_disabled(ctx: WriteContext, channel_id: str) -> None:
    """Emit the event of a packet refused by a disabled host; ibc-go orders its attributes differently."""
    error = ("error", str(HostDisabled()))
    ctx.emit((PACKET, (_MODULE, ("host_channel_id", channel_id), error, ("success", "false"))))


class TxExecutor:
    """Decodes, authenticates and executes the transaction of a packet."""

    def __init__(self, state: AccountsState, messages: Messages, addresses: AddressCodec) -> None:
        self._state = state
        self._messages = messages
        self._addresses = addresses

    def execute(self, ctx: WriteContext, received: Received) -> bytes:
        """Execute a packet's transaction; return the responses (TxMsgData).

        Raises:
            InvalidType, UnknownDataType, UnsupportedEncoding: the packet holds no executable transaction.
            InterchainAccountNotFound: the port has no account.
            Unauthorized, NoSigners: a message is not allowed, or not signed by the account alone.
            TooLarge: the responses do not fit an acknowledgement.
            IbcError: a message failed; the whole transaction is reverted.
        """
        packet = received.packet
        data = decode_packet_data(packet.data)
        metadata = decode_metadata(received.channel_version)
        if data.kind != EXECUTE_TX:
            raise UnknownDataType(str(data.kind))
        messages = self._decoded(data.data, metadata.encoding)
        hop = get_channel(ctx, packet.port_id_on_b, packet.channel_id_on_b).connection_id
        self._authenticate(ctx, messages, hop, packet.port_id_on_a)
        # guard: h160-half-a-transaction drop:branch test_h160_of_what_fails_nothing_is_left
        with ctx.branch():  # events are reverted as well
            answers = [self._messages.deliver(ctx, message) for message in messages]
            packed = [any_pb2.Any(type_url=each.type_url, value=each.value) for each in answers]
            result = TxMsgData(msg_responses=packed).SerializeToString()
            # guard: h160-an-acknowledgement-of-any-size drop
            #   test_h160_responses_that_no_acknowledgement_holds_are_an_error
            check_size("responses", len(acks.success(result)), MAX_ACKNOWLEDGEMENT)
        return result

    def _decoded(self, data: bytes, encoding: str) -> list[DecodedMessage]:
        budget, decode = Budget(len(data)), self._messages.decode
        try:
            packed = read_messages(data, encoding, self._messages.wire)
            # guard: h163-a-message-without-a-type {each.type_url => each} test_h163_what_is_no_message
            return [decode(each, budget) if each.type_url else _EMPTY for each in packed]
        except (*NO_VERDICT, UnsupportedEncoding):
            raise
        except IbcError as error:
            raise InvalidType("a CosmosTx of messages that this chain knows", str(error)) from error

    def _authenticate(
        self, ctx: ReadContext, messages: Sequence[DecodedMessage], connection_id: str, port_id: str
    ) -> None:
        """Check that each message is allowed and signed by the account alone."""
        account = self._state.address(ctx, connection_id, port_id)
        if account is None:
            # guard: h160-a-port-without-an-account-has-one {=> account = port_id}
            #   test_h160_another_owner_s_packet_does_not_reach_the_account
            raise InterchainAccountNotFound(port_id)
        params = host_params(self._state.params(ctx))
        for message in messages:
            # guard: h160-every-message-is-allowed test_h160_only_what_is_allowed
            if not params.allows(message.type_url):
                raise Unauthorized("a message type that is allowed", message.type_url)
            for signer in self._signers(message):
                text = self._addresses.encode(signer).text
                # guard: h160-anybody-signs test_h160_an_account_executes_nobody_else_s_messages
                if text != account:
                    raise Unauthorized(account, text)

    def _signers(self, message: DecodedMessage) -> tuple[bytes, ...]:
        if message is _EMPTY:
            raise NoSigners(message.type_url, "an Any without a type URL holds no message")
        try:
            return self._messages.signers(message)
        except NO_VERDICT:
            raise
        except IbcError as error:
            raise NoSigners(message.type_url, str(error)) from error


_EMPTY = DecodedMessage("/", None)
"""Any without a type URL: Go unpacks it to nothing and fails when its signers are needed."""
