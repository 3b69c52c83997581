"""MsgRegisterInterchainAccount (ICS-27)."""

from ibc_core.channel.types import Order
from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidAddress, InvalidChannelOrdering
from ibc_core.identifiers import is_blank, validate_connection_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import tx_pb2

MAX_OWNER_SIZE = 2048
"""Bytes of an owner."""


def check_owner(owner: str) -> None:
    """Checks the form of an owner; that it is an address, its signature shows.

    Raises:
        InvalidAddress: it is blank, or longer than 2,048 bytes.
    """
    # guard: h163-an-owner-of-any-length drop:MAX_OWNER_SIZE test_what_the_stateless_checks_refuse
    if is_blank(owner) or len(owner.encode()) > MAX_OWNER_SIZE:
        raise InvalidAddress("owner", owner[:64])


@message(
    tx_pb2.MsgRegisterInterchainAccount,
    response(tx_pb2.MsgRegisterInterchainAccountResponse, "channel_id", "port_id"),
)
@value
class MsgRegisterInterchainAccount(Msg):
    """The owner asks for an account on the chain at the other end of a connection."""

    owner: Signer
    connection_id: str  # of this chain
    version: str  # JSON of the channel's metadata; "": the default
    ordering: Order

    def check(self, chain: HasAddresses) -> None:  # noqa: ARG002 - ibc-go reads the owner as a signer
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelOrdering, InvalidAddress.
        """
        validate_connection_id(self.connection_id)
        if self.ordering is Order.NONE:
            raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", self.ordering.text)
        check_owner(self.owner)
