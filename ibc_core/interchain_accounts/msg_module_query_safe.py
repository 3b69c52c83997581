"""MsgModuleQuerySafe (ICS-27): an account asks queries that are the same on every node."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidRequest
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message, response
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.applications.interchain_accounts.host.v1 import host_pb2, tx_pb2


@on_wire(host_pb2.QueryRequest)
@value
class QueryRequest:
    """One query."""

    path: str  # of the gRPC method: `/cosmos.bank.v1beta1.Query/Balance`
    data: bytes  # the encoded request


@message(tx_pb2.MsgModuleQuerySafe, response(tx_pb2.MsgModuleQuerySafeResponse, "height", "responses"))
@value
class MsgModuleQuerySafe(Msg):
    """Asks queries in the block under way; the acknowledgement has the answers."""

    signer: Signer
    requests: tuple[QueryRequest, ...]

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        if not self.requests:
            raise InvalidRequest("no queries provided")
