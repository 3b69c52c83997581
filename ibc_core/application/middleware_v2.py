"""Bases for middleware of IBC v2: every call goes on unchanged; a middleware spells only what it changes."""

from ibc_core.address import Address
from ibc_core.application.v2 import IbcAppV2, PacketSenderV2, PayloadAnswer
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import AcknowledgementV2, Payload


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


class PassThroughSenderV2(PacketSenderV2):
    """What stands between an application and the module: hands every call to `above`.

    A payload that is sent comes by `on_send_packet` as well, whoever sends it; here comes by what the
    application itself sends and answers later.
    """

    def __init__(self, above: PacketSenderV2) -> None:
        self.above = above

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """As above."""
        return self.above.send_packet(ctx, client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """As above."""
        self.above.write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)
