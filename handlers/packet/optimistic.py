"""Packets sent before their channel is open (ICS-4 "optimistic sends"): where the host allows it, a few."""

from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.errors import CounterpartyUnknown, InvalidChannelState, TooManyOptimisticPackets
from ibc_core.host.context import ReadContext
from keepers.keepers import Keepers


def check(keepers: Keepers, ctx: ReadContext, port_id: str, channel_id: str, end_on_a: ChannelEnd) -> None:
    """Checks that a channel that is not OPEN may carry one packet more.

    The limit counts every packet that the channel sent so far: before it is open none can be acknowledged.

    Raises:
        InvalidChannelState: it is CLOSED, or the host allows none.
        CounterpartyUnknown: it does not know yet where it leads.
        SequenceSendNotFound: it has no next sequence.
        TooManyOptimisticPackets: it sent as many as it may.
    """
    limit = keepers.rules.optimistic_sends
    started = end_on_a.state in {ChannelState.INIT, ChannelState.TRYOPEN}
    if not started or limit < 1:
        expected = "INIT or TRYOPEN or OPEN" if limit else ChannelState.OPEN.name
        raise InvalidChannelState(f"{port_id}/{channel_id}", expected, end_on_a.state.name)
    if not end_on_a.counterparty.channel_id:
        raise CounterpartyUnknown(port_id, channel_id)
    if keepers.channels.next_send(ctx, port_id, channel_id) > limit:
        raise TooManyOptimisticPackets(limit)
