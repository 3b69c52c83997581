"""Rate limits around packet forwarding: coins that only pass through a chain are counted in and out of it."""

import json

import pytest

from ibc_module.plugin import Config
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.messages import MsgAddRateLimit
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.transfers import abroad, transfer
from pyibc.testing.triple import three_chains

AUTHORITY = Wallet.from_seed("alice", "cosmos").address.text


class Road:
    """alpha - beta - gamma; beta has 1000 of alpha's coin and lets half of them in, and a fifth out."""

    def __init__(self):
        self.net = three_chains(
            plugins=lambda: [*plugins(Config(authority=AUTHORITY)), RateLimitPlugin(), PacketForwardPlugin()]
        )
        self.a, self.b, self.c = self.net.parties
        self.first, self.second = self.net.open(self.a, self.b), self.net.open(self.b, self.c)
        self.coin = abroad("ualpha", self.first.b).coin_denom
        self.send(1_000, self.b.address("bob"))
        self.net.relay()
        for over, out, into in ((self.first.b, 1, 50), (self.second.a, 20, 1)):
            add = MsgAddRateLimit(AUTHORITY, self.coin, over.channel_id, out, into, 24)
            assert self.b.execute("alice", pack_msg(add)).code == 0

    def send(self, amount, receiver, memo=""):
        sent = transfer(self.a, "alice", self.first.a, "ualpha", amount, receiver, memo=memo)
        assert self.a.execute("alice", sent).code == 0

    def forward(self, amount, receiver):
        hop = {"receiver": receiver, "port": "transfer", "channel": self.second.a.channel_id}
        self.send(amount, "pfm", json.dumps({"forward": hop}))

    def flows(self):
        """What came in from alpha, and what left for gamma."""
        ctx = self.b.chain.app.query_context()
        ends = self.first.b.channel_id, self.second.a.channel_id
        into, out = (state.limit(ctx, self.coin, end).flow for end in ends)
        return into.inflow, out.outflow

    def marks(self):
        ctx = self.b.chain.app.query_context()
        return [key for key, _ in ctx.reader("ratelimit").iterate(b"\0", b"\2")]


@pytest.fixture
def road():
    made = Road()
    yield made
    assert made.net.broken_laws() == []
    assert made.marks() == []
    made.net.close()


def test_a_forward_that_fails_further_on_is_taken_off_both(road):
    before = road.a.balance("alice", "ualpha")
    road.forward(200, "nobody")
    road.net.relay()
    assert road.flows() == (0, 0)
    assert road.a.balance("alice", "ualpha") == before
    road.forward(200, road.c.address("bob"))
    road.net.relay()
    assert road.flows() == (200, 200)


def test_a_forward_beyond_the_quota_of_the_way_out_does_not_come_in(road):
    before = road.a.balance("alice", "ualpha")
    road.forward(201, road.c.address("bob"))
    road.net.relay()
    assert road.flows() == (0, 0)
    assert road.a.balance("alice", "ualpha") == before


def test_a_forward_beyond_the_quota_of_the_way_in_is_not_forwarded(road):
    before = road.a.balance("alice", "ualpha")
    road.send(500, road.b.address("bob"))
    road.forward(1, road.c.address("bob"))
    road.net.relay()
    assert road.flows() == (500, 0)
    assert road.a.balance("alice", "ualpha") == before - 500
