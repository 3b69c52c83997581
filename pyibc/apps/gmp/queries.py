"""Query service of GMP (`ibc.applications.gmp.v1.Query`): account by owner, owner by account."""

from binascii import unhexlify
from collections.abc import Mapping

from pyibc.apps.gmp import state
from pyibc.apps.gmp.packet_data import AccountIdentifier, pack_identifier
from pyibc.apps.gmp.state import CallAccounts
from pyibc.core.address import AddressCodec
from pyibc.core.errors import InvalidRequest, NotFound
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.wire.requests import answering
from pyibc.proto.ibc.applications.gmp.v1 import query_pb2 as pb

SERVICE = "/ibc.applications.gmp.v1.Query/"


def routes(accounts: CallAccounts, addresses: AddressCodec) -> Mapping[str, QueryRoute]:
    """Return both routes of the service, by gRPC method path."""

    def address(ctx: ReadContext, request: pb.QueryAccountAddressRequest) -> pb.QueryAccountAddressResponse:
        """Return the account that a sender has or would have.

        Raises InvalidRequest, InvalidIdentifier, InvalidAddress.
        """
        identifier = AccountIdentifier(request.client_id, request.sender, _salt(request.salt))
        return pb.QueryAccountAddressResponse(account_address=accounts.address_of(ctx, identifier))

    def identifier(
        ctx: ReadContext, request: pb.QueryAccountIdentifierRequest
    ) -> pb.QueryAccountIdentifierResponse:
        """Return the owner of an account. Raises InvalidAddress, NotFound."""
        found = state.account_at(ctx, addresses.decode(request.account_address, "account_address").raw)
        if found is None:
            raise NotFound(f"account {request.account_address} of a remote sender")
        return pb.QueryAccountIdentifierResponse(account_id=pack_identifier(found.identifier))

    return {
        f"{SERVICE}AccountAddress": answering(pb.QueryAccountAddressRequest, address),
        f"{SERVICE}AccountIdentifier": answering(pb.QueryAccountIdentifierRequest, identifier),
    }


def _salt(text: str) -> bytes:
    try:
        return unhexlify(text)
    except ValueError:
        raise InvalidRequest(f"salt {text[:128]!a} is not hexadecimal") from None
