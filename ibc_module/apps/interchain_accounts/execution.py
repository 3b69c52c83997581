"""The host executes what an interchain account was sent: all of its messages, or none (ICS-27)."""

from collections.abc import Sequence

from ibc_core.address import AddressCodec
from ibc_core.application.answers import MAX_ACKNOWLEDGEMENT, check_size
from ibc_core.application.classic import Received
from ibc_core.application.services import DecodedMessage, Messages
from ibc_core.errors import (
    NO_VERDICT,
    IbcError,
    InterchainAccountNotFound,
    InvalidType,
    NoSigners,
    Unauthorized,
    UnknownDataType,
    UnsupportedEncoding,
)
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.interchain_accounts.cosmos_tx import read_messages
from ibc_core.interchain_accounts.metadata import decode_metadata
from ibc_core.interchain_accounts.packet_data import EXECUTE_TX, decode_packet_data
from ibc_core.packet import acknowledgement as acks
from ibc_core.wire.budget import Budget
from ibc_module.apps.interchain_accounts.params import host_params
from ibc_module.apps.interchain_accounts.state import AccountsState, channel_of
from ibc_proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from ibc_proto.google.protobuf import any_pb2


class Execution:
    """Reads a packet's transaction, checks who signs it, executes it."""

    def __init__(self, state: AccountsState, messages: Messages, addresses: AddressCodec) -> None:
        self._state = state
        self._messages = messages
        self._addresses = addresses

    def run(self, ctx: WriteContext, received: Received) -> bytes:
        """Executes; returns the responses (TxMsgData).

        Raises:
            InvalidType, UnknownDataType, UnsupportedEncoding: the packet says nothing that can be executed.
            InterchainAccountNotFound, Unauthorized, NoSigners: not this account's to execute.
            TooLarge: no acknowledgement holds the responses.
            IbcError: a message's own; nothing of the transaction is left.
        """
        packet = received.packet
        data = decode_packet_data(packet.data)
        metadata = decode_metadata(received.channel_version)
        if data.kind != EXECUTE_TX:
            raise UnknownDataType(str(data.kind))
        messages = self._decoded(data.data, metadata.encoding)
        hop = channel_of(ctx, packet.port_id_on_b, packet.channel_id_on_b).connection_id
        self._authenticate(ctx, messages, hop, packet.port_id_on_a)
        # guard: h160-half-a-transaction drop:branch test_h160_of_what_fails_nothing_is_left
        with ctx.branch():  # of what fails not even the events remain
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
        """Checks that each message is allowed, and signed by the account and nobody else."""
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
            raise NoSigners(message.type_url, "an Any without a type holds no message")
        try:
            return self._messages.signers(message)
        except NO_VERDICT:
            raise
        except IbcError as error:
            raise NoSigners(message.type_url, str(error)) from error


_EMPTY = DecodedMessage("/", None)
"""An Any without a type: Go unpacks nothing out of it, and fails when its signers are asked for."""
