"""Pairs of accounts whose transfers no rate limit counts."""

from typing import NamedTuple

from ibc_core.value import sealed
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb


@on_wire(pb.WhitelistedAddressPair)
@sealed
class WhitelistedAddressPair(NamedTuple):
    """Transfers from `sender` to `receiver`, spelled as packets spell them; the way back is another pair."""

    sender: str
    receiver: str
