"""States and old blocks are queried concurrently with the rounds, so that fresh packets go on."""

from dataclasses import replace

import pytest

from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.packet.events import (
    ACKNOWLEDGE_PACKET,
    RECV_PACKET,
    SEND_PACKET,
    TIMEOUT_PACKET,
    WRITE_ACKNOWLEDGEMENT,
    PacketEvent,
)
from pyibc.core.packet.types import Packet
from pyibc.relayer.blocks.search import BlockSearch, MissingEvent
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.packets.pending_packets import Stage
from tests.unit.pyibc.relayer.blocks.test_reader import ManualExecutor, _with_works
from tests.unit.pyibc.relayer.links.test_submissions import CHANNEL, linked, received
from tests.unit.pyibc.relayer.links.test_watched_heads import Watched

EVERY = 6
PACKET = Packet(9, "port", CHANNEL, "port", "channel-7", b"", Height(7, 10**6), 0)


class World:
    """Two chains, a link whose optional work runs when the test says so, and the queries of chain a."""

    def __init__(self, pair, monkeypatch, every=EVERY):
        self.pair, self.runner = pair, ManualExecutor()
        feeds = tuple(Watched(chain, self.runner, monkeypatch) for chain in pair)
        self.of_a, _ = feeds
        self.link = linked(pair, self.runner, reconcile_every=every, search_blocks=50, feeds=feeds)
        self.hidden, self.slow, self.states, self.down = set(), set(), 0, None
        block, grpc = pair[0].block, pair[0].grpc

        def read(height):
            assert height not in self.slow, "a round waits for it"
            found = block(height)
            if height not in self.hidden:
                return found
            events = tuple(each for each in found.block_events if each[0] != SEND_PACKET)
            return found._replace(block_events=events)

        def ask(path, request):
            self.states += 1
            if self.down is not None:
                raise self.down
            return grpc(path, request)

        monkeypatch.setattr(pair[0], "block", read)
        monkeypatch.setattr(pair[0], "grpc", ask)
        self.rounds(3)

    def rounds(self, number=1):
        for _ in range(number):
            self.link.round()
            self.runner.do()
            self.include()

    def include(self):
        while self.runner.waiting:
            future, work = self.runner.waiting.pop(0)
            future.set_result(_with_works(self.runner, work))
            for chain in self.pair:
                chain.highest_block = chain.height

    def hide(self):
        """Send a packet in a block without its event."""
        self.hidden.add(self.pair[0].height + 1)
        self.pair[0].send(CHANNEL)
        return self.pair[0].height

    def grow(self, blocks=EVERY):
        """Make a block on both chains, and run the rounds due after it."""
        for _ in range(blocks):
            for chain in self.pair:
                chain.make_block()
            for _ in range(2):
                self.link.round()
                self.only_reading()

    def only_reading(self):
        """Run the optional work, except comparisons and queries of old blocks."""
        left = []
        while self.runner.works:
            future, work = self.runner.works.pop(0)
            if self.is_old(work):
                left.append((future, work))
            else:
                future.set_result(work())
        self.runner.works += left

    def is_old(self, work):
        asks = getattr(work, "__qualname__", "").startswith("StateComparison.")
        old = getattr(work, "args", ()) and work.args[0] in self.slow
        return asks or bool(old and work.func == self.pair[0].block)


@pytest.fixture
def world(pair, monkeypatch):
    return World(pair, monkeypatch)


def test_h240_a_round_does_not_wait_for_states(world):
    world.hide()
    asked = world.states
    world.grow()
    assert (world.link._reconciler.is_querying, world.states) == (True, asked)
    compared, works = world.link.metrics.reconciled, len(world.runner.works)
    for _ in range(5):
        world.link.round()
        world.only_reading()
    assert len(world.runner.works) == works == 1  # asked once
    assert world.link.metrics.reconciled == compared
    world.runner.do()
    assert world.states > asked
    world.link.round()
    assert (world.link._reconciler.is_querying, world.link.metrics.reconciled) == (False, compared + 1)


def test_h240_fresh_packets_go_on_while_an_old_block_is_asked_for(world):
    hidden = world.hide()
    world.grow()
    world.runner.do()  # the states are there
    world.slow = set(range(hidden, world.link._reader.cursors[0].height + 1))
    world.of_a.there -= world.slow  # they are kept no longer
    for _ in range(3):
        world.link.round()
        world.only_reading()
    assert world.link.metrics.wanted == 1
    assert world.link._reconciler.reading
    world.pair[0].send(CHANNEL)
    world.pair[0].make_block()
    for _ in range(6):
        world.link.round()
        world.only_reading()
        world.include()
    assert sum(received(world.pair[1])) == 1  # the fresh one
    world.hidden.clear()
    world.slow.clear()
    for _ in range(30):
        world.rounds()
        world.pair[0].make_block()
    assert (sum(received(world.pair[1])), world.link.metrics.wanted) == (2, 0)


def test_what_is_doubted_while_states_are_asked_is_looked_into_again(world):
    world.grow()
    assert world.link._reconciler.is_querying
    assert not world.link._reconciler.is_suspect
    world.link._reconciler.suspect()
    world.runner.do()
    world.link._reconciler.check()
    assert (world.link._reconciler.is_querying, world.link._reconciler.is_suspect) == (False, True)


def test_a_comparison_for_a_doubt_is_not_forgotten_while_it_is_asked(pair, monkeypatch):
    """The backlog is no longer suspect, and no other comparison is due."""
    world = World(pair, monkeypatch, every=1_000)
    world.link._reconciler.suspect()
    world.grow(blocks=4)
    assert world.link._reconciler.is_querying
    assert not world.link._reconciler.is_due()
    compared = world.link.metrics.reconciled
    world.runner.do()
    assert world.link._reconciler.is_due()
    world.link.round()
    assert world.link.metrics.reconciled == compared + 1


def test_states_that_cannot_be_had_are_met_by_the_round_and_asked_again(world):
    world.down = EndpointUnavailable("alpha-1", "is down")
    world.grow()
    world.runner.do()
    with pytest.raises(EndpointUnavailable, match="is down"):
        world.link.round()
    assert world.link._reconciler.is_suspect
    world.down = None
    compared = world.link.metrics.reconciled
    world.rounds(3)
    assert world.link.metrics.reconciled > compared


def test_an_old_block_that_cannot_be_had_is_met_by_the_round(world, monkeypatch):
    hidden = world.hide()
    world.grow()
    world.runner.do()
    read, down = world.pair[0].block, [True]

    def block(height):
        if height == hidden and down[0]:
            raise EndpointUnavailable("alpha-1", "is down")
        return read(height)

    monkeypatch.setattr(world.pair[0], "block", block)
    world.of_a.there.clear()
    with pytest.raises(EndpointUnavailable, match="is down"):
        world.rounds(20)
    down[0] = False
    world.hidden.clear()
    for _ in range(10):
        world.rounds()
        world.pair[0].make_block()
    assert sum(received(world.pair[1])) == 1


def reconciled(world):
    """Start a comparison whose queries are answered but not applied."""
    world.grow()
    assert world.link._reconciler.is_querying
    world.runner.do()
    return world.link.metrics.corrected


def test_h240_what_was_read_while_states_were_asked_is_not_held_against_them(world):
    """No packet was sent, received or acknowledged since: the next comparison decides."""
    sent = world.link._backlog.channels[0].sent_from(0)
    for _ in range(3):
        world.pair[0].send(CHANNEL)
    world.pair[0].make_block()
    for _ in range(4):
        world.link.round()
        world.only_reading()
    assert set(sent.packets) == {1, 2, 3}
    corrected = reconciled(world)
    later = [each.height + 1 for each in world.pair]
    sent.observe(told(SEND_PACKET, 4), later[0])
    sent.observe(told(RECV_PACKET, 1), later[1])
    sent.observe(told(WRITE_ACKNOWLEDGEMENT, 2), later[1])
    sent.observe(told(ACKNOWLEDGE_PACKET, 3), later[0])
    known = dict(sent.packets)
    world.link._reconciler.check()
    assert not world.link._reconciler.is_querying
    assert (sent.packets, world.link.metrics.corrected) == (known, corrected)
    assert {each: known[each].stage for each in known} == {
        1: Stage.RECEIVED,
        2: Stage.ACKNOWLEDGED,
        4: Stage.SENT,
    }
    assert world.link._reconciler._searches[0].wanted == world.link._reconciler._searches[1].wanted == 0


def test_an_ordered_channel_s_next_sequence_is_not_put_back_meanwhile(world):
    sent = world.link._backlog.channels[0].sent_from(0)
    sent.order = Order.ORDERED
    world.pair[0].send(CHANNEL)
    world.pair[0].make_block()
    for _ in range(4):
        world.link.round()
        world.only_reading()
    reconciled(world)
    sent.next_sequence_recv = 2
    world.link._reconciler.check()
    assert sent.next_sequence_recv == 2


def told(kind, sequence):
    """The event of a packet that was read before."""
    acknowledgement = b"ack" if kind == WRITE_ACKNOWLEDGEMENT else b""
    return PacketEvent(kind, replace(PACKET, sequence=sequence), Order.UNORDERED, "", acknowledgement)


@pytest.mark.parametrize("is_ended", [True, False])
def test_what_has_come_to_its_end_since_is_not_looked_for(world, is_ended):
    """The end of a packet was read in a block before state denied it."""
    sent = world.link._backlog.channels[0].sent_from(0)
    search = BlockSearch(world.pair[0])
    key = SEND_PACKET, ("port", CHANNEL), 9
    sent.ended[9] = 3
    assert search.search_for(key, MissingEvent(sent, ("port", CHANNEL), False, b""), 4)
    assert 9 in sent.missing
    if is_ended:
        sent.observe(told(TIMEOUT_PACKET, 9), 5)
    search.step(4, 2)
    assert (search.wanted, search.read) == ((0, 0) if is_ended else (1, 2))
