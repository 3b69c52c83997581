"""The channel keeper."""

import pytest

from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.errors import (
    ChannelNotFound,
    InvalidChannelState,
    InvalidRequest,
    SequenceAckNotFound,
    SequenceReceiveNotFound,
    SequenceSendNotFound,
)
from ibc_core.numbers import MAX_U64
from keepers.channel.keeper import ChannelKeeper

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


def test_no_channel(ctx, channels):
    channels.set(ctx, "transfer", "channel-10", END)
    assert not channels.has(ctx, "transfer", "channel-1")
    for call in (channels.get, channels.get_open):
        with pytest.raises(ChannelNotFound) as refused:
            call(ctx, "transfer", "channel-1")
        assert (refused.value.port_id, refused.value.channel_id) == ("transfer", "channel-1")


@pytest.mark.parametrize("state", list(ChannelState))
def test_only_open_channels_are_open(ctx, channels, state):
    channels.set(ctx, *NAME, END.in_state(state))
    if state is ChannelState.OPEN:
        assert channels.get_open(ctx, *NAME) == END
        return
    with pytest.raises(InvalidChannelState) as refused:
        channels.get_open(ctx, *NAME)
    assert (refused.value.channel, refused.value.got) == ("transfer/channel-0", state.name)


def test_names(ctx, channels):
    assert [channels.next_channel_id(ctx) for _ in range(2)] == ["channel-0", "channel-1"]


def test_sequences_start_at_1(ctx, channels, written):
    keys = [f"{name}/ports/transfer/channels/channel-0" for name in sorted(COUNTERS)]
    assert written(lambda: channels.start_sequences(ctx, *NAME)) == keys
    assert [read(channels, ctx, *NAME) for read, _, _ in COUNTERS.values()] == [1, 1, 1]


@pytest.mark.parametrize("name", sorted(COUNTERS))
def test_each_counter_is_its_own(ctx, channels, written, name):
    read, write, missing = COUNTERS[name]
    with pytest.raises(missing):
        read(channels, ctx, *NAME)
    channels.start_sequences(ctx, *NAME)
    key = f"{name}/ports/transfer/channels/channel-0"
    assert written(lambda: write(channels, ctx, *NAME, MAX_U64)) == [key]
    assert read(channels, ctx, *NAME) == MAX_U64
    with pytest.raises(InvalidRequest):
        write(channels, ctx, *NAME, MAX_U64 + 1)
    assert read(channels, ctx, *NAME) == MAX_U64
