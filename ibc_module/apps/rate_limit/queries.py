"""`pyibc.ratelimit.v1.Query`: the limits, and the flow in the current window."""

from collections.abc import Mapping

from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.wire.paginate import paginate
from ibc_core.wire.requests import answering
from ibc_core.wire.states import read
from ibc_core.wire.table import unpack
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb

RATE_LIMITS = "/pyibc.ratelimit.v1.Query/RateLimits"


def routes() -> Mapping[str, QueryRoute]:
    """Rate limits by gRPC method path."""
    return {RATE_LIMITS: answering(pb.QueryRateLimitsRequest, rate_limits)}


def rate_limits(ctx: ReadContext, request: pb.QueryRateLimitsRequest) -> pb.QueryRateLimitsResponse:
    """A page of the limits, by channel or client, then coin. Raises InvalidRequest."""

    def read_entry(_: bytes, raw: bytes) -> pb.RateLimitState:
        limit = read(pb.RateLimit, raw)
        window, sent, received = state.flow(ctx, unpack(RateLimit, limit))
        flow = pb.Flow(window=window, sent=str(sent), received=str(received))
        return pb.RateLimitState(limit=limit, flow=flow)

    store = ctx.reader(state.STORE_NAME)
    found, page = paginate(
        store.iterate, state.LIMITS, request.pagination, read_entry, lambda key: b"/" in key
    )
    return pb.QueryRateLimitsResponse(rate_limits=found, pagination=page)
