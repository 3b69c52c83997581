"""IBC v2: any schedule of sends, relayers, kills, delays and replays loses no coin and makes none."""

from contextlib import suppress

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from conformance.kit.schedules import earlier_messages, play
from conformance.kit.v2_chains import QUICK, V2Chains, scripted
from pyibc.core.channel.types import Order
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgTimeoutV2
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import SECOND
from pyibc.testing.transfers import abroad, transfer, transfer_v2
from tests.sampling import rounds

SIDES = st.integers(0, 1)
RELAYERS = st.integers(0, 1)
AMOUNTS = st.integers(1, 1_001)  # now and then more than there is
RECEIVERS = st.sampled_from(["bob", "nobody"])
SEND = st.tuples(
    st.just("send"),
    SIDES,
    AMOUNTS,
    st.sampled_from(["native", "over the clients", "over the channel"]),
    RECEIVERS,
    st.sampled_from([30, 300, 3_000]),  # seconds until it is too late
)
STEPS = st.lists(
    st.one_of(
        SEND,
        SEND,
        st.tuples(st.just("send_over_the_channel"), SIDES, AMOUNTS),
        st.tuples(st.just("send_several"), AMOUNTS, AMOUNTS, RECEIVERS, st.sampled_from([b"x", b"refuse"])),
        st.tuples(st.just("relay"), RELAYERS),
        st.tuples(st.just("read"), RELAYERS),
        st.tuples(st.just("serve"), RELAYERS, SIDES),
        st.tuples(st.just("kill"), RELAYERS),
        st.tuples(st.just("wait"), st.integers(1, 200)),
        st.tuples(st.just("replay"), SIDES, st.integers(0, 10**6)),
        st.tuples(st.just("block"), SIDES),
    ),
    min_size=5,
    max_size=30,
)


class World:
    """Two chains, clients that carry packets of both protocols, two relayers that are strangers."""

    def __init__(self):
        self.net = V2Chains()
        self.parties = (self.net.a, self.net.b)
        self.chains = [party.chain for party in self.parties]
        channel = make_path(*self.net.ends, "transfer", Order.UNORDERED, "ics20-1")
        self.paths = [self.net.path, channel]
        self.relayers = [self.link(number) for number in (0, 1)]
        self.heads = [None, None]

    def link(self, number):
        return Link(self.paths, *self.net.as_user(("relayer", "rival")[number]), options=QUICK)

    def laws(self):
        return broken_laws([channel_view(path, self.net.a.chain, self.net.b.chain) for path in self.paths])

    def send(self, side, amount, what, receiver, seconds):
        way = self.net.ways[side]
        over = self.paths[what == "over the channel"].end(side)
        denom = "uatom" if what == "native" else abroad("uatom", over).coin_denom
        to = way.far.address("bob") if receiver == "bob" else receiver
        until_s = self.net.clock.now_ns // NS_PER_S + seconds
        way.near.execute("bob", transfer_v2(way.near, "bob", way.here, denom, amount, to, until_s=until_s))

    def send_over_the_channel(self, side, amount):
        near, far = self.net.ways[side].near, self.net.ways[side].far
        end = self.paths[1].end(side)
        near.execute("bob", transfer(near, "bob", end, "uatom", amount, far.address("bob")))

    def send_several(self, first, second, receiver, data):
        to = "" if receiver == "bob" else receiver
        payloads = (self.net.coins(first), scripted(data), self.net.coins(second, receiver=to))
        with suppress(RuntimeError):  # more than alice has
            self.net.send(*payloads)

    def relay(self, number):
        self.relayers[number].round()

    def read(self, number):
        self.heads[number] = self.relayers[number]._reader.read()

    def serve(self, number, side):
        """Acts on what was read some time ago."""
        if self.heads[number] is not None:
            self.relayers[number]._relay_to(side, self.heads[number])

    def kill(self, number):
        self.relayers[number].close()
        self.relayers[number], self.heads[number] = self.link(number), None

    def wait(self, seconds):
        self.net.clock.advance(seconds * SECOND)

    def block(self, side):
        self.parties[side].chain.make_block([])

    def replay(self, side, number):
        """Some relayer's earlier packet messages once more."""
        old = earlier_messages(
            self.parties[side].chain,
            {MsgRecvPacketV2.TYPE_URL, MsgAcknowledgementV2.TYPE_URL, MsgTimeoutV2.TYPE_URL},
        )
        if old:
            self.parties[side].execute("rival", old[number % len(old)])

    def close(self):
        for link in self.relayers:
            link.close()
        self.net.close()


@settings(max_examples=rounds(8, 20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
@example([("send", 0, 10, "native", "bob", 30), ("wait", 100)])  # late on a chain that stood still
def test_no_schedule_loses_or_makes_coins(steps):
    world = World()
    try:
        play(world, steps, 5_000)
        assert world.net.outstanding() == []
        assert all(link.metrics.given_up == {} for link in world.relayers)
    finally:
        world.close()
