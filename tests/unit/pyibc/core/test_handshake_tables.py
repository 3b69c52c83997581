"""Connection and channel: the handshake tables pair by pair, and the choice of a version."""

from itertools import product

import pytest

from pyibc.core.channel import types as channel
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection import types as connection
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    DEFAULT_VERSION,
    ConnectionState,
    Version,
    is_supported,
    pick_version,
)
from pyibc.core.errors import VersionNegotiationFailed

ORDERED, UNORDERED = "ORDER_ORDERED", "ORDER_UNORDERED"


def test_connection_steps():
    """Every pair of state and message that is not one of the four steps is refused."""
    messages = ("open_init", "open_try", "open_ack", "open_confirm")
    steps = dict(zip(messages, [(0, 1), (0, 2), (1, 3), (2, 3)], strict=True))
    for state, message in product(ConnectionState, messages):
        before, after = steps[message]
        expected = after if state == before else None
        assert connection.ALLOWED.get((state, message)) == expected
    assert len(connection.ALLOWED) == 4


def test_channel_steps():
    messages = ("open_init", "open_try", "open_ack", "open_confirm")
    steps = dict(zip(messages, [(0, 1), (0, 2), (1, 3), (2, 3)], strict=True))
    for state, message in product(ChannelState, messages):
        before, after = steps[message]
        expected = after if state == before else None
        assert channel.ALLOWED.get((state, message)) == expected
    for state, message in product(ChannelState, ("close_init", "close_confirm")):
        living = state in {ChannelState.INIT, ChannelState.TRYOPEN, ChannelState.OPEN}
        assert channel.ALLOWED.get((state, message)) == (ChannelState.CLOSED if living else None)
    assert len(channel.ALLOWED) == 10


def test_a_change_of_state_changes_nothing_else():
    end = ChannelEnd(ChannelState.INIT, Order.ORDERED, ChannelCounterparty("p", "c"), ("connection-3",), "v")
    opened = end.in_state(ChannelState.OPEN)
    assert opened.in_state(ChannelState.INIT) == end
    assert (opened.state, opened.connection_id) == (ChannelState.OPEN, "connection-3")
    assert [order.text for order in Order] == ["ORDER_NONE_UNSPECIFIED", UNORDERED, ORDERED]


@pytest.mark.parametrize(
    ("offered", "supported"),
    [
        (DEFAULT_VERSION, True),
        (Version("1", (UNORDERED,)), True),
        (Version("1", ()), False),
        (Version("1", (UNORDERED, "ORDER_DAG")), False),
        (Version("2", (UNORDERED,)), False),
    ],
)
def test_supported(offered, supported):
    assert is_supported(offered) is supported
    assert not is_supported(offered, [])


@pytest.mark.parametrize(
    ("offered", "picked"),
    [
        (COMPATIBLE_VERSIONS, DEFAULT_VERSION),
        ([Version("2", (ORDERED,)), Version("1", (UNORDERED,))], Version("1", (UNORDERED,))),
        ([Version("1", (UNORDERED, ORDERED))], DEFAULT_VERSION),  # our order of features
        ([Version("1", ("ORDER_DAG", ORDERED))], Version("1", (ORDERED,))),
        ([Version("1", (ORDERED,)), Version("1", (UNORDERED,))], Version("1", (ORDERED,))),
    ],
)
def test_picked(offered, picked):
    assert pick_version(offered) == picked


@pytest.mark.parametrize(
    "offered", [[], [Version("2", (ORDERED,))], [Version("1", ())], [Version("1", ("x",))]]
)
def test_nothing_in_common(offered):
    with pytest.raises(VersionNegotiationFailed):
        pick_version(offered)
