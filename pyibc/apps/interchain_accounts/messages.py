"""Messages of interchain accounts (ICS-27): of owners, of accounts, and of the authority."""

from collections.abc import Sequence
from typing import Annotated

from pyibc.apps.interchain_accounts.packet_data import InterchainAccountPacketData
from pyibc.core.channel.types import Order
from pyibc.core.checking import HasAddresses
from pyibc.core.errors import InvalidAddress, InvalidAllowList, InvalidChannelOrdering, InvalidRequest
from pyibc.core.identifiers import is_blank, validate_connection_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import tx_pb2 as controller_pb2
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import host_pb2
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import tx_pb2 as host_tx_pb2

MAX_OWNER_SIZE = 2048
"""Maximal size of an owner in bytes."""


def check_owner(owner: str) -> None:
    """Check an owner's length; signature verification shows that it is an address.

    Raises:
        InvalidAddress: it is blank, or longer than 2,048 bytes.
    """
    # guard: h163-an-owner-of-any-length drop:MAX_OWNER_SIZE test_what_the_stateless_checks_refuse
    if is_blank(owner) or len(owner.encode()) > MAX_OWNER_SIZE:
        raise InvalidAddress("owner", owner[:64])


@message(
    controller_pb2.MsgRegisterInterchainAccount,
    response(controller_pb2.MsgRegisterInterchainAccountResponse, "channel_id", "port_id"),
)
@value
class MsgRegisterInterchainAccount(Msg):
    """Registers an account for the owner on the counterparty chain of a connection."""

    owner: Signer
    connection_id: str  # of this chain
    version: str  # JSON of the channel's metadata; "": the default
    ordering: Order

    def check(self, chain: HasAddresses) -> None:  # noqa: ARG002 - ibc-go reads the owner as a signer
        """Run the stateless checks.

        Raises:
            InvalidIdentifier: the connection identifier is malformed.
            InvalidChannelOrdering: the order is NONE.
            InvalidAddress: the owner is blank or too long.
        """
        validate_connection_id(self.connection_id)
        if self.ordering is Order.NONE:
            raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", self.ordering.text)
        check_owner(self.owner)


@message(controller_pb2.MsgSendTx, response(controller_pb2.MsgSendTxResponse, "sequence"))
@value
class MsgSendTx(Msg):
    """Sends a transaction for execution by the owner's interchain account."""

    owner: Signer
    connection_id: str  # of this chain
    packet_data: InterchainAccountPacketData
    relative_timeout: int  # nanoseconds after this block's time, compared with the host's clock

    def check(self, chain: HasAddresses) -> None:  # noqa: ARG002 - ibc-go reads the owner as a signer
        """Run the stateless checks.

        Raises:
            InvalidIdentifier: the connection identifier is malformed.
            InvalidAddress: the owner is blank or too long.
            InvalidOutgoingData: the packet data is invalid.
            InvalidRequest: there is no timeout.
        """
        validate_connection_id(self.connection_id)
        check_owner(self.owner)
        self.packet_data.check()
        if not self.relative_timeout:
            raise InvalidRequest("relative timeout cannot be zero")


@on_wire(host_pb2.QueryRequest)
@value
class QueryRequest:
    """Query of a MsgModuleQuerySafe."""

    path: str  # of the gRPC method: `/cosmos.bank.v1beta1.Query/Balance`
    data: bytes  # the encoded request


@message(
    host_tx_pb2.MsgModuleQuerySafe, response(host_tx_pb2.MsgModuleQuerySafeResponse, "height", "responses")
)
@value
class MsgModuleQuerySafe(Msg):
    """Executes queries in the current block; the acknowledgement holds the responses."""

    signer: Signer
    requests: tuple[QueryRequest, ...]

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
            InvalidRequest: there are no queries.
        """
        chain.addresses.decode(self.signer, "signer")
        if not self.requests:
            raise InvalidRequest("no queries provided")


@message(controller_pb2.MsgUpdateParams)
@value
class MsgUpdateControllerParams(Msg):
    """Enables or disables the controller; signed by the authority."""

    controller_enabled: Annotated[bool, Wire("params.controller_enabled")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
        """
        chain.addresses.decode(self.signer, "signer")


ALLOW_ALL = "*"
"""Single entry of an allow list that allows every message."""
MAX_ALLOW_LIST = 500
"""Maximal number of entries in an allow list."""


def check_allow_list(allowed: Sequence[str]) -> None:
    """Check the type URLs that interchain accounts may execute.

    Raises:
        InvalidAllowList: more than 500 entries, a blank one, or `*` with other entries.
    """
    # guard: h163-an-allow-list-of-any-length test_what_the_stateless_checks_refuse
    if len(allowed) > MAX_ALLOW_LIST:
        raise InvalidAllowList(f"{len(allowed)} entries exceed {MAX_ALLOW_LIST}")
    if ALLOW_ALL in allowed and len(allowed) > 1:
        raise InvalidAllowList(f"{ALLOW_ALL} must be the only entry")
    if any(map(is_blank, allowed)):
        raise InvalidAllowList("blank entry")


@message(host_tx_pb2.MsgUpdateParams)
@value
class MsgUpdateHostParams(Msg):
    """Enables or disables the host and sets the allow list; signed by the authority."""

    host_enabled: Annotated[bool, Wire("params.host_enabled")]
    allow_messages: Annotated[tuple[str, ...], Wire("params.allow_messages")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress: the signer is not an address.
            InvalidAllowList: see `check_allow_list`.
        """
        chain.addresses.decode(self.signer, "signer")
        check_allow_list(self.allow_messages)
