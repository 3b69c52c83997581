"""Any schedule of transfers, relayers, delays and replays: no coin is lost or made of nothing."""

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from conformance.kit.schedules import earlier_messages, play
from localnet.endpoint import LocalEndpoint
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import SECOND, two_chains
from pyibc.testing.transfers import abroad, transfer
from tests.sampling import rounds

FUNDS = 1_000
SIDES = st.integers(0, 1)
CHANNELS = st.integers(0, 1)
RELAYERS = st.integers(0, 1)

SEND = st.tuples(
    st.just("send"),
    SIDES,
    CHANNELS,
    st.integers(1, FUNDS + 1),  # now and then more than there is
    st.sampled_from(["native", "voucher", "other voucher"]),
    st.sampled_from(["bob", "nobody"]),
    st.sampled_from([0, 30, 300]),  # seconds until it is too late; 0: never
)
STEPS = st.lists(
    st.one_of(
        SEND,
        st.tuples(st.just("relay"), RELAYERS),
        st.tuples(st.just("wait"), st.integers(1, 200)),
        st.tuples(st.just("replay"), SIDES, st.integers(0, 10**6)),
        st.tuples(st.just("block"), SIDES),
    ),
    min_size=5,
    max_size=30,
)


class World:
    """Two chains, two transfer channels, two relayers that know nothing of each other."""

    def __init__(self):
        self.net = two_chains(funds=(coin("uatom", FUNDS), coin("stake", 10**9)), users=("bob", "second"))
        self.parties = (self.net.a, self.net.b)
        self.chains = [party.chain for party in self.parties]
        first = self.net.open("transfer", Order.UNORDERED, "ics20-1")
        second = make_path(
            self.net.a.endpoint,
            self.net.b.endpoint,
            "transfer",
            Order.UNORDERED,
            "ics20-1",
            new_channel=True,
        )
        self.paths = [first, second]
        others = [LocalEndpoint(party.chain, party.users["second"]) for party in self.parties]
        own = [party.endpoint for party in self.parties]
        self.relayers = [Link(self.paths, *endpoints) for endpoints in (own, others)]

    def laws(self):
        return broken_laws([channel_view(path, self.net.a.chain, self.net.b.chain) for path in self.paths])

    def send(self, side, channel, amount, what, receiver, seconds):
        ours, theirs = self.parties[side], self.parties[1 - side]
        path = self.paths[channel]
        end = path.end(side)
        over = self.paths[1 - channel].end(side) if what == "other voucher" else end
        denom = "uatom" if what == "native" else abroad("uatom", over).coin_denom
        address = theirs.address("bob") if receiver == "bob" else receiver
        until = {"until": self.net.clock.now_ns + seconds * SECOND} if seconds else {}
        ours.execute("bob", transfer(ours, "bob", end, denom, amount, address, **until))

    def relay(self, number):
        self.relayers[number].round()

    def wait(self, seconds):
        self.net.clock.advance(seconds * SECOND)

    def block(self, side):
        self.parties[side].chain.make_block([])

    def replay(self, side, number):
        """Some relayer's earlier packet messages once more."""
        old = earlier_messages(
            self.parties[side].chain,
            {MsgRecvPacket.TYPE_URL, MsgAcknowledgement.TYPE_URL, MsgTimeout.TYPE_URL},
        )
        if old:
            self.parties[side].execute("second", old[number % len(old)])

    def close(self):
        for link in self.relayers:
            link.close()
        self.net.close()


@settings(max_examples=rounds(8, 20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
@example([("send", 0, 0, 10, "native", "bob", 30), ("wait", 100)])  # late on a chain that stood still
def test_h36_h43_no_schedule_loses_or_makes_coins(steps):
    world = World()
    try:
        play(world, steps, 1_000)
    finally:
        world.close()
