"""MsgUpdateParams of connections (ICS-3)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidRequest
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.connection.v1 import tx_pb2


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateConnectionParams(Msg):
    """The authority sets the connection parameters, whole."""

    max_expected_time_per_block_ns: Annotated[int, Wire("params.max_expected_time_per_block")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        if self.max_expected_time_per_block_ns == 0:
            raise InvalidRequest("max_expected_time_per_block: zero")
