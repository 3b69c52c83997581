"""The channel keeper."""

import pytest

from keepers.channel import ChannelKeeper
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.errors import SequenceAckNotFound, SequenceReceiveNotFound, SequenceSendNotFound

NAME = ("transfer", "channel-0")
END = ChannelEnd(
    ChannelState.OPEN, Order.ORDERED, ChannelCounterparty("their-port", "channel-9"), ("connection-3",), "v1"
)
COUNTERS = {
    "nextSequenceSend": (ChannelKeeper.next_send, ChannelKeeper.set_next_send, SequenceSendNotFound),
    "nextSequenceRecv": (ChannelKeeper.next_recv, ChannelKeeper.set_next_recv, SequenceReceiveNotFound),
    "nextSequenceAck": (ChannelKeeper.next_ack, ChannelKeeper.set_next_ack, SequenceAckNotFound),
}


@pytest.fixture
def channels():
    return ChannelKeeper()


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("state", list(ChannelState))
def test_an_end_there_and_back(ctx, channels, written, state, order):
    end = ChannelEnd(state, order, END.counterparty, END.connection_hops, END.version)
    assert written(lambda: channels.set(ctx, *NAME, end)) == ["channelEnds/ports/transfer/channels/channel-0"]
    assert channels.get(ctx, *NAME) == end
    assert channels.has(ctx, *NAME)


def test_sequences_start_at_1(ctx, channels, written):
    keys = [f"{name}/ports/transfer/channels/channel-0" for name in sorted(COUNTERS)]
    assert written(lambda: channels.start_sequences(ctx, *NAME)) == keys
    assert [read(channels, ctx, *NAME) for read, _, _ in COUNTERS.values()] == [1, 1, 1]
