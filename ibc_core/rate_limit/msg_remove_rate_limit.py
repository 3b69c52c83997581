"""MsgRemoveRateLimit (ibc-go's rate limiting)."""

from ibc_core.checking import HasAddresses
from ibc_core.rate_limit.rules import check_path, check_signer
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.applications.rate_limiting.v1 import tx_pb2


@message(tx_pb2.MsgRemoveRateLimit)
@value
class MsgRemoveRateLimit(Msg):
    """Takes a limit away."""

    signer: Signer  # the authority
    denom: str
    channel_or_client_id: str

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidSdkAddress, InvalidSdkRequest.
        """
        check_path(self.signer, self.denom, self.channel_or_client_id)
        check_signer(chain.addresses, self.signer)
