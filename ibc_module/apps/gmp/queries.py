"""`ibc.applications.gmp.v1.Query`: whose an account is, and which account is whose."""

from binascii import Error as NotHex
from binascii import unhexlify
from collections.abc import Mapping

from ibc_core.address import AddressCodec
from ibc_core.errors import InvalidRequest, NotFound
from ibc_core.gmp.account import AccountIdentifier, pack_identifier
from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.wire.requests import answering
from ibc_module.apps.gmp import state
from ibc_module.apps.gmp.accounts import CallAccounts
from ibc_proto.ibc.applications.gmp.v1 import query_pb2 as pb

SERVICE = "/ibc.applications.gmp.v1.Query/"


def routes(accounts: CallAccounts, addresses: AddressCodec) -> Mapping[str, QueryRoute]:
    """Both queries of the service, by gRPC method path."""

    def address(ctx: ReadContext, request: pb.QueryAccountAddressRequest) -> pb.QueryAccountAddressResponse:
        """The account that a sender has or will have.

        Raises InvalidRequest, InvalidIdentifier, InvalidAddress.
        """
        identifier = AccountIdentifier(request.client_id, request.sender, _salt(request.salt))
        return pb.QueryAccountAddressResponse(account_address=accounts.address_of(ctx, identifier))

    def identifier(
        ctx: ReadContext, request: pb.QueryAccountIdentifierRequest
    ) -> pb.QueryAccountIdentifierResponse:
        """Whose account an address is. Raises InvalidAddress, NotFound."""
        found = state.account_at(ctx, addresses.decode(request.account_address, "account_address").raw)
        if found is None:
            raise NotFound(f"account {request.account_address} of a caller")
        return pb.QueryAccountIdentifierResponse(account_id=pack_identifier(found.identifier))

    return {
        f"{SERVICE}AccountAddress": answering(pb.QueryAccountAddressRequest, address),
        f"{SERVICE}AccountIdentifier": answering(pb.QueryAccountIdentifierRequest, identifier),
    }


def _salt(text: str) -> bytes:
    try:
        return unhexlify(text)
    except (NotHex, ValueError):
        raise InvalidRequest(f"salt {text[:128]!a} is not hexadecimal") from None
