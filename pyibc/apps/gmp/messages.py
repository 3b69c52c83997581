"""Message of ICS-27 GMP, MsgSendCall, and the encoding of the messages that a call executes."""

from collections.abc import Iterable
from typing import Annotated

from pyibc.apps.gmp.packet_data import check_sizes
from pyibc.codec import exact_json
from pyibc.codec import gogoproto as gogo
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.application.services import Messages
from pyibc.core.checking import HasAddresses
from pyibc.core.errors import InvalidCallEncoding, InvalidCallTimeout, InvalidType, TxDecode, UnknownMessage
from pyibc.core.identifiers import validate_client_id
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.core.value import value
from pyibc.core.wire.columns import Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.applications.gmp.v1 import tx_pb2
from pyibc.proto.ibc.applications.gmp.v1.account_pb2 import CosmosTx

_ENCODINGS = ("", PROTOBUF, JSON, ABI)


@message(tx_pb2.MsgSendCall, response(tx_pb2.MsgSendCallResponse, "sequence"))
@value
class MsgSendCall(Msg):
    """Sends messages to another chain for execution by the sender's account there."""

    source_client: str
    sender: Signer
    receiver: str
    salt: bytes
    payload: bytes
    timeout_s_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix seconds
    memo: str
    encoding: str = ""  # of the packet data; "": Solidity ABI

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier: the client identifier is malformed.
            InvalidAddress: the sender is not an address, or the receiver is too long.
            InvalidCallPayload, InvalidSalt, InvalidCallMemo: a field is too long.
            InvalidCallTimeout: there is no timeout.
            InvalidCallEncoding: the encoding is unknown.
        """
        validate_client_id(self.source_client)
        chain.addresses.decode(self.sender, "sender")
        check_sizes(self.receiver, self.payload, self.salt, self.memo)
        # guard: h166-a-call-without-a-timeout test_calls::test_messages_that_cannot_be
        if self.timeout_s_on_b == 0:
            raise InvalidCallTimeout
        # guard: h166-in-any-encoding test_calls::test_messages_that_cannot_be
        if self.encoding not in _ENCODINGS:
            raise InvalidCallEncoding(self.encoding[:64])


def cosmos_tx(messages: Iterable[AnyMessage]) -> bytes:
    """Encode a `CosmosTx` in protobuf: messages for the sender's account to execute atomically."""
    packed = [Any(type_url=each.type_url, value=each.value) for each in messages]
    return encode(CosmosTx(messages=packed))


def read_messages(payload: bytes, messages: Messages) -> list[AnyMessage]:
    """Decode a payload to packed messages; unknown fields of a `CosmosTx` in protobuf are ignored.

    Raises:
        InvalidType: it is neither protobuf nor protojson.
    """
    try:
        return gogo.read_cosmos_tx(payload)
    except TxDecode:
        return _from_json(payload, messages)


def _from_json(payload: bytes, messages: Messages) -> list[AnyMessage]:
    try:
        return exact_json.read_messages(payload, messages.wire)
    except (TxDecode, UnknownMessage) as error:
        raise InvalidType("a CosmosTx in protobuf or protojson", str(error)) from error
