"""MsgUpdateRateLimit (ibc-go's rate limiting)."""

from ibc_core.rate_limit.msg_add_rate_limit import MsgAddRateLimit
from ibc_core.value import value
from ibc_core.wire.message import message
from ibc_proto.ibc.applications.rate_limiting.v1 import tx_pb2


@message(tx_pb2.MsgUpdateRateLimit)
@value
class MsgUpdateRateLimit(MsgAddRateLimit):
    """Gives a limit other thresholds and another length; its window begins anew. Same fields, same checks."""
