"""MsgUpdateParams of clients (ICS-2)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.client.types import ALLOW_ALL_CLIENTS
from ibc_core.errors import InvalidRequest
from ibc_core.identifiers import is_blank
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v1 import tx_pb2

MAX_ALLOWED_CLIENTS = 200
"""Types in the parameter `allowed_clients`."""


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateClientParams(Msg):
    """The authority sets the client parameters, whole."""

    allowed_clients: Annotated[tuple[str, ...], Wire("params.allowed_clients")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        check_allowed_clients(self.allowed_clients)


def check_allowed_clients(allowed: tuple[str, ...]) -> None:
    """Checks the parameter `allowed_clients`.

    Raises:
        InvalidRequest: too many types, a blank one, one twice, or one beside the one that stands for all.
    """
    if len(allowed) > MAX_ALLOWED_CLIENTS:
        raise InvalidRequest(f"allowed_clients: {len(allowed)} types exceed {MAX_ALLOWED_CLIENTS}")
    if ALLOW_ALL_CLIENTS in allowed and len(allowed) > 1:
        raise InvalidRequest(f"allowed_clients: {ALLOW_ALL_CLIENTS} stands for all and must stand alone")
    if any(is_blank(client_type) for client_type in allowed):
        raise InvalidRequest("allowed_clients: blank type")
    if len(set(allowed)) < len(allowed):
        raise InvalidRequest("allowed_clients: a type comes twice")
