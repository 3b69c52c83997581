"""The middleware of IBC v2, around ICS-20. A transfer is never answered later there, so nothing waits."""

from ibc_core.address import Address
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.v2 import PayloadAnswer
from ibc_core.errors import QuotaExceeded
from ibc_core.host.context import WriteContext
from ibc_core.packet_v2.types import Payload
from ibc_module.apps.rate_limit import coins, quota, state
from ibc_module.apps.rate_limit.layers import is_success


class LimitedAppV2(PassThroughAppV2):
    """Around ICS-20, for what comes in and what goes out."""

    def on_send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        signer: Address,
    ) -> None:
        """Refuses what is more than the quota has left.

        Raises:
            QuotaExceeded: it is.
        """
        moved = coins.sent_v2(client_id_on_a, payload)
        limit = None if moved is None else quota.count_sent(ctx, moved)
        if limit is not None:
            state.note_packet(ctx, state.SENT, limit, sequence)
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
        """Fails where the quota is used up; what a refused transfer counted is undone."""
        moved = coins.received_v2(client_id_on_a, client_id_on_b, payload)
        try:
            if moved is not None:
                quota.count_received(ctx, moved)
        except QuotaExceeded:
            return PayloadAnswer(success=False)
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
        """Gives the quota back with the coins."""
        super().on_acknowledgement_packet(
            ctx, client_id_on_a, client_id_on_b, sequence, acknowledgement, payload, relayer
        )
        self._settle(ctx, client_id_on_a, sequence, payload, refunded=not is_success(acknowledgement))

    def on_timeout_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        client_id_on_b: str,
        sequence: int,
        payload: Payload,
        relayer: Address,
    ) -> None:
        """Gives the quota back with the coins."""
        super().on_timeout_packet(ctx, client_id_on_a, client_id_on_b, sequence, payload, relayer)
        self._settle(ctx, client_id_on_a, sequence, payload, refunded=True)

    def _settle(
        self, ctx: WriteContext, client_id_on_a: str, sequence: int, payload: Payload, *, refunded: bool
    ) -> None:
        note = state.take_packet(ctx, state.SENT, client_id_on_a, sequence)
        moved = coins.sent_v2(client_id_on_a, payload)
        if refunded and note is not None and moved is not None:
            quota.give_back_sent(ctx, moved, note)
