"""Packets over a connection with a delay wait for it, and are not tried before."""

import pytest

from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.errors import DifferentTerms, EndpointRefused
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.discovery import find_channel
from pyibc.relayer.paths.open_channel import ChannelParams
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import make_channel, make_clients
from pyibc.testing.pair import SECOND, two_chains
from pyibc.testing.transfers import abroad

DELAY_NS = 100 * SECOND
FAR = Height(1, 10**6)


class Delayed:
    """A channel over a connection with a delay."""

    def __init__(self, order=Order.UNORDERED):
        self.net = two_chains(users=("alice", "bob"))
        a, b = self.net.a, self.net.b
        self.ends = a.endpoint, b.endpoint
        clients = make_clients(*self.ends)
        params = ChannelParams(("transfer",) * 2, open_connection(clients, DELAY_NS), order, "ics20-1")
        self.path = make_channel(clients, params, new=False)
        self.link = Link([self.path], *self.ends)

    def send(self, count=1, timeout_ns=0):
        party, end = self.net.a, self.path.a
        message = MsgTransfer(
            end.port_id,
            end.channel_id,
            "stake",
            "5",
            party.address("alice"),
            self.net.b.address("bob"),
            FAR if not timeout_ns else Height(0, 0),
            timeout_ns,
            "",
        )
        outcome = party.execute("alice", *[pack_msg(message)] * count)
        assert outcome.code == 0, outcome.log

    def received(self):
        return self.net.b.balance("bob", abroad("stake", self.path.b).coin_denom)


@pytest.fixture
def delayed():
    made = Delayed()
    yield made
    made.link.close()
    made.net.close()


@pytest.fixture
def forgetful(delayed, monkeypatch):
    """Nodes that prove nothing of more than four blocks ago; the delay has a hundred seconds."""
    for end in delayed.ends:

        def prove(key, height, *store, end=end, proves=end.prove):
            if height < end.chain.height - 4:
                raise EndpointRefused(end.chain_id, f"proof at {height}", "deleted")
            return proves(key, height, *store)

        monkeypatch.setattr(end, "prove", prove)


@pytest.mark.usefixtures("forgetful")
def test_h229_nodes_that_keep_fewer_states_than_the_delay_has_blocks(delayed):
    """Received and acknowledged, and timed out where nobody received it."""
    delayed.send(3)
    delayed.send(1, timeout_ns=delayed.net.clock.now_ns + 5 * SECOND)
    metrics = delayed.link.until_idle(1_000)
    assert (metrics.delivered, metrics.acknowledged, metrics.timed_out) == (3, 3, 1)
    assert (metrics.refused, metrics.given_up) == (0, {})
    assert delayed.received() == 15


def test_h136_packets_wait_for_the_delay_and_are_not_tried_before(delayed):
    delayed.send(3)
    start = delayed.net.clock.now_ns
    metrics = delayed.link.until_idle()
    assert (metrics.delivered, metrics.acknowledged, metrics.refused, metrics.given_up) == (3, 3, 0, {})
    assert delayed.received() == 15
    assert delayed.net.clock.now_ns - start >= 2 * DELAY_NS  # there, and the answer back


def test_h136_a_timeout_waits_for_the_delay(delayed):
    before = delayed.net.a.balance("alice", "stake")
    delayed.send(2, timeout_ns=delayed.net.a.chain.tip().time_ns + 5 * SECOND)
    for each in (delayed.net.a, delayed.net.b):
        delayed.net.clock.advance(10 * SECOND)
        each.chain.make_block([])
    metrics = delayed.link.until_idle()
    assert (metrics.timed_out, metrics.refused, metrics.given_up) == (2, 0, {})
    assert (delayed.received(), delayed.net.a.balance("alice", "stake")) == (0, before)


def test_h136_a_relayer_that_is_restarted_all_the_time_delivers_all_the_same(delayed, tmp_path):
    """It waits for the header that the client has, however often it begins again."""
    delayed.send(1)
    for _ in range(300):
        link = Link([delayed.path], *delayed.ends, journal=tmp_path / "journal.db")
        busy = link.round()
        link.close()
        delayed.net.a.chain.make_block([])  # there is always a newer header
        if not busy:
            break
    assert delayed.received() == 5
    assert delayed.link.until_idle().refused == 0


def test_h136_the_delay_is_a_term_that_must_be_accepted(delayed):
    name = delayed.path.a.channel_id
    with pytest.raises(DifferentTerms) as refused:
        find_channel(*delayed.ends, "transfer", name)
    assert {each.term for each in refused.value.differences} == {"delay_period"}
    assert find_channel(*delayed.ends, "transfer", name, accept=frozenset({"delay_period"})) == delayed.path
