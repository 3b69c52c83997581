"""MsgSendCall (ICS-27 GMP)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidCallEncoding, InvalidCallTimeout
from ibc_core.gmp.packet_data import check_sizes
from ibc_core.identifiers import validate_client_id
from ibc_core.transfer.encodings import ABI, JSON, PROTOBUF
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.applications.gmp.v1 import tx_pb2

_ENCODINGS = ("", PROTOBUF, JSON, ABI)


@message(tx_pb2.MsgSendCall, response(tx_pb2.MsgSendCallResponse, "sequence"))
@value
class MsgSendCall(Msg):
    """Has messages executed on another chain, by the account that the sender has there."""

    source_client: str
    sender: Signer
    receiver: str
    salt: bytes
    payload: bytes
    timeout_s_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix seconds
    memo: str
    encoding: str = ""  # of the packet's data; "": Solidity's ABI

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidAddress, InvalidCallPayload, InvalidSalt, InvalidCallMemo,
            InvalidCallTimeout, InvalidCallEncoding.
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
