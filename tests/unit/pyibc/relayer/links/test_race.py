"""F2, F3: any number of relayers, interleaved in any way, lose no packet and complete each once."""

from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyibc.core import paths as keys
from pyibc.core.channel.types import Order
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET, read_packet_event
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.paths.open_path import make_path
from tests.sampling import rounds

CHANNEL = "channel-0"

actions = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 1), st.integers(0, 6)),
        st.tuples(st.just("block"), st.integers(0, 1), st.integers(1, 3)),
        st.tuples(st.just("read"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("serve"), st.integers(0, 2), st.integers(0, 1)),
        st.tuples(st.just("round"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("drop"), st.integers(0, 1), st.integers(1, 12)),
        st.tuples(st.just("restart"), st.integers(0, 2), st.just(0)),
    ),
    max_size=40,
)


class World:
    """Two chains, three relayers with old or new knowledge, and calls that fail."""

    def __init__(self, pair, order: Order) -> None:
        self.chains = pair
        self.path = make_path(*pair, "port", order, "v1")
        self.options = Options(
            BatchLimits(messages=3), messages_per_round=7, outages=50, sleep=lambda _s: None
        )
        self.links = [self.link() for _ in range(3)]
        self.heads = [None] * 3
        self.sent = [0, 0]
        for chain in pair:
            chain.fuse = 0
            chain.point = lambda name, chain=chain: self.point(chain, name)

    def link(self) -> Link:
        return Link([self.path], *self.chains, options=self.options)

    def point(self, chain, name: str) -> None:
        chain.fuse -= chain.fuse > 0
        if chain.fuse == 1:
            chain.fuse = 0
            raise EndpointUnavailable(chain.chain_id, name)

    def act(self, name: str, which: int, number: int) -> None:
        with suppress(EndpointUnavailable):
            getattr(self, f"_{name}")(which, number)

    def _send(self, side: int, timeout: int) -> None:
        self.sent[side] += 1
        far = self.chains[1 - side]
        self.chains[side].send(CHANNEL, timeout=far.height + timeout if timeout else 0)

    def _block(self, side: int, count: int) -> None:
        for _ in range(count):
            self.chains[side].make_block()

    def _read(self, which: int, _number: int) -> None:
        self.heads[which] = self.links[which]._reader.read()

    def _serve(self, which: int, side: int) -> None:
        """Act on blocks that were read some time ago."""
        if self.heads[which] is not None:
            self.links[which]._relay_to(side, self.heads[which])

    def _round(self, which: int, _number: int) -> None:
        self.heads[which] = None
        self.links[which].round()

    def _drop(self, side: int, calls: int) -> None:
        self.chains[side].fuse = calls + 1

    def _restart(self, which: int, _number: int) -> None:
        self.heads[which] = None
        self.links[which] = self.link()

    def finish(self) -> None:
        for chain in self.chains:
            chain.fuse = 0
            for _ in range(8):
                chain.make_block()
        for link in self.links:
            link.until_idle()

    def ended(self, side: int, *kinds: str) -> list[int]:
        events = [e for block in self.chains[side].blocks for tx in block.txs for e in tx.events]
        seen = [read_packet_event(event) for event in events]
        return sorted(event.packet.sequence for event in seen if event is not None and event.kind in kinds)


@settings(
    deadline=None, max_examples=rounds(15, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(actions)
def test_h53_racing_relayers_end_equal_unordered(new_pair, script) -> None:
    world = World(new_pair(), Order.UNORDERED)
    for action in script:
        world.act(*action)
    world.finish()
    for side in (0, 1):
        everything = list(range(1, world.sent[side] + 1))
        assert world.ended(side, ACKNOWLEDGE_PACKET, TIMEOUT_PACKET) == everything
        assert world.ended(1 - side, RECV_PACKET) == world.ended(side, ACKNOWLEDGE_PACKET)
    for link in world.links:
        assert link.metrics.given_up == {}
        assert link.pending == 0


@settings(
    deadline=None, max_examples=rounds(10, 40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(actions)
def test_h53_racing_relayers_end_equal_ordered(new_pair, script) -> None:
    """Packets arrive in order, each at most once; after a timeout the rest is refunded."""
    world = World(new_pair(), Order.ORDERED)
    for action in script:
        try:
            world.act(*action)
        except Exception as error:
            if "channel" not in str(error):
                raise
    world.finish()
    for side in (0, 1):
        got = world.ended(1 - side, RECV_PACKET)
        assert got == list(range(1, len(got) + 1))
        ended = world.ended(side, ACKNOWLEDGE_PACKET, TIMEOUT_PACKET)
        assert len(ended) == len(set(ended))
        prefix = keys.packet_commitment_prefix("port", CHANNEL)
        left = {int(k.rsplit(b"/", 1)[1]) for k in world.chains[side].store if k.startswith(prefix)}
        if left:  # received before the sender's end closed: nothing can bring the answer any more
            assert world.chains[side].channel(CHANNEL).state.name == "CLOSED"
            assert left <= set(got)
        states = {chain.channel(CHANNEL).state.name for chain in world.chains}
        assert len(states) == 1
