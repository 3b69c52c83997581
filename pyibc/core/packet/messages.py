"""Messages of packets (ICS-4): receive, acknowledge and time out."""

from enum import IntEnum
from typing import Annotated, Final

from pyibc.core.checking import HasAddresses, check_proof
from pyibc.core.errors import InvalidAcknowledgement, InvalidSequence
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet
from pyibc.core.value import value
from pyibc.core.wire.columns import Proof, Signer, Wire
from pyibc.core.wire.message import Msg, Response, message
from pyibc.proto.ibc.core.channel.v1 import tx_pb2

# -- results of packet messages


class Outcome(IntEnum):
    """Result in the response to a packet message; numbers as in protobuf."""

    NOOP = 1
    SUCCESS = 2


class Redundant:
    """Result of `validate` for a message that another relayer was faster with: a no-op, not an error."""

    __slots__ = ()


REDUNDANT: Final = Redundant()

_ENCODED = {
    outcome: tx_pb2.MsgRecvPacketResponse(result=outcome.value).SerializeToString() for outcome in Outcome
}

OUTCOME: Final = Response(_ENCODED.__getitem__)
"""Response of every packet message: all have the fields of `MsgRecvPacketResponse`."""


# -- messages


@message(tx_pb2.MsgRecvPacket, OUTCOME)
@value
class MsgRecvPacket(Msg):
    """Chain B receives a packet, with a proof of chain A's commitment."""

    packet: Packet
    proof_commitment_on_a: Annotated[Proof, Wire("proof_commitment")]
    proof_height_on_a: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        check_proof(self.proof_commitment_on_a, "commitment")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()


@message(tx_pb2.MsgAcknowledgement, OUTCOME)
@value
class MsgAcknowledgement(Msg):
    """Chain A processes an acknowledgement, with a proof of chain B's acknowledgement commitment."""

    packet: Packet
    acknowledgement: bytes
    proof_ack_on_b: Annotated[Proof, Wire("proof_acked")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof, InvalidAcknowledgement, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        check_proof(self.proof_ack_on_b, "acknowledgement")
        if not self.acknowledgement:
            raise InvalidAcknowledgement("it is empty")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()


@message(tx_pb2.MsgTimeout, OUTCOME)
@value
class MsgTimeout(Msg):
    """Chain A times out a packet, with a proof that chain B had not received it at its timeout."""

    packet: Packet
    proof_unreceived_on_b: Annotated[Proof, Wire("proof_unreceived")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    next_sequence_recv_on_b: Annotated[int, Wire("next_sequence_recv")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidProof, InvalidSequence, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        check_proof(self.proof_unreceived_on_b, "unreceived")
        if self.next_sequence_recv_on_b == 0:
            raise InvalidSequence("next_sequence_recv", 0)
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()


@message(tx_pb2.MsgTimeoutOnClose, OUTCOME)
@value
class MsgTimeoutOnClose(Msg):
    """Chain A times out a packet, with a proof that chain B closed the channel without receiving it."""

    packet: Packet
    proof_unreceived_on_b: Annotated[Proof, Wire("proof_unreceived")]
    proof_close_on_b: Annotated[Proof, Wire("proof_close")]
    proof_height_on_b: Annotated[Height, Wire("proof_height")]
    next_sequence_recv_on_b: Annotated[int, Wire("next_sequence_recv")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidSequence, InvalidProof, InvalidAddress, InvalidIdentifier, InvalidPacket.
        """
        if self.next_sequence_recv_on_b == 0:
            raise InvalidSequence("next_sequence_recv", 0)
        check_proof(self.proof_unreceived_on_b, "unreceived")
        check_proof(self.proof_close_on_b, "close")
        chain.addresses.decode(self.signer, "signer")
        self.packet.validate_basic()
