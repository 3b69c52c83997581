"""Creation of paths: existing parts are found, and unfinished ones are completed."""

import pytest

from pyibc.core.channel.types import ChannelState, Order
from pyibc.relayer.errors import AmbiguousPath, EndpointUnavailable
from pyibc.relayer.paths.open_path import create_client, make_path


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
def test_new_path(pair, order) -> None:
    a, b = pair
    path = make_path(a, b, "port", order, "v1")
    assert path.a == ("alpha-1", "07-tendermint-0", "connection-0", "port", "channel-0")
    assert path.b == ("beta-7", "07-tendermint-0", "connection-0", "port", "channel-0")
    for chain in pair:
        end = chain.channel("channel-0")
        assert (end.state, end.ordering, end.version) == (ChannelState.OPEN, order, "v1")
        assert all(entry["code"] == 0 for entry in chain.log)


def test_open_path_is_found_again(pair) -> None:
    a, b = pair
    path = make_path(a, b, "port", Order.UNORDERED, "v1")
    before = a.height, b.height
    assert make_path(a, b, "port", Order.UNORDERED, "v1") == path
    assert (a.height, b.height) == before


def test_new_channel_over_what_is_there(pair) -> None:
    a, b = pair
    first = make_path(a, b, "port", Order.UNORDERED, "v1")
    second = make_path(a, b, "port", Order.UNORDERED, "v1", new_channel=True)
    assert second.a == first.a._replace(channel_id="channel-1")
    other_order = make_path(a, b, "port", Order.ORDERED, "v1")
    assert other_order.a.channel_id == "channel-2"
    fresh = make_path(a, b, "port", Order.UNORDERED, "v1", new_clients=True)
    assert fresh.a == ("alpha-1", "07-tendermint-1", "connection-1", "port", "channel-3")


def test_taken_up_wherever_it_stopped(new_pair) -> None:
    """Every call to either chain fails once; further calls complete the path and create nothing twice."""
    calls = 0
    while True:
        a, b = new_pair()
        budget = calls

        def point(name: str) -> None:
            nonlocal budget
            budget -= 1
            if budget == -1:
                raise EndpointUnavailable("x", name)

        a.point = b.point = point
        try:
            make_path(a, b, "port", Order.UNORDERED, "v1")
            break
        except EndpointUnavailable:
            path = make_path(a, b, "port", Order.UNORDERED, "v1")
        assert path.a == ("alpha-1", path.a.client_id, "connection-0", "port", "channel-0")
        assert path.b[2:] == ("connection-0", "port", "channel-0")
        calls += 1
    assert calls > 40


def test_handshake_begun_on_b(pair) -> None:
    a, b = pair
    make_path(a, b, "port", Order.UNORDERED, "v1")
    stopped = 0

    def point(name: str) -> None:
        nonlocal stopped
        stopped += name == "after submit"
        if stopped == 1:
            stopped += 1
            raise EndpointUnavailable("x", name)

    a.point = b.point = point
    with pytest.raises(EndpointUnavailable):
        make_path(b, a, "port", Order.UNORDERED, "v1", new_channel=True)
    assert b.channel("channel-1").state == ChannelState.INIT
    b.close("channel-0")
    a.close("channel-0")
    path = make_path(a, b, "port", Order.UNORDERED, "v1")
    assert (path.a.channel_id, path.b.channel_id) == ("channel-1", "channel-1")
    assert a.channel("channel-1").state == b.channel("channel-1").state == ChannelState.OPEN


def test_of_several_clients_whose_creators_are_not_recorded_none_is_chosen(pair) -> None:
    a, b = pair
    names = [create_client(a, b).client_id for _ in range(2)]
    before = a.height, b.height
    with pytest.raises(AmbiguousPath) as refused:
        make_path(a, b, "port", Order.UNORDERED, "v1")
    assert refused.value.names == tuple(reversed(names))
    assert (a.height, b.height) == before
    assert make_path(a, b, "port", Order.UNORDERED, "v1", new_clients=True).a.client_id == "07-tendermint-2"
