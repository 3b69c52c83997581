"""What an application of IBC v2 is, and what it may ask of the module (ICS-26 v2).

There is no handshake: a payload says which port, version and encoding it is for, and each side judges it.
"""

from typing import NamedTuple, Protocol

from ibc_core.address import Address
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import AcknowledgementV2, Payload


class PayloadAnswer(NamedTuple):
    """What an application answers to a payload."""

    success: bool  # False: what all applications of the packet wrote is undone, and chain A gets the sentinel
    data: bytes = b""  # of a success: what is committed and sent back to chain A, never empty


class IbcAppV2(Protocol):
    """One application. A raised `IbcError` fails the transaction.

    Client identifiers name the packet's way: A's client of B, B's client of A.
    """

    def on_send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        signer: Address,
    ) -> None:
        """Somebody sends a payload from the application's port; raise to refuse."""

    def on_recv_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        relayer: Address,
    ) -> PayloadAnswer | None:
        """Chain B executes a payload, in a branch; None: the acknowledgement comes later."""

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        acknowledgement: bytes,
        payload: Payload,
        relayer: Address,
    ) -> None:
        """Chain A learns the answer to a payload, or `SENTINEL`; the packet's commitment is gone already."""

    def on_timeout_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        relayer: Address,
    ) -> None:
        """Chain A takes the payload back; the packet's commitment is gone already."""


class PacketSenderV2(Protocol):
    """What the module does for an application of IBC v2."""

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Sends a packet in the name of `signer`, as MsgSendPacket does; returns its sequence."""

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet whose `on_recv_packet` returned None."""
