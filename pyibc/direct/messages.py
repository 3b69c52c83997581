"""Messages of ICS-3 and ICS-4 with chosen identifiers (`pyibc.connection.v1`, `pyibc.channel.v1`).

They extend the standard messages with identifiers that the sender chooses, and add MsgCleanupPacket.
"""

from dataclasses import replace
from typing import Annotated

from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty
from pyibc.core.checking import HasAddresses, check_proof
from pyibc.core.connection.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from pyibc.core.connection.types import ConnectionCounterparty
from pyibc.core.errors import InvalidChannelIdentifier, InvalidConnectionIdentifier
from pyibc.core.height import Height
from pyibc.core.identifiers import (
    is_channel_id,
    is_connection_id,
    validate_channel_id,
    validate_connection_id,
)
from pyibc.core.packet.messages import OUTCOME, MsgTimeout
from pyibc.core.packet.types import Packet
from pyibc.core.value import value
from pyibc.core.wire.columns import Absent, Proof, Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.proto.pyibc.channel.v1 import tx_pb2 as channel_pb2
from pyibc.proto.pyibc.connection.v1 import tx_pb2 as connection_pb2

CONNECTION = "connection-0"
CHANNEL = "channel-0"
"""Placeholders that pass the standard checks, for identifiers that are checked separately."""


def check_chosen_channel_id(channel_id: str) -> None:
    """Check the identifier chosen for the other chain's end; "" passes.

    `handlers.identifiers` checks against the state whether an identifier is free.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidChannelIdentifier: it has the form of generated identifiers, which are unpredictable.
    """
    if channel_id:
        validate_channel_id(channel_id)
    if is_channel_id(channel_id):
        raise InvalidChannelIdentifier(channel_id)


@message(connection_pb2.MsgConnectionOpenInit)
@value
class MsgNamedConnectionOpenInit(MsgConnectionOpenInit):
    """Starts a connection on chain A; the identifier of either end may be chosen."""

    connection_id_on_a: Annotated[str, Wire("connection_id")] = ""  # "": generated

    def check(self, chain: HasAddresses) -> None:
        """Run the standard stateless checks, and check a chosen identifier of the other end.

        Raises:
            InvalidConnectionIdentifier: it has the form of generated identifiers, which are unpredictable.
            InvalidIdentifier, ...: see `MsgConnectionOpenInit.check`.
        """
        far = self.counterparty
        if is_connection_id(far.connection_id):
            raise InvalidConnectionIdentifier(far.connection_id)
        if far.connection_id:
            validate_connection_id(far.connection_id)
        unnamed = ConnectionCounterparty(far.client_id, "", far.prefix)
        MsgConnectionOpenInit.check(replace(self, counterparty=unnamed), chain)


@message(connection_pb2.MsgConnectionOpenTry)
@value
class MsgNamedConnectionOpenTry(MsgConnectionOpenTry):
    """Answers on chain B, with a proof of A's INIT; the identifier of B's end may be chosen."""

    connection_id_on_b: Annotated[str, Wire("connection_id")] = ""  # "": generated
    named_on_a: Annotated[bool, Wire("named_by_counterparty")] = False


@message(connection_pb2.MsgConnectionOpenAck)
@value
class MsgNamedConnectionOpenAck(MsgConnectionOpenAck):
    """Sets the connection OPEN on chain A, with a proof of B's TRYOPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgConnectionOpenAck.check` for any identifier."""
        validate_connection_id(self.connection_id_on_a)
        MsgConnectionOpenAck.check(replace(self, connection_id_on_a=CONNECTION), chain)


@message(connection_pb2.MsgConnectionOpenConfirm)
@value
class MsgNamedConnectionOpenConfirm(MsgConnectionOpenConfirm):
    """Sets the connection OPEN on chain B, with a proof of A's OPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgConnectionOpenConfirm.check` for any identifier."""
        validate_connection_id(self.connection_id_on_b)
        MsgConnectionOpenConfirm.check(replace(self, connection_id_on_b=CONNECTION), chain)


@message(
    channel_pb2.MsgChannelOpenInit, response(channel_pb2.MsgChannelOpenInitResponse, "channel_id", "version")
)
@value
class MsgNamedChannelOpenInit(MsgChannelOpenInit):
    """Starts a channel on chain A; the identifier of either end may be chosen."""

    channel_id_on_a: Annotated[str, Wire("channel_id")] = ""  # "": generated

    def check(self, chain: HasAddresses) -> None:
        """Run the standard stateless checks, and check a chosen identifier of the other end.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier: see `check_chosen_channel_id`.
            ...: see `MsgChannelOpenInit.check`.
        """
        far = self.channel.counterparty
        check_chosen_channel_id(far.channel_id)
        unnamed = replace(self.channel, counterparty=ChannelCounterparty(far.port_id, ""))
        MsgChannelOpenInit.check(replace(self, channel=unnamed), chain)


@message(
    channel_pb2.MsgChannelOpenTry, response(channel_pb2.MsgChannelOpenTryResponse, "channel_id", "version")
)
@value
class MsgNamedChannelOpenTry(MsgChannelOpenTry):
    """Answers on chain B, with a proof of A's INIT; the identifier of B's end may be chosen."""

    previous_channel_id: Annotated[str, Absent("")]
    channel_id_on_b: Annotated[str, Wire("channel_id")] = ""  # "": generated
    named_on_a: Annotated[bool, Wire("named_by_counterparty")] = False


@message(channel_pb2.MsgChannelOpenAck)
@value
class MsgNamedChannelOpenAck(MsgChannelOpenAck):
    """Sets the channel OPEN on chain A, with a proof of B's TRYOPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgChannelOpenAck.check` for any identifier."""
        validate_channel_id(self.channel_id_on_a)
        MsgChannelOpenAck.check(replace(self, channel_id_on_a=CHANNEL), chain)


@message(channel_pb2.MsgChannelOpenConfirm)
@value
class MsgNamedChannelOpenConfirm(MsgChannelOpenConfirm):
    """Sets the channel OPEN on chain B, with a proof of A's OPEN."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgChannelOpenConfirm.check` for any identifier."""
        validate_channel_id(self.channel_id_on_b)
        MsgChannelOpenConfirm.check(replace(self, channel_id_on_b=CHANNEL), chain)


@message(channel_pb2.MsgChannelCloseInit)
@value
class MsgNamedChannelCloseInit(MsgChannelCloseInit):
    """Closes the channel end of the chain that executes it."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgChannelCloseInit.check` for any identifier."""
        validate_channel_id(self.channel_id)
        MsgChannelCloseInit.check(replace(self, channel_id=CHANNEL), chain)


@message(channel_pb2.MsgChannelCloseConfirm)
@value
class MsgNamedChannelCloseConfirm(MsgChannelCloseConfirm):
    """Closes the other end, with a proof of CLOSED."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgChannelCloseConfirm.check` for any identifier."""
        validate_channel_id(self.channel_id)
        MsgChannelCloseConfirm.check(replace(self, channel_id=CHANNEL), chain)


@message(channel_pb2.MsgTimeout, OUTCOME)
@value
class MsgNamedTimeout(MsgTimeout):
    """Times out a packet on chain A; next sequence 0 means that B has no such channel."""

    def check(self, chain: HasAddresses) -> None:
        """Run the checks of `MsgTimeout.check` for any next sequence."""
        MsgTimeout.check(replace(self, next_sequence_recv_on_b=self.next_sequence_recv_on_b or 1), chain)


@message(channel_pb2.MsgCleanupPacket, OUTCOME)
@value
class MsgCleanupPacket(Msg):
    """Deletes the commitment of a packet on chain A, given a proof that B received the packet."""

    packet: Packet
    proof_received_on_b: Annotated[Proof, Wire("proof_received")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    next_sequence_recv_on_b: Annotated[int, Wire("next_sequence_recv")]  # on ordered channels; else 0
    acknowledgement: bytes  # on unordered channels; else b""
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof: there is no proof.
            InvalidAddress: the signer is not an address.
            InvalidIdentifier, InvalidPacket: the packet is malformed.
        """
        check_proof(self.proof_received_on_b, "received")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()
