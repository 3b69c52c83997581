"""An application closes its own end of a channel; the other follows, and what was under way comes back."""

import pytest

from conformance.kit.messages import Messages
from conformance.kit.pair import Pair
from conformance.kit.scripted_app import VERSION
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import ChannelNotFound, InvalidChannelState


@pytest.fixture(scope="module")
def pair():
    return Pair.connected()


def state(side, end):
    return side.keepers.channels.get(side.chain.app.query_context(), end.port_id, end.channel_id).state


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
def test_both_ends_close_and_the_packet_comes_back(pair, order):
    path = pair.open(pair.ports, order, VERSION)
    a, b, to_a = pair.a, pair.b, Messages(pair, pair.a)
    packet = a.send(path.a, path.b, b"under way")
    b.inside(lambda ctx: b.scripted.sender.close_channel(ctx, b.port, path.b.channel_id))
    closed = b.chain.block(b.chain.height).block_events
    assert [kind for kind, _ in closed if kind.startswith("channel")] == ["channel_close_init"]
    assert (state(a, path.a), state(b, path.b)) == (ChannelState.OPEN, ChannelState.CLOSED)
    assert "on_chan_close_init" not in b.app.calls  # who closes need not be told
    pair.sync()
    assert a.submit(to_a.timeout_on_close(packet, order)).code == 0
    assert a.keepers.packets.commitment(a.chain.app.query_context(), packet) is None
    assert a.app.calls[-1] == "on_timeout_packet"
    if order is Order.UNORDERED:  # an ordered end closed with its packet
        confirm = to_a.channel_close_confirm(path.a.channel_id, path.b.channel_id)
        assert a.submit(confirm).code == 0
        assert a.app.calls[-1] == "on_chan_close_confirm"
    assert state(a, path.a) is ChannelState.CLOSED


def refused(side, channel):
    """The error that closing a channel from inside a block raises; the block itself goes on."""
    caught = []

    def close(ctx):
        try:
            with ctx.branch():
                side.scripted.sender.close_channel(ctx, side.port, channel)
        except Exception as error:
            caught.append(error)

    before = side.chain.app.store.root("ibc")
    side.inside(close)
    assert side.chain.app.store.root("ibc") == before
    return caught[0]


def test_what_cannot_be_closed(pair):
    assert isinstance(refused(pair.a, "channel-99"), ChannelNotFound)
    path = pair.open(pair.ports, Order.UNORDERED, VERSION)
    pair.a.inside(lambda ctx: pair.a.scripted.sender.close_channel(ctx, pair.a.port, path.a.channel_id))
    assert isinstance(refused(pair.a, path.a.channel_id), InvalidChannelState)
