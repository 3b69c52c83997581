"""The middleware of IBC v2: around the application, for what comes in and what goes out."""

from ibc_core.address import Address
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.v2 import IbcAppV2, PayloadAnswer
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import Payload
from ibc_module.apps.packet_count.counter import Counter


class CountingAppV2(PassThroughAppV2):
    """Counts payloads: a packet may have more than one for the port."""

    def __init__(self, below: IbcAppV2, counter: Counter) -> None:
        super().__init__(below)
        self._counter = counter

    def on_send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        signer: Address,
    ) -> None:
        """Counts; a failed transaction takes its count back with it."""
        self._counter.add(ctx, "sent", client_id_on_a)
        super().on_send_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, signer)

    def on_recv_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        relayer: Address,
    ) -> PayloadAnswer | None:
        """Counts payloads that the application took: what a refused packet writes is undone."""
        self._counter.add(ctx, "received", client_id_on_b)
        return super().on_recv_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, relayer)

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
        """Counts answers, of whatever kind."""
        self._counter.add(ctx, "acknowledged", client_id_on_a)
        super().on_acknowledgement_packet(
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
        """Counts packets that came too late."""
        self._counter.add(ctx, "timed_out", client_id_on_a)
        super().on_timeout_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, relayer)
