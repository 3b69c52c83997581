"""Query `ibc.core.client.v1.Query/VerifyMembership`: verifies a proof with a client, for other chain code."""

from keepers.keepers import Keepers
from light_client.contexts import CachedReadContext
from light_client.interface import Claim
from pyibc.core.client.types import LOCALHOST, SOLOMACHINE
from pyibc.core.errors import NO_VERDICT, IbcError, InvalidIdentifier, InvalidRequest
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext
from pyibc.core.host.gas import READ_BYTE
from pyibc.core.identifiers import parse_client_id, validate_client_id
from pyibc.core.wire.requests import require_identifier
from pyibc.core.wire.table import unpack
from pyibc.proto.ibc.core.client.v1 import query_pb2 as pb

_DENIED = (LOCALHOST, SOLOMACHINE)
"""Client types that prove nothing about another chain, or change when they verify (06-solomachine)."""


class MembershipQueries:
    """Query that needs the client keeper."""

    def __init__(self, keepers: Keepers) -> None:
        self._clients = keepers.clients

    def verify_membership(
        self, ctx: ReadContext, request: pb.QueryVerifyMembershipRequest
    ) -> pb.QueryVerifyMembershipResponse:
        """Return whether the proof shows the value at the path (store name first).

        Raises:
            InvalidRequest: a field is empty or malformed, or the client's type is denied.
            InvalidClientType, ClientRouteNotFound: no light client has this type.
            ClientNotActive: the client is frozen or expired.
        """
        _check(request)
        once = CachedReadContext(ctx)
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
