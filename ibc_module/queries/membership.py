"""`ibc.core.client.v1.Query/VerifyMembership`: a client's verdict on a proof, for other code on the chain."""

from collections.abc import Mapping

from ibc_core.client.types import LOCALHOST, SOLOMACHINE
from ibc_core.errors import NO_VERDICT, IbcError, InvalidIdentifier, InvalidRequest
from ibc_core.height import Height
from ibc_core.host.context import ReadContext
from ibc_core.host.gas import READ_BYTE
from ibc_core.host.routes import QueryRoute
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.wire.requests import answering, require_identifier
from ibc_core.wire.table import unpack
from ibc_proto.ibc.core.client.v1 import query_pb2 as pb
from keepers.keepers import Keepers
from light_client.interface import Claim
from light_client.views import ReadOnce

_DENIED = (LOCALHOST, SOLOMACHINE)
"""Types that prove nothing about another chain, or whose verification changes the client (06-solomachine)."""


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """The query, by gRPC method path."""
    queries = MembershipQueries(keepers)
    path = "/ibc.core.client.v1.Query/VerifyMembership"
    return {path: answering(pb.QueryVerifyMembershipRequest, queries.verify_membership)}


class MembershipQueries:
    """The query that asks a light client."""

    def __init__(self, keepers: Keepers) -> None:
        self._clients = keepers.clients

    def verify_membership(
        self, ctx: ReadContext, request: pb.QueryVerifyMembershipRequest
    ) -> pb.QueryVerifyMembershipResponse:
        """Whether the proof shows the value at the path (store name first).

        Raises:
            InvalidRequest: something is empty or malformed, or the client's type is not for this query.
            InvalidClientType, ClientRouteNotFound: nothing keeps clients of its type.
            ClientNotActive: the client verifies nothing now.
        """
        _check(request)
        once = ReadOnce(ctx)
        client = self._clients.active(once, request.client_id)
        ctx.gas.consume(3 * READ_BYTE * len(request.proof))
        try:
            client.verify_membership(once, request.client_id, _claim(request))
        except NO_VERDICT:
            raise
        except IbcError:
            return pb.QueryVerifyMembershipResponse(success=False)
        return pb.QueryVerifyMembershipResponse(success=True)


def _claim(request: pb.QueryVerifyMembershipRequest) -> Claim:
    return Claim(
        unpack(Height, request.proof_height),
        request.proof,
        tuple(request.merkle_path.key_path),
        request.value,
        request.time_delay,
        request.block_delay,
    )


def _check(request: pb.QueryVerifyMembershipRequest) -> None:
    require_identifier(validate_client_id, request.client_id)
    try:
        client_type, _ = parse_client_id(request.client_id)
    except InvalidIdentifier as error:
        raise InvalidRequest(str(error)) from None
    if client_type in _DENIED:
        raise InvalidRequest(f"verify membership is disabled for client types {', '.join(_DENIED)}")
    height = request.proof_height
    for present, what in (
        (bool(request.proof), "proof"),
        (height.revision_number or height.revision_height, "proof height"),
        (len(request.merkle_path.key_path), "merkle path"),
        (bool(request.value), "value"),
    ):
        if not present:
            raise InvalidRequest(f"empty {what}")
