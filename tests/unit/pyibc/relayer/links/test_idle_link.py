"""A link that is idle reads no block of others, and sleeps until something concerns it."""

from functools import partial
from types import SimpleNamespace

import pytest

from pyibc.core.packet.events import SEND_PACKET
from pyibc.relayer.blocks.feed import BlockFeed, Mark
from pyibc.relayer.links.client_watch import REREAD_NS
from pyibc.relayer.links.options import Options
from pyibc.relayer.links.reconciler import GROWTH, SOON, Intervals, Reconciler
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog
from tests.unit.pyibc.relayer.blocks.test_reader import ManualExecutor, _with_works
from tests.unit.pyibc.relayer.links.test_submissions import CHANNEL, linked, received

EVERY = 100


class World:
    """Two followed chains, an idle link, and the heights of the blocks that it reads of chain a."""

    def __init__(self, pair, monkeypatch, **more):
        self.pair, self.runner, self.read, self.queries, self.woken = pair, ManualExecutor(), [], 0, []
        self.feeds = BlockFeed(), BlockFeed()
        block, grpc = pair[0].block, pair[0].grpc
        self.hidden = set()

        def reads(height):
            self.read.append(height)
            return self.shown(block(height))

        def asks(*question):
            self.queries += 1
            return grpc(*question)

        monkeypatch.setattr(pair[0], "block", reads)
        monkeypatch.setattr(pair[0], "grpc", asks)
        self._block = block
        self.link = linked(pair, self.runner, feeds=self.feeds, reconcile_every=EVERY, **more)
        self.follow()
        for _ in range(2 * SOON):
            self.blocks()
            self.rounds()
        self.read.clear()

    def shown(self, block):
        kept = tuple(each for each in block.block_events if each[0] != SEND_PACKET)
        return block._replace(block_events=kept) if block.height in self.hidden else block

    def follow(self):
        for chain, feed, block in zip(self.pair, self.feeds, (self._block, self.pair[1].block), strict=True):
            last = feed.last.cursor.height if feed.last else chain.height - 1
            for height in range(last + 1, chain.height + 1):
                feed.reach(height)
                feed.add(self.shown(block(height)))

    def blocks(self, number=1):
        for _ in range(number):
            for chain in self.pair:
                chain.make_block()
        self.follow()

    def rounds(self):
        for _ in range(20):
            busy = self.link.round()
            self.runner.do()
            while self.runner.waiting:
                future, work = self.runner.waiting.pop(0)
                future.set_result(_with_works(self.runner, work))
                self.blocks()
            if not busy and not self.link._reconciler.is_querying:
                return
            self.follow()

    def sleep(self):
        """Let the link sleep on both chains; return what it waits for."""
        rest = self.link.rest()
        self.woken.clear()
        for side, each in enumerate(rest):
            assert self.feeds[side].sleep("link", each, partial(self.woken.append, side))
        return rest


@pytest.fixture
def world(pair, monkeypatch):
    return World(pair, monkeypatch)


def test_an_idle_link_reads_no_block_that_does_not_concern_it(world):
    pair = world.pair
    other = (("packet_src_port", "port"), ("packet_src_channel", "channel-9"))
    world.sleep()
    for _ in range(3):
        pair[0].make_block(events=((SEND_PACKET, other),))
        world.follow()
    assert world.woken == []
    blocks = world.link.metrics.blocks
    world.rounds()
    assert (world.read, world.link.metrics.blocks - blocks) == ([], 3)
    assert world.link._reader.cursors[0].height == pair[0].height


def test_a_packet_wakes_its_link_and_is_relayed(world):
    world.sleep()
    world.pair[0].send(CHANNEL)
    world.follow()
    assert world.woken == [0]
    sent_at = world.pair[0].height
    for _ in range(4):
        world.rounds()
        world.blocks()
    assert received(world.pair[1]) == [1]
    assert (world.read[0], world.link.metrics.acknowledged, world.link.pending) == (sent_at, 1, 0)


def test_a_link_with_a_pending_packet_does_not_sleep(world):
    world.pair[1].answer_later = True
    world.pair[0].send(CHANNEL)
    for _ in range(3):
        world.follow()
        world.rounds()
        world.blocks()
    assert world.link.pending == 1
    assert world.link.rest() is None


def test_an_event_that_a_node_hid_is_found_by_the_next_comparison(world):
    world.hidden.add(world.pair[0].height + 1)
    world.sleep()
    world.pair[0].send(CHANNEL)
    world.follow()
    assert world.woken == []
    world.hidden.clear()
    for _ in range(EVERY):
        world.blocks()
        if world.woken:
            world.rounds()
            if world.link.rest() is not None:
                world.sleep()
    assert received(world.pair[1]) == [1]
    assert world.link.metrics.acknowledged == 1


def test_an_idle_link_compares_less_and_less_often(world):
    world.link._reconciler.suspect()
    world.blocks(SOON)
    world.rounds()
    periods, at, queries = [], world.link.metrics.blocks, world.queries
    while len(periods) < 4:
        world.sleep()
        world.blocks(world.link._reconciler.blocks_left() // 2 + 1)
        assert world.woken
        world.rounds()
        assert world.queries > queries  # it was woken when it was due
        queries = world.queries
        periods.append(world.link.metrics.blocks - at)
        at = world.link.metrics.blocks
    assert periods[0] <= GROWTH * SOON + 2
    assert periods == sorted(periods)
    assert 3 * EVERY // 4 <= periods[-1] <= EVERY + 2


def test_idle_links_compare_at_different_times():
    def blocks_left(spread):
        found = Reconciler(Backlog([]), (None, None), Metrics(), Intervals(EVERY, 50, spread))
        while found._idle_blocks < EVERY:
            found.check()
        return found.blocks_left()

    left = {blocks_left(spread) for spread in range(EVERY)}
    assert left == set(range(EVERY - EVERY // 4 + 1, EVERY + 1))


def test_a_client_is_refreshed_while_its_link_sleeps(world, monkeypatch):
    rest = world.sleep()
    refresh = world.link._refreshes[0]
    assert rest[0].time_ns == refresh._lifetime.read_ns + REREAD_NS
    refresh._lifetime = refresh._lifetime._replace(
        trusting_ns=6 * 10**9, updated_ns=world.feeds[0].last.time_ns
    )
    monkeypatch.setattr(refresh, "_read", lambda: None)
    rest = world.sleep()
    assert rest[0].time_ns == world.feeds[0].last.time_ns + 4 * 10**9
    while not world.woken:
        world.pair[0].make_block()
        world.follow()
    assert world.feeds[0].last.time_ns == rest[0].time_ns
    assert world.pair[0].log == []
    world.rounds()
    assert [entry["messages"] for entry in world.pair[0].log][:1] == [["MsgUpdateClient"]]
    assert world.pair[1].log == []


def test_a_link_sleeps_until_an_upgrade_is_due(pair, monkeypatch):
    world = World(pair, monkeypatch, watch=lambda *_: None)
    world.rounds()
    watch, height = world.link._watch, pair[0].height
    watch._planned[0] = height + 3
    rest, _ = world.sleep()
    assert rest.height == height + 2


def test_headers_are_checked_by_one_of_several_links(pair, monkeypatch):
    leading = SimpleNamespace(now=False)
    world = World(pair, monkeypatch, watch=lambda *_: None, leads=lambda: leading.now)
    observed = []
    for monitor in world.link._watch._monitors:
        monkeypatch.setattr(monitor, "observe", lambda block: observed.append(block.height))
    world.rounds()
    assert Mark.UPDATES not in world.link._reader.names(0)
    world.pair[0].send(CHANNEL)
    world.follow()
    world.rounds()
    assert observed == []
    leading.now = True
    world.rounds()
    assert Mark.UPDATES in world.link._reader.names(0)
    world.pair[0].send(CHANNEL)
    world.follow()
    world.rounds()
    assert pair[0].height in observed


def test_a_link_of_chains_without_followers_does_not_sleep(pair):
    link = linked(pair, ManualExecutor())
    link.round()
    assert (Options().feeds, link.rest()) == (None, None)
