"""Chains with watched heights: no round waits for an answer, and proofs are prefetched."""

from dataclasses import replace

import pytest

from pyibc.relayer.blocks.feed import BlockFeed
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.packets.datagram import keys_of
from pyibc.relayer.packets.proofs import PrefetchedProofs
from pyibc.relayer.packets.task import TaskKind
from tests.unit.pyibc.relayer.blocks.test_reader import ManualExecutor, Reading, _with_works
from tests.unit.pyibc.relayer.links.test_submissions import CHANNEL, linked, received, sent


class Watched(Reading, BlockFeed):
    """Turn a fake chain into one whose height is followed, without its blocks."""

    def __init__(self, chain, runner, monkeypatch):
        Reading.__init__(self, chain, monkeypatch)
        BlockFeed.__init__(self)
        self.chain, self.runner, self.told, self.known = chain, runner, 0, []
        self.watch_fails = None
        self.follows = True
        monkeypatch.setattr(chain, "last_height", self._asked, raising=False)
        monkeypatch.setattr(chain, "height_after", self._after, raising=False)
        monkeypatch.setattr(chain, "highest_block", 0, raising=False)
        monkeypatch.setattr(chain, "signed_height", 0, raising=False)
        monkeypatch.setattr(chain, "extras", replace(chain.extras, changes=chain))

    @property
    def height(self):
        return self.chain.tip().height if self.follows and self.watch_fails is None else 0

    def change(self, known):
        return self.runner.submit(lambda: self._after(known))

    def _asked(self):
        self.told += 1
        return self.chain.tip().height

    def _after(self, known):
        self.known.append(known)
        if self.watch_fails is not None:
            raise self.watch_fails
        return self.chain.tip().height


@pytest.fixture
def world(pair, monkeypatch):
    runner = ManualExecutor()
    watched = [Watched(chain, runner, monkeypatch) for chain in pair]
    link = linked(pair, runner, feeds=tuple(watched))
    for _ in range(3):
        link.round()
        runner.do()
    for each in watched:
        each.told = 0
        each.known.clear()
    return pair, link, runner, watched


def test_a_round_asks_for_no_height(world):
    pair, link, runner, watched = world
    for _ in range(4):
        pair[0].make_block()
        for _ in range(3):
            link.round()
            runner.do()
    assert link._reader.cursors[0].height == pair[0].height
    assert [each.told for each in watched] == [0, 0]


def test_one_height_is_waited_for_at_a_time_from_the_one_that_is_known(world):
    pair, link, runner, (of_a, _) = world
    height = pair[0].height
    for _ in range(3):
        link.round()
    pair[0].make_block()
    runner.do()
    for _ in range(3):
        link.round()
    runner.do()
    assert of_a.known == [height, height + 1]


def test_before_it_is_told_a_new_height_is_not_known(world):
    pair, link, runner, _ = world
    link.round()
    pair[0].make_block()
    link.round()
    assert link._reader.cursors[0].height == pair[0].height - 1
    assert link._reader.reading == []
    for _ in range(3):
        runner.do()
        link.round()
    assert link._reader.cursors[0].height == pair[0].height


def test_a_new_height_ends_a_wait_for_what_is_under_way(world, monkeypatch):
    pair, link, runner, _ = world
    waited = []
    reader = link._reader
    monkeypatch.setattr(
        runner, "wait", lambda some: waited.append((some, reader.heights.changes, [*reader.reading]))
    )
    sent(pair, 1, 0)
    for _ in range(4):
        runner.do()
        link.round()
    assert len(runner.waiting) == 1
    some, watches, reading = waited[-1]
    assert len(watches) == 2
    assert some == [runner.waiting[0][0], *reading, *watches]


def test_a_new_height_ends_a_wait_for_the_next_block(world, monkeypatch):
    pair, link, runner, _ = world
    waited = []
    monkeypatch.setattr(runner, "wait", waited.append)
    monkeypatch.setattr(runner, "wait_for", lambda _chain, height: pytest.fail(f"waits for {height}"))
    pair[0].send(CHANNEL)
    for _ in range(4):
        link.round()
        waits = len(waited)
        runner.do()
    assert waits > 0
    assert (runner.waiting, waited[-1]) == ([], link._reader.heights.changes)


def test_what_goes_wrong_while_it_is_watched_is_met_by_the_round(world, monkeypatch):
    pair, link, runner, (of_a, _) = world
    of_a.watch_fails = EndpointUnavailable("a-1", "is down")
    link.round()
    runner.do()

    def down():
        raise EndpointUnavailable("a-1", "is down for good")

    monkeypatch.setattr(pair[0], "last_height", down)
    with pytest.raises(EndpointUnavailable, match="is down for good"):
        link.round()
    monkeypatch.setattr(pair[0], "last_height", of_a._asked)
    of_a.watch_fails = None
    pair[0].make_block()
    for _ in range(3):
        link.round()
        runner.do()
    assert link._reader.cursors[0].height == pair[0].height


def test_a_chain_that_is_not_followed_is_asked(world):
    _, link, _, (of_a, _) = world
    of_a.follows = False
    link._reader.heights.stop_waiting()
    link.round()
    assert of_a.told > 0
    assert of_a.known == []


# -- what took effect is held until its block is read


def delivered(world):
    """Return the submissions of a link whose packet was delivered, before the result is applied."""
    pair, link, runner, _ = world
    sent(pair, 1, 0)
    pair[0].make_block()
    for _ in range(4):
        runner.do()
        link.round()
    future, work = runner.waiting.pop(0)
    future.set_result(_with_works(runner, work))
    return link._submissions


def test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it(world, monkeypatch):
    """The chain may be further by then: a task would stay excluded if blocks came faster than are read."""
    pair, link, _, _ = world
    submissions = delivered(world)
    included = pair[1].height
    monkeypatch.setattr(pair[1], "highest_block", included)
    assert received(pair[1]) == [1]
    link._collect()
    submissions.mark_read(1, included - 1, at_tip=True)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == {1}
    submissions.mark_read(0, included, at_tip=True)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == {1}
    submissions.mark_read(1, included, at_tip=False)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == set()


def test_h239_what_was_forgotten_meanwhile_is_held_until_a_block_is_read_after_it(world, monkeypatch):
    pair, link, _, _ = world
    submissions = delivered(world)
    link._collect()
    submissions.mark_read(1, 10**9, at_tip=True)  # nothing was read since
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == {1}
    monkeypatch.setattr(pair[1], "highest_block", 40)
    submissions.mark_read(1, 39, at_tip=True)
    monkeypatch.setattr(pair[1], "highest_block", 50)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == {1}
    submissions.mark_read(1, 40, at_tip=False)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == set()


def test_where_nothing_tells_the_block_all_that_there_are_must_be_read(world, monkeypatch):
    pair, link, _, _ = world
    monkeypatch.setattr(pair[1], "extras", replace(pair[1].extras, changes=None))
    submissions = delivered(world)
    link._collect()
    submissions.mark_read(1, 10**9, at_tip=False)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == {1}
    submissions.mark_read(1, 1, at_tip=True)
    assert submissions.excluded.of(TaskKind.RECV, 0, 1) == set()


# -- proofs ahead


class Ahead:
    """Turn a fake chain into one that prefetches proofs."""

    def __init__(self, chain, monkeypatch):
        self.chain, self.now, self.before = chain, [], []
        self.prefetched = PrefetchedProofs(self._many)
        self._asked = self.now
        extras = replace(chain.extras, prove_many=self.prefetched.prove_many, prefetch_proofs=self._ahead)
        monkeypatch.setattr(chain, "extras", extras)

    def _many(self, keys, height):
        self._asked.append((sorted(keys), height))
        values = [self.chain.past[height].get(key) for key in keys]
        proofs = [self.chain.proof(key, height + 1) for key in keys]
        told = self.chain.prove(b"-", 0).height._replace(revision_height=height + 1)
        proven = type(self.chain.prove(b"-", 0))
        return [proven(value, proof, told) for value, proof in zip(values, proofs, strict=True)]

    def _ahead(self, keys, height):
        self._asked = self.before
        try:
            self.prefetched.fetch(keys, height)
        finally:
            self._asked = self.now


@pytest.fixture
def proving(world, monkeypatch):
    return *world[:3], [Ahead(chain, monkeypatch) for chain in world[0]]


def read_all(pair, link, runner, rounds=4):
    for _ in range(rounds):
        link.round()
        runner.do()


def test_what_a_block_asks_for_is_proven_before_its_next_header(proving):
    pair, link, runner, (of_a, of_b) = proving
    pair[0].send(CHANNEL)
    height = pair[0].height
    read_all(pair, link, runner)
    assert runner.waiting == []  # no header shows it
    (task,) = link._plan(1, _with_next(link), link._submissions.excluded, 10)
    assert (of_a.before, of_a.now) == ([(keys_of(task), height)], [])
    pair[0].make_block()
    read_all(pair, link, runner)
    for _, work in runner.waiting:
        _with_works(runner, work)
    assert received(pair[1]) == [1]
    assert (of_a.now, of_b.before, of_b.now) == ([], [], [])


def _with_next(link):
    heads = link._reader.read()
    return tuple(
        head._replace(height=head.height._replace(revision_height=head.height.revision_height + 1))
        for head in heads
    )


def test_each_packet_is_proven_ahead_by_its_own_block_alone(proving):
    pair, link, runner, (of_a, _) = proving
    link._options = link._options._replace(messages_per_round=16)  # one beside others has to wait
    pair[0].send(CHANNEL)
    first = pair[0].height
    read_all(pair, link, runner)
    pair[0].send(CHANNEL)
    for _ in range(3):
        read_all(pair, link, runner)
        pair[0].make_block()
    assert len(runner.waiting) == 1
    assert [(len(keys), height) for keys, height in of_a.before] == [(1, first), (1, first + 1)]


def test_nothing_is_fetched_ahead_where_nothing_may_be_submitted(proving):
    pair, link, runner, (of_a, _) = proving
    runner.resting.add(1)
    pair[0].send(CHANNEL)
    read_all(pair, link, runner)
    assert of_a.before == []


def test_what_could_not_be_fetched_ahead_is_asked_for_in_time(proving, monkeypatch):
    pair, link, runner, (of_a, _) = proving

    def down(_keys, _height):
        raise EndpointUnavailable("a-1", "is down")

    monkeypatch.setattr(pair[0], "extras", replace(pair[0].extras, prefetch_proofs=down))
    pair[0].send(CHANNEL)
    height = pair[0].height
    read_all(pair, link, runner)
    pair[0].make_block()
    read_all(pair, link, runner)
    for _, work in runner.waiting:
        _with_works(runner, work)
    assert received(pair[1]) == [1]
    assert [asked for _, asked in of_a.now] == [height]


def test_blocks_without_packets_are_proven_nothing_of(proving):
    pair, link, runner, chains = proving
    for _ in range(3):
        pair[0].make_block()
        read_all(pair, link, runner)
    assert [each.before for each in chains] == [[], []]


# -- headers of blocks that are not executed yet


@pytest.fixture
def signing(pair, monkeypatch):
    """World whose first chain reports signed headers."""
    monkeypatch.setattr(pair[0], "signed_height", 0, raising=False)
    runner = ManualExecutor()
    watched = [Watched(chain, runner, monkeypatch) for chain in pair]
    link = linked(pair, runner, feeds=tuple(watched))
    read_all(pair, link, runner)
    return pair, link, runner, watched


def test_a_header_proves_what_was_read_before_its_block_is_executed(signing, monkeypatch):
    pair, link, runner, _ = signing
    pair[0].send(CHANNEL)
    read_all(pair, link, runner)
    sent_at = pair[0].height
    assert (runner.waiting, link._reader.cursors[0].height) == ([], sent_at)
    pair[0].make_block()
    monkeypatch.setattr(pair[0], "tip", lambda tip=pair[0].tip: tip()._replace(height=sent_at))
    monkeypatch.setattr(pair[0], "signed_height", sent_at + 1)
    link.round()
    assert len(runner.waiting) == 1
    _with_works(runner, runner.waiting[0][1])
    assert received(pair[1]) == [1]
    assert link._reader.cursors[0].height == sent_at
    assert link._reader.read()[0].time_ns == link._reader._heads[0].time_ns


@pytest.mark.parametrize("beyond", [-1, 0, 2])
def test_no_other_header_makes_a_head(signing, monkeypatch, beyond):
    pair, link, *_ = signing
    height = pair[0].height
    monkeypatch.setattr(pair[0], "signed_height", height + beyond)
    assert link._reader.read()[0].height.revision_height == height


def test_a_header_is_no_head_while_the_block_before_it_is_not_read(signing, monkeypatch):
    pair, link, runner, _ = signing
    read = pair[0].height
    pair[0].make_block()
    pair[0].make_block()
    monkeypatch.setattr(pair[0], "signed_height", pair[0].height)
    monkeypatch.setattr(pair[0], "tip", lambda tip=pair[0].tip: tip()._replace(height=read + 1))
    runner.do()
    link.round()
    runner.do()
    assert link._reader._early_head(0).height.revision_height <= read + 1


def test_a_client_that_needs_more_than_headers_waits_for_the_block(pair, monkeypatch):
    """Turn the client on b into one of attestors, which sign the effects of a block."""
    for chain in pair:
        monkeypatch.setattr(chain, "signed_height", 0, raising=False)
    headers_alone = property(lambda client: client.host is pair[0])
    monkeypatch.setattr(ForeignClient, "needs_only_headers", headers_alone)
    runner = ManualExecutor()
    watched = [Watched(chain, runner, monkeypatch) for chain in pair]
    link = linked(pair, runner, feeds=tuple(watched))
    read_all(pair, link, runner)
    heights = [chain.height for chain in pair]
    for chain in pair:
        monkeypatch.setattr(chain, "signed_height", chain.height + 1)
    assert [head.height.revision_height for head in link._reader.read()] == [heights[0], heights[1] + 1]
