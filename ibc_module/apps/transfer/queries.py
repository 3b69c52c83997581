"""`ibc.applications.transfer.v1.Query` (ICS-20): parameters, denominations, escrow."""

from collections.abc import Mapping

from ibc_core import paths
from ibc_core.address import AddressCodec
from ibc_core.coin import is_denom
from ibc_core.errors import (
    ChannelNotFound,
    InvalidDenomForTransfer,
    InvalidIdentifier,
    InvalidRequest,
    NotFound,
)
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.transfer.denom import Denom, decode_denom, parse_denom
from ibc_core.wire.paginate import paginate
from ibc_core.wire.requests import answering, require_identifier
from ibc_module.apps.transfer import state
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_proto.cosmos.base.v1beta1.coin_pb2 import Coin
from ibc_proto.ibc.applications.transfer.v1 import query_pb2 as pb
from ibc_proto.ibc.applications.transfer.v1 import token_pb2, transfer_pb2

SERVICE = "/ibc.applications.transfer.v1.Query/"

_HASH_SIZE = 32
_HEX = frozenset("0123456789abcdefABCDEF")


def routes(addresses: AddressCodec) -> Mapping[str, QueryRoute]:
    """Every query of the service, by gRPC method path; `addresses` prints escrow accounts.

    A route raises InvalidRequest (`ibc/8`) for a malformed request, NotFound or ChannelNotFound, and nothing
    else that a request can cause.
    """

    def escrow(ctx: ReadContext, request: pb.QueryEscrowAddressRequest) -> pb.QueryEscrowAddressResponse:
        return _escrow(addresses, ctx, request)

    return {
        f"{SERVICE}Params": answering(pb.QueryParamsRequest, params),
        f"{SERVICE}Denoms": answering(pb.QueryDenomsRequest, denoms),
        f"{SERVICE}Denom": answering(pb.QueryDenomRequest, denom),
        f"{SERVICE}DenomHash": answering(pb.QueryDenomHashRequest, denom_hash),
        f"{SERVICE}EscrowAddress": answering(pb.QueryEscrowAddressRequest, escrow),
        f"{SERVICE}TotalEscrowForDenom": answering(pb.QueryTotalEscrowForDenomRequest, total_escrow),
    }


def params(ctx: ReadContext, _request: pb.QueryParamsRequest) -> pb.QueryParamsResponse:
    """Whether sending and receiving are enabled."""
    found = state.params(ctx)
    return pb.QueryParamsResponse(
        params=transfer_pb2.Params(send_enabled=found.send_enabled, receive_enabled=found.receive_enabled)
    )


def denoms(ctx: ReadContext, request: pb.QueryDenomsRequest) -> pb.QueryDenomsResponse:
    """A page of the denominations that came in, cut in the order of their hashes.

    Within the page they are sorted by base, number of hops and path, as in ibc-go. Raises InvalidRequest.
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


def denom(ctx: ReadContext, request: pb.QueryDenomRequest) -> pb.QueryDenomResponse:
    """The denomination behind `ibc/HASH`, or behind the hash alone. Raises InvalidRequest, NotFound."""
    text = request.hash.removeprefix("ibc/")
    if not text:  # Go's check of a hash lets an empty one pass
        raise NotFound("denomination")
    if len(text) != 2 * _HASH_SIZE or not _HEX.issuperset(text):
        raise InvalidRequest(f"invalid denom hash {request.hash[:80]!a}")
    found = state.denom(ctx, bytes.fromhex(text))
    if found is None:
        raise NotFound(f"denomination {request.hash}")
    return pb.QueryDenomResponse(denom=_pack(found))


def denom_hash(ctx: ReadContext, request: pb.QueryDenomHashRequest) -> pb.QueryDenomHashResponse:
    """The hash of a denomination known here, by its full path. Raises InvalidRequest, NotFound."""
    asked = parse_denom(request.trace)
    try:
        asked.validate()
    except (InvalidDenomForTransfer, InvalidIdentifier) as error:
        raise InvalidRequest(str(error)) from None
    if state.denom(ctx, asked.digest) is None:
        raise NotFound(f"denomination {request.trace[:128]}")
    return pb.QueryDenomHashResponse(hash=asked.hash_text)


def _escrow(
    addresses: AddressCodec, ctx: ReadContext, request: pb.QueryEscrowAddressRequest
) -> pb.QueryEscrowAddressResponse:
    """The account that holds what went out over a channel. Raises InvalidRequest, ChannelNotFound."""
    require_identifier(validate_port_id, request.port_id)
    require_identifier(validate_channel_id, request.channel_id)
    if not ctx.ibc.has(paths.channel_path(request.port_id, request.channel_id)):
        raise ChannelNotFound(request.port_id, request.channel_id)
    raw = escrow_address(request.port_id, request.channel_id)
    return pb.QueryEscrowAddressResponse(escrow_address=addresses.encode(raw).text)


def total_escrow(
    ctx: ReadContext, request: pb.QueryTotalEscrowForDenomRequest
) -> pb.QueryTotalEscrowForDenomResponse:
    """How much of a coin is in escrow, over all channels. Raises InvalidRequest."""
    if not is_denom(request.denom):
        raise InvalidRequest(f"invalid denom {request.denom[:128]!a}")
    total = state.total_escrow(ctx, request.denom)
    return pb.QueryTotalEscrowForDenomResponse(amount=Coin(denom=request.denom, amount=str(total)))


def _pack(each: Denom) -> token_pb2.Denom:
    hops = [token_pb2.Hop(port_id=hop.port_id, channel_id=hop.channel_id) for hop in each.trace]
    return token_pb2.Denom(base=each.base, trace=hops)
