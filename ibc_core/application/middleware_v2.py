"""Bases for middleware of IBC v2: every call goes on unchanged; a middleware spells only what it changes."""

from ibc_core.address import Address
from ibc_core.application.omitted import handed_on
from ibc_core.application.packet_data import PacketData
from ibc_core.application.v2 import (
    AcknowledgedV2,
    BoundAppV2,
    IbcAppV2,
    PacketSenderV2,
    PayloadAnswer,
    ReceivedV2,
    SendingV2,
    TimedOutV2,
)
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet_v2.types import AcknowledgementV2, Payload


class PassThroughAppV2(IbcAppV2):
    """What stands around an application; hands callbacks to `below`, whose callbacks take both arguments."""

    def __init__(self, below: BoundAppV2) -> None:
        self.below = below

    @handed_on
    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """As below."""

    @handed_on
    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """As below."""

    @handed_on
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """As below."""

    @handed_on
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """As below."""

    @handed_on
    def decode_packet_data(self, ctx: ReadContext, payload: Payload) -> PacketData:  # type: ignore[empty-body]
        """As below."""


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
