"""MsgUpdateRateLimit (ibc-go's rate limiting)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.rate_limit.limit import PERCENT
from ibc_core.rate_limit.rules import check_path, check_quota, check_signer
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.applications.rate_limiting.v1 import tx_pb2


@message(tx_pb2.MsgUpdateRateLimit)
@value
class MsgUpdateRateLimit(Msg):
    """Gives a limit other thresholds and another length; its window begins anew."""

    signer: Signer  # the authority
    denom: str
    channel_or_client_id: str
    max_percent_send: Annotated[int, Wire("max_percent_send", PERCENT)]  # 0 to 100
    max_percent_recv: Annotated[int, Wire("max_percent_recv", PERCENT)]
    duration_hours: int  # at least 1

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidSdkAddress, InvalidSdkRequest.
        """
        check_path(self.signer, self.denom, self.channel_or_client_id)
        check_quota(self.max_percent_send, self.max_percent_recv, self.duration_hours)
        check_signer(chain.addresses, self.signer)
