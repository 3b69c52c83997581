"""`ibc.applications.rate_limiting.v1.Query`: limits and lists."""

from collections.abc import Iterable, Mapping

from ibc_core.errors import (
    ChannelNotFound,
    ClientNotFound,
    ConnectionNotFound,
    InvalidRateLimitClient,
)
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.rate_limit.limit import RateLimit
from ibc_core.wire.requests import answering
from ibc_core.wire.states import read
from ibc_core.wire.table import pack
from ibc_module.apps.rate_limit import state
from ibc_module.apps.transfer.state import PORT_ID
from ibc_module.queries import lookup
from ibc_proto.ibc.applications.rate_limiting.v1 import query_pb2 as pb
from ibc_proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from keepers.keepers import Keepers

SERVICE = "/ibc.applications.rate_limiting.v1.Query/"
_TENDERMINT = "/ibc.lightclients.tendermint.v1.ClientState"


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Every query of the service, by gRPC method path.

    A route raises InvalidRequest (`ibc/8`) for a malformed request, InvalidRateLimitClient, and nothing else
    that a request can cause.
    """

    def by_chain_id(
        ctx: ReadContext, request: pb.QueryRateLimitsByChainIDRequest
    ) -> pb.QueryRateLimitsByChainIDResponse:
        return _by_chain_id(keepers, ctx, request)

    return {
        f"{SERVICE}AllRateLimits": answering(pb.QueryAllRateLimitsRequest, all_limits),
        f"{SERVICE}RateLimit": answering(pb.QueryRateLimitRequest, limit),
        f"{SERVICE}RateLimitsByChainID": answering(pb.QueryRateLimitsByChainIDRequest, by_chain_id),
        f"{SERVICE}RateLimitsByChannelOrClientID": answering(
            pb.QueryRateLimitsByChannelOrClientIDRequest, by_channel_or_client
        ),
        f"{SERVICE}AllBlacklistedDenoms": answering(pb.QueryAllBlacklistedDenomsRequest, blacklist),
        f"{SERVICE}AllWhitelistedAddresses": answering(pb.QueryAllWhitelistedAddressesRequest, whitelist),
    }


def all_limits(ctx: ReadContext, _request: pb.QueryAllRateLimitsRequest) -> pb.QueryAllRateLimitsResponse:
    """Every limit."""
    return pb.QueryAllRateLimitsResponse(rate_limits=_packed(state.limits(ctx)))


def limit(ctx: ReadContext, request: pb.QueryRateLimitRequest) -> pb.QueryRateLimitResponse:
    """One limit; an empty answer where there is none."""
    found = state.limit(ctx, request.denom, request.channel_or_client_id)
    return pb.QueryRateLimitResponse() if found is None else pb.QueryRateLimitResponse(rate_limit=pack(found))


def by_channel_or_client(
    ctx: ReadContext, request: pb.QueryRateLimitsByChannelOrClientIDRequest
) -> pb.QueryRateLimitsByChannelOrClientIDResponse:
    """The limits over one channel or client."""
    found = [each for each in state.limits(ctx) if each.channel_or_client_id == request.channel_or_client_id]
    return pb.QueryRateLimitsByChannelOrClientIDResponse(rate_limits=_packed(found))


def _by_chain_id(
    keepers: Keepers, ctx: ReadContext, request: pb.QueryRateLimitsByChainIDRequest
) -> pb.QueryRateLimitsByChainIDResponse:
    """The limits towards one chain, by the chain id of tendermint clients."""
    found = [each for each in state.limits(ctx) if _chain_id(keepers, ctx, each) == request.chain_id]
    return pb.QueryRateLimitsByChainIDResponse(rate_limits=_packed(found))


def _chain_id(keepers: Keepers, ctx: ReadContext, of: RateLimit) -> str | None:
    """The chain at the other end of a limit, None where no tendermint client says it.

    Raises:
        InvalidRateLimitClient: the limit's channel or client is not there.
    """
    end = of.channel_or_client_id
    try:
        client_id = keepers.connections.get(
            ctx, keepers.channels.get(ctx, PORT_ID, end).connection_id
        ).client_id
    except (ChannelNotFound, ConnectionNotFound):
        client_id = end
    try:
        client_state = lookup.client_state(ctx, client_id)
    except ClientNotFound:
        raise InvalidRateLimitClient(end) from None
    if client_state.type_url != _TENDERMINT:
        return None
    chain_id: str = read(tendermint_pb2.ClientState, client_state.value).chain_id
    return chain_id


def blacklist(
    ctx: ReadContext, _request: pb.QueryAllBlacklistedDenomsRequest
) -> pb.QueryAllBlacklistedDenomsResponse:
    """The denominations that may not be transferred."""
    return pb.QueryAllBlacklistedDenomsResponse(denoms=state.blacklist(ctx))


def whitelist(
    ctx: ReadContext, _request: pb.QueryAllWhitelistedAddressesRequest
) -> pb.QueryAllWhitelistedAddressesResponse:
    """The pairs whose transfers are not counted."""
    return pb.QueryAllWhitelistedAddressesResponse(
        address_pairs=[pack(pair) for pair in state.whitelist(ctx)]
    )


def _packed(limits: Iterable[RateLimit]) -> list[rate_limiting_pb2.RateLimit]:
    return [pack(each) for each in limits]
