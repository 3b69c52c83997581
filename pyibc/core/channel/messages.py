"""Messages of the opening and closing handshakes of channels (ICS-4)."""

from typing import Annotated

from pyibc.core.channel.types import ChannelEnd, ChannelState, Order
from pyibc.core.checking import HasAddresses, check_proof
from pyibc.core.errors import (
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    TooManyConnectionHops,
)
from pyibc.core.height import Height
from pyibc.core.identifiers import (
    is_channel_id,
    validate_channel_id,
    validate_connection_id,
    validate_port_id,
)
from pyibc.core.value import value
from pyibc.core.wire.columns import Absent, Proof, Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.proto.ibc.core.channel.v1 import tx_pb2

# -- stateless checks shared by messages of the channel handshake (ICS-4)


def check_end(end: ChannelEnd) -> None:
    """Check the channel end in a handshake message.

    Raises:
        InvalidChannelOrdering, TooManyConnectionHops, InvalidIdentifier.
    """
    if end.ordering not in {Order.ORDERED, Order.UNORDERED}:
        raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", end.ordering.text)
    if len(end.connection_hops) != 1:
        raise TooManyConnectionHops(len(end.connection_hops))
    validate_connection_id(end.connection_id)
    validate_port_id(end.counterparty.port_id)
    if end.counterparty.channel_id:
        validate_channel_id(end.counterparty.channel_id)


def check_state(end: ChannelEnd, port_id: str, expected: ChannelState) -> None:
    """Check the state of the channel end in a handshake message.

    Raises:
        InvalidChannelState: the state is not `expected`.
    """
    if end.state is not expected:
        raise InvalidChannelState(port_id, expected.name, end.state.name)


def check_own_channel_id(channel_id: str) -> None:
    """Check the identifier of a channel of this chain.

    Raises:
        InvalidChannelIdentifier: the identifier does not have the form `channel-N`.
    """
    if not is_channel_id(channel_id):
        raise InvalidChannelIdentifier(channel_id[:64])


# -- messages


@message(tx_pb2.MsgChannelOpenInit, response(tx_pb2.MsgChannelOpenInitResponse, "channel_id", "version"))
@value
class MsgChannelOpenInit(Msg):
    """Chain A starts a channel."""

    port_id_on_a: Annotated[str, Wire("port_id")]
    channel: ChannelEnd
    signer: Signer
    channel_id_on_a: Annotated[str, Absent("")] = ""  # requested identifier; "": generated

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelState, InvalidChannelCounterparty, InvalidAddress,
            InvalidChannelOrdering, TooManyConnectionHops.
        """
        validate_port_id(self.port_id_on_a)
        check_state(self.channel, self.port_id_on_a, ChannelState.INIT)
        if self.channel.counterparty.channel_id:
            raise InvalidChannelCounterparty("channel identifier must be empty")
        chain.addresses.decode(self.signer, "signer")
        check_end(self.channel)


@message(tx_pb2.MsgChannelOpenTry, response(tx_pb2.MsgChannelOpenTryResponse, "channel_id", "version"))
@value
class MsgChannelOpenTry(Msg):
    """Chain B answers with a proof of A's INIT."""

    port_id_on_b: Annotated[str, Wire("port_id")]
    previous_channel_id: str  # deprecated on the wire: must be empty
    channel: ChannelEnd
    version_on_a: Annotated[str, Wire("counterparty_version")]
    proof_init: Proof
    proof_height: Height
    signer: Signer
    channel_id_on_b: Annotated[str, Absent("")] = ""  # requested, perhaps of an INIT end; "": generated
    named_on_a: Annotated[bool, Absent(False)] = False  # whether A's end names channel_id_on_b

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidChannelState, InvalidAddress,
            InvalidChannelOrdering, TooManyConnectionHops.
        """
        validate_port_id(self.port_id_on_b)
        if self.previous_channel_id:
            raise InvalidChannelIdentifier(self.previous_channel_id[:64])
        check_proof(self.proof_init, "init")
        check_state(self.channel, self.port_id_on_b, ChannelState.TRYOPEN)
        validate_channel_id(self.channel.counterparty.channel_id)
        chain.addresses.decode(self.signer, "signer")
        check_end(self.channel)


@message(tx_pb2.MsgChannelOpenAck)
@value
class MsgChannelOpenAck(Msg):
    """Chain A becomes OPEN with a proof of B's TRYOPEN."""

    port_id_on_a: Annotated[str, Wire("port_id")]
    channel_id_on_a: Annotated[str, Wire("channel_id")]
    channel_id_on_b: Annotated[str, Wire("counterparty_channel_id")]
    version_on_b: Annotated[str, Wire("counterparty_version")]
    proof_try: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidAddress.
        """
        validate_port_id(self.port_id_on_a)
        check_own_channel_id(self.channel_id_on_a)
        validate_channel_id(self.channel_id_on_b)
        check_proof(self.proof_try, "try")
        chain.addresses.decode(self.signer, "signer")


@message(tx_pb2.MsgChannelOpenConfirm)
@value
class MsgChannelOpenConfirm(Msg):
    """Chain B becomes OPEN with a proof of A's OPEN."""

    port_id_on_b: Annotated[str, Wire("port_id")]
    channel_id_on_b: Annotated[str, Wire("channel_id")]
    proof_ack: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidAddress.
        """
        validate_port_id(self.port_id_on_b)
        check_own_channel_id(self.channel_id_on_b)
        check_proof(self.proof_ack, "ack")
        chain.addresses.decode(self.signer, "signer")


@message(tx_pb2.MsgChannelCloseInit)
@value
class MsgChannelCloseInit(Msg):
    """Either chain closes its end."""

    port_id: str
    channel_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidAddress.
        """
        validate_port_id(self.port_id)
        check_own_channel_id(self.channel_id)
        chain.addresses.decode(self.signer, "signer")


@message(tx_pb2.MsgChannelCloseConfirm)
@value
class MsgChannelCloseConfirm(Msg):
    """The other chain closes its end with a proof of CLOSED."""

    port_id: str
    channel_id: str
    proof_init: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidAddress.
        """
        validate_port_id(self.port_id)
        check_own_channel_id(self.channel_id)
        check_proof(self.proof_init, "init")
        chain.addresses.decode(self.signer, "signer")
