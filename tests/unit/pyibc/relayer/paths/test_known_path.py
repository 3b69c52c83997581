"""Paths of channels named by their identifiers, whoever started the handshake."""

from dataclasses import replace

import pytest

from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.wire import states
from pyibc.relayer.errors import EndpointUnavailable, HandshakeStuck, NodeBehind, WrongCounterparty
from pyibc.relayer.paths.discovery import known_path
from pyibc.relayer.paths.open_path import make_path


@pytest.fixture
def begun(pair):
    """Open a second, ordered channel, whose handshake stops after `stop` transactions."""

    def begin(stop, version="their words"):
        a, b = pair
        make_path(a, b, "port", Order.UNORDERED, "v1")
        count = 0

        def point(name):
            nonlocal count
            count += name == "after submit"
            if count == stop:
                count += 1
                raise EndpointUnavailable("x", name)

        a.point = b.point = point
        with pytest.raises(EndpointUnavailable):
            make_path(a, b, "port", Order.ORDERED, version, new_channel=True)
        a.point = b.point = lambda _: None
        return a, b

    return begin


def put(chain, channel_id, **changes):
    end = replace(chain.channel(channel_id), **changes)
    chain.store[paths.channel_path("port", channel_id)] = states.encode_channel_end(end)


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_handshake_of_somebody_else_is_finished(begun, stop):
    a, b = begun(stop)
    path = known_path(a, b, "port", "channel-1")
    assert (path.order, path.version) == (Order.ORDERED, "their words")
    assert (path.a.channel_id, path.b.channel_id) == ("channel-1", "channel-1")
    assert a.channel("channel-1").state == b.channel("channel-1").state == ChannelState.OPEN
    assert known_path(a, b, "port", "channel-1") == path


def test_begun_on_the_other_chain(begun):
    a, b = begun(1)
    path = known_path(a, b, "port", "channel-1")
    assert known_path(b, a, "port", "channel-1").a == path.b


@pytest.mark.parametrize("name", ["channel-7", ""])
def test_no_such_channel(pair, name):
    make_path(*pair, "port", Order.UNORDERED, "v1")
    before = [chain.height for chain in pair]
    with pytest.raises(WrongCounterparty, match="no such channel"):
        known_path(*pair, "port", name)
    assert [chain.height for chain in pair] == before


def test_a_closed_channel_is_taken_as_it_is(pair):
    a, b = pair
    path = make_path(a, b, "port", Order.UNORDERED, "v1")
    put(a, "channel-0", state=ChannelState.CLOSED)
    before = a.height, b.height
    assert known_path(a, b, "port", "channel-0") == path
    assert (a.height, b.height) == before


def test_ends_that_do_not_fit_are_stuck(begun):
    a, b = begun(2)
    put(a, "channel-1", state=ChannelState.TRYOPEN)
    with pytest.raises(HandshakeStuck):
        known_path(a, b, "port", "channel-1")


def test_a_client_of_another_chain_is_refused(pair, new_pair):
    a, b = pair
    make_path(a, b, "port", Order.UNORDERED, "v1")
    _, stranger = new_pair()
    with pytest.raises(NodeBehind, match="has header 7"):  # or a node of b's that lags
        known_path(a, stranger, "port", "channel-0")
    stranger.wait(7)
    with pytest.raises(WrongCounterparty, match="does not match the header"):
        known_path(a, stranger, "port", "channel-0")
