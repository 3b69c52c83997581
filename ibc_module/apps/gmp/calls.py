"""What a call says is to be executed: all of it by its account, or nothing."""

from collections.abc import Sequence

from ibc_core.address import Address, AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.application.services import DecodedMessage, Messages
from ibc_core.errors import InvalidCallPayload, Unauthorized
from ibc_core.host.context import WriteContext
from ibc_core.wire.budget import Budget
from ibc_core.wire.encoding import encode
from ibc_module.apps.gmp.cosmos_tx import read_messages
from ibc_proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from ibc_proto.google.protobuf.any_pb2 import Any


class Calls:
    """Executes calls by the routes of one chain."""

    def __init__(self, messages: Messages, addresses: AddressCodec) -> None:
        self._messages = messages
        self._addresses = addresses

    def execute(self, ctx: WriteContext, account: Address, payload: bytes) -> bytes:
        """Executes a `CosmosTx`; returns a `TxMsgData` of the responses.

        Raises:
            InvalidCallPayload: it has no messages, or one that not exactly one account signs.
            Unauthorized: another account would have to sign.
            IbcError: it is malformed, or a message fails: nothing was written.
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
