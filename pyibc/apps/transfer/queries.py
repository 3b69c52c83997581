"""Query service of ICS-20 (`ibc.applications.transfer.v1.Query`): parameters, denominations, escrow."""

from collections.abc import Mapping

from pyibc.apps.transfer import state
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import Denom, decode_denom, parse_denom
from pyibc.core import paths
from pyibc.core.address import AddressCodec
from pyibc.core.coin import is_denom
from pyibc.core.errors import (
    ChannelNotFound,
    InvalidDenomForTransfer,
    InvalidIdentifier,
    InvalidRequest,
    NotFound,
)
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.wire.requests import paginate, query_routes, require_identifier
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.proto.ibc.applications.transfer.v1 import query_pb2 as pb
from pyibc.proto.ibc.applications.transfer.v1 import token_pb2, transfer_pb2

SERVICE = "/ibc.applications.transfer.v1.Query/"

_HASH_SIZE = 32
_HEX = frozenset("0123456789abcdefABCDEF")


def routes(addresses: AddressCodec) -> Mapping[str, QueryRoute]:
    """Return the routes of the service by gRPC method path; `addresses` formats escrow addresses.

    A request can make a route raise InvalidRequest (`ibc/8`, malformed), NotFound or ChannelNotFound, nothing
    else.
    """
    return query_routes(_Queries(addresses))


class _Queries:
    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses

    def params(self, ctx: ReadContext, _request: pb.QueryParamsRequest) -> pb.QueryParamsResponse:
        """Return whether sending and receiving are enabled."""
        found = state.params(ctx)
        return pb.QueryParamsResponse(
            params=transfer_pb2.Params(send_enabled=found.send_enabled, receive_enabled=found.receive_enabled)
        )

    def denoms(self, ctx: ReadContext, request: pb.QueryDenomsRequest) -> pb.QueryDenomsResponse:
        """Return a page of the stored denominations, paginated in the order of their hashes.

        Within a page they are sorted by base, number of hops and path, as in ibc-go. Raises InvalidRequest.
        """
        scan = ctx.reader(state.STORE_NAME).iterate
        found, page = paginate(
            scan,
            state.DENOM,
            request.pagination,
            lambda _, raw: decode_denom(raw),
            lambda key: len(key) == _HASH_SIZE,
        )
        found.sort(key=lambda each: (each.base, len(each.trace), each.path))
        return pb.QueryDenomsResponse(denoms=[_pack(each) for each in found], pagination=page)

    def denom(self, ctx: ReadContext, request: pb.QueryDenomRequest) -> pb.QueryDenomResponse:
        """Return the denomination of `ibc/HASH`, or of a bare hash. Raises InvalidRequest, NotFound."""
        text = request.hash.removeprefix("ibc/")
        if not text:  # ibc-go's hash check accepts an empty one
            raise NotFound("denomination")
        if len(text) != 2 * _HASH_SIZE or not _HEX.issuperset(text):
            raise InvalidRequest(f"invalid denom hash {request.hash[:80]!a}")
        found = state.denom(ctx, bytes.fromhex(text))
        if found is None:
            raise NotFound(f"denomination {request.hash}")
        return pb.QueryDenomResponse(denom=_pack(found))

    def denom_hash(self, ctx: ReadContext, request: pb.QueryDenomHashRequest) -> pb.QueryDenomHashResponse:
        """Return the hash of a stored denomination, given its full path. Raises InvalidRequest, NotFound."""
        asked = parse_denom(request.trace)
        try:
            asked.validate()
        except (InvalidDenomForTransfer, InvalidIdentifier) as error:
            raise InvalidRequest(str(error)) from None
        if state.denom(ctx, asked.digest) is None:
            raise NotFound(f"denomination {request.trace[:128]}")
        return pb.QueryDenomHashResponse(hash=asked.hash_text)

    def escrow(
        self, ctx: ReadContext, request: pb.QueryEscrowAddressRequest
    ) -> pb.QueryEscrowAddressResponse:
        """Return the escrow address of a channel. Raises InvalidRequest, ChannelNotFound."""
        require_identifier(validate_port_id, request.port_id)
        require_identifier(validate_channel_id, request.channel_id)
        if not ctx.ibc.has(paths.channel_path(request.port_id, request.channel_id)):
            raise ChannelNotFound(request.port_id, request.channel_id)
        raw = escrow_address(request.port_id, request.channel_id)
        return pb.QueryEscrowAddressResponse(escrow_address=self._addresses.encode(raw).text)

    def total_escrow(
        self, ctx: ReadContext, request: pb.QueryTotalEscrowForDenomRequest
    ) -> pb.QueryTotalEscrowForDenomResponse:
        """Return the amount of a denomination in escrow, over all channels. Raises InvalidRequest."""
        if not is_denom(request.denom):
            raise InvalidRequest(f"invalid denom {request.denom[:128]!a}")
        total = state.total_escrow(ctx, request.denom)
        return pb.QueryTotalEscrowForDenomResponse(amount=Coin(denom=request.denom, amount=str(total)))


def _pack(each: Denom) -> token_pb2.Denom:
    hops = [token_pb2.Hop(port_id=hop.port_id, channel_id=hop.channel_id) for hop in each.trace]
    return token_pb2.Denom(base=each.base, trace=hops)
