"""Any schedule of transfers with restarts from an exported genesis in between: no packet is lost by one.

The relayer goes on as it was; blocks of before the restart it reads from who kept them.
"""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.schedules import play
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis
from pyibc.chain.config import HostConfig
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.links.link import Link
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import SECOND, ibc_plugins, two_chains
from pyibc.testing.transfers import abroad, transfer
from tests.sampling import rounds

SIDES = st.integers(0, 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("send"),
            SIDES,
            st.integers(1, 400),
            st.booleans(),  # a voucher, or a coin of the chain's own
            st.sampled_from(["bob", "nobody"]),
            st.sampled_from([0, 30, 300]),  # seconds until it is too late; 0: never
        ),
        st.tuples(st.just("relay")),
        st.tuples(st.just("wait"), st.integers(1, 200)),
        st.tuples(st.just("restart"), SIDES),
    ),
    min_size=4,
    max_size=14,
)
OURS = ("ibc", "transfer", "upgrade")


class Restarted(LocalChain):
    """A chain that still has the blocks of its life before this one, as an archive node has them."""

    def __init__(self, before, **options):
        self.before = before
        super().__init__(before.chain_id, **options)

    def record(self, height):
        return (self.before if height <= self.before.height else super()).record(height)

    def validators(self, height):
        return (self.before if height <= self.before.height else super()).validators(height)


def entries(chain, name):
    return list(chain.app.store.store(name).iterate(b"\0", None))


class World:
    """Two chains, a transfer channel, a relayer."""

    def __init__(self):
        self.net = two_chains(funds=(coin("uatom", 1_000), coin("stake", 10**9)), users=("bob", "pays"))
        self.parties = (self.net.a, self.net.b)
        self.path = self.net.open("transfer", Order.UNORDERED, "ics20-1")
        self.endpoints = [LocalEndpoint(party.chain, party.users["pays"]) for party in self.parties]
        self.link = Link([self.path], *self.endpoints)

    def laws(self):
        return broken_laws([channel_view(self.path, self.net.a.chain, self.net.b.chain)])

    def send(self, side, amount, voucher, receiver, seconds):
        ours, theirs = self.parties[side], self.parties[1 - side]
        end = self.path.end(side)
        denom = abroad("uatom", end).coin_denom if voucher else "uatom"
        address = theirs.address("bob") if receiver == "bob" else receiver
        until = {"until": self.net.clock.now_ns + seconds * SECOND} if seconds else {}
        ours.execute("bob", transfer(ours, "bob", end, denom, amount, address, **until))

    def relay(self):
        self.link.round()

    def wait(self, seconds):
        self.net.clock.advance(seconds * SECOND)

    def restart(self, side):
        party, old = self.parties[side], self.parties[side].chain
        text = json.dumps(old.app.export_genesis())
        new = Restarted(
            old,
            plugins=ibc_plugins(),
            config=HostConfig(old.chain_id),
            genesis=Genesis(json.loads(text), initial_height=old.height + 1),
            clock=self.net.clock,
        )
        assert new.height == old.height + 1
        assert json.dumps(new.app.export_genesis()) == text
        for name in OURS:
            assert entries(new, name) == entries(old, name)
        new.make_block([])  # the first header has no app hash yet: proofs begin with the second
        party.chain = party.endpoint.chain = self.endpoints[side].chain = new

    @property
    def chains(self):
        return [party.chain for party in self.parties]

    @property
    def relayers(self):
        return [self.link]

    def close(self):
        self.link.close()
        self.net.close()


def run(steps):
    """Runs the steps, then relays until nothing is left; the laws hold before and after."""
    world = World()
    try:
        play(world, steps, 1_000)
        return world
    finally:
        world.close()


@settings(max_examples=rounds(5, 12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_no_restart_loses_a_packet(steps):
    run(steps)


def test_packets_under_way_are_received_acknowledged_and_timed_out_after_a_restart():
    send = ("send", 0, 10, False, "bob", 0)
    late = ("send", 1, 7, False, "bob", 30)
    world = run([send, late, ("restart", 0), ("restart", 1), ("wait", 31)])
    bob = world.net.b.balance("bob", abroad("uatom", world.path.b).coin_denom)
    assert (bob, world.net.b.balance("bob", "uatom")) == (10, 1_000)


def test_a_packet_received_before_a_restart_is_not_received_again():
    world = run([("send", 0, 10, False, "bob", 0), ("relay",), ("restart", 1), ("restart", 0), ("relay",)])
    assert world.net.b.balance("bob", abroad("uatom", world.path.b).coin_denom) == 10
