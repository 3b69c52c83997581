"""MsgSendTx (ICS-27)."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidRequest
from ibc_core.identifiers import validate_connection_id
from ibc_core.interchain_accounts.msg_register import check_owner
from ibc_core.interchain_accounts.packet_data import InterchainAccountPacketData
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import tx_pb2


@message(tx_pb2.MsgSendTx, response(tx_pb2.MsgSendTxResponse, "sequence"))
@value
class MsgSendTx(Msg):
    """The owner has its interchain account execute a transaction."""

    owner: Signer
    connection_id: str  # of this chain
    packet_data: InterchainAccountPacketData
    relative_timeout: int  # nanoseconds from this block's time on, by the host's clock

    def check(self, chain: HasAddresses) -> None:  # noqa: ARG002 - ibc-go reads the owner as a signer
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidAddress, InvalidOutgoingData, InvalidRequest.
        """
        validate_connection_id(self.connection_id)
        check_owner(self.owner)
        self.packet_data.check()
        if not self.relative_timeout:
            raise InvalidRequest("relative timeout cannot be zero")
