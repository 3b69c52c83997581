"""Query service of rate limits (`ibc.applications.rate_limiting.v1.Query`): limits and lists."""

from collections.abc import Iterable, Mapping

from ibc_module.queries import lookup
from keepers.keepers import Keepers
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import RateLimit
from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.core.errors import ChannelNotFound, ClientNotFound, ConnectionNotFound, InvalidRateLimitClient
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.wire.requests import query_routes
from pyibc.core.wire.states import read
from pyibc.core.wire.table import pack
from pyibc.proto.ibc.applications.rate_limiting.v1 import query_pb2 as pb
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2

SERVICE = "/ibc.applications.rate_limiting.v1.Query/"
_TENDERMINT = "/ibc.lightclients.tendermint.v1.ClientState"


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Return the routes of the service by gRPC method path.

    A request can make a route raise InvalidRequest (`ibc/8`, malformed) or InvalidRateLimitClient, nothing
    else.
    """
    return query_routes(_Queries(keepers))


class _Queries:
    def __init__(self, keepers: Keepers) -> None:
        self._keepers = keepers

    def all_limits(
        self, ctx: ReadContext, _request: pb.QueryAllRateLimitsRequest
    ) -> pb.QueryAllRateLimitsResponse:
        """Return every limit."""
        return pb.QueryAllRateLimitsResponse(rate_limits=_packed(state.limits(ctx)))

    def limit(self, ctx: ReadContext, request: pb.QueryRateLimitRequest) -> pb.QueryRateLimitResponse:
        """Return one limit; an empty response if there is none."""
        found = state.limit(ctx, request.denom, request.channel_or_client_id)
        return pb.QueryRateLimitResponse(rate_limit=None if found is None else pack(found))

    def by_channel_or_client(
        self, ctx: ReadContext, request: pb.QueryRateLimitsByChannelOrClientIDRequest
    ) -> pb.QueryRateLimitsByChannelOrClientIDResponse:
        """Return the limits over one channel or client."""
        asked = request.channel_or_client_id
        found = [each for each in state.limits(ctx) if each.channel_or_client_id == asked]
        return pb.QueryRateLimitsByChannelOrClientIDResponse(rate_limits=_packed(found))

    def by_chain_id(
        self, ctx: ReadContext, request: pb.QueryRateLimitsByChainIDRequest
    ) -> pb.QueryRateLimitsByChainIDResponse:
        """Return the limits towards one chain, given its chain id in 07-tendermint clients."""
        found = [
            each for each in state.limits(ctx) if _chain_id(self._keepers, ctx, each) == request.chain_id
        ]
        return pb.QueryRateLimitsByChainIDResponse(rate_limits=_packed(found))

    def blacklist(
        self, ctx: ReadContext, _request: pb.QueryAllBlacklistedDenomsRequest
    ) -> pb.QueryAllBlacklistedDenomsResponse:
        """Return the blacklisted denominations."""
        return pb.QueryAllBlacklistedDenomsResponse(denoms=state.blacklist(ctx))

    def whitelist(
        self, ctx: ReadContext, _request: pb.QueryAllWhitelistedAddressesRequest
    ) -> pb.QueryAllWhitelistedAddressesResponse:
        """Return the whitelisted address pairs."""
        return pb.QueryAllWhitelistedAddressesResponse(
            address_pairs=[pack(pair) for pair in state.whitelist(ctx)]
        )


def _chain_id(keepers: Keepers, ctx: ReadContext, of: RateLimit) -> str | None:
    """Return the counterparty's chain id, None if the client is not a 07-tendermint client.

    Raises:
        InvalidRateLimitClient: the limit's channel or client does not exist.
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


def _packed(limits: Iterable[RateLimit]) -> list[rate_limiting_pb2.RateLimit]:
    return [pack(each) for each in limits]
