"""The middleware of IBC v2: around the application, for what comes in and what goes out."""

from ibc_module.apps.packet_count.counter import Counter
from ibc_module.core.address import Address
from ibc_module.core.application_v2 import IbcAppV2, PayloadAnswer
from ibc_module.core.context import WriteContext
from ibc_module.core.middleware_v2 import PassThroughAppV2
from ibc_module.core.packet_v2 import Payload


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
