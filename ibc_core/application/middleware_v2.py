"""A base for middleware of IBC v2: every callback goes on unchanged.

What goes out comes by here too (`on_send_packet`), so there is no second base for senders.
"""

from ibc_core.address import Address
from ibc_core.application.v2 import IbcAppV2, PayloadAnswer
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import Payload


class PassThroughAppV2(IbcAppV2):
    """What stands around an application: hands every callback to `below`."""

    def __init__(self, below: IbcAppV2) -> None:
        self.below = below

    def on_send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        signer: Address,
    ) -> None:
        """As below."""
        self.below.on_send_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, signer)

    def on_recv_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        relayer: Address,
    ) -> PayloadAnswer | None:
        """As below."""
        return self.below.on_recv_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, relayer)

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
        """As below."""
        self.below.on_acknowledgement_packet(
            ctx, client_id_on_a, client_id_on_b, sequence, acknowledgement, payload, relayer
        )

    def on_timeout_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        relayer: Address,
    ) -> None:
        """As below."""
        self.below.on_timeout_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, relayer)
