"""How often snapshots are taken: at an interval of blocks, unless they would take too much of the time."""

import pytest

from iavl import IavlError
from pyibc.chain.comet.state_sync import SnapshotTaker

BLOCK_S = 0.5
EVERY = 10


class World:
    """A host that exports nothing, snapshots that cost what they are told to, and time."""

    def __init__(self) -> None:
        self.now = self.worked = 0.0
        self.cost = lambda _height: 0.0
        self.taken, self.error = [], None
        self.store = self

    def info(self, _height):
        return self

    app_hash = b"hash"

    def names(self):
        return ["ibc"]

    def export(self, _height, _size):
        return iter(())

    def write(self, taken, chunks):
        assert (taken.app_hash, taken.stores, list(chunks)) == (b"hash", ["ibc"], [])
        self.taken.append(taken.height)
        self.worked += self.cost(taken.height)
        if self.error is not None:
            raise self.error

    def taker(self, percent, every=EVERY):
        clocks = (lambda: self.now), (lambda: self.worked)
        return SnapshotTaker(self, self, every, 1 << 20, percent, clocks)

    def run(self, taker, heights, block_s=BLOCK_S):
        """Commits blocks, a snapshot's end awaited each; returns the heights of snapshots."""
        self.taken.clear()
        for height in heights:
            self.now += block_s
            taker.committed(height)
            taker.wait()
        return list(self.taken)


@pytest.fixture
def world():
    return World()


def test_a_cheap_snapshot_is_taken_at_the_interval(world):
    world.cost = lambda _height: 0.05 * EVERY * BLOCK_S  # as much as is allowed
    assert world.run(world.taker(5), range(1, 61)) == [10, 20, 30, 40, 50, 60]


def test_without_a_limit_any_is(world):
    world.cost = lambda _height: 1_000.0
    for percent in (0, -1):
        assert world.run(world.taker(percent), range(1, 41)) == [10, 20, 30, 40]


def test_h242_what_costs_more_is_taken_at_multiples_of_a_longer_interval(world, caplog):
    caplog.set_level("INFO", "pyibc.chain")
    world.cost = lambda _height: 0.8  # of 5 s between two: 16 %, of 16 s 5 %
    assert world.run(world.taker(5), range(1, 201)) == [10, 40, 80, 120, 160, 200]
    assert "snapshots take 0.8 s; taking one every 40 blocks from now on" in caplog.text


def test_h242_it_does_not_take_more_than_its_share_as_the_state_grows(world):
    world.cost = lambda height: height / 100
    taker, spent = world.taker(5), 0.0
    for first in range(1, 20_001, 1_000):
        before = world.worked
        world.run(taker, range(first, first + 1_000))
        spent = max(spent, world.worked - before)
    assert spent > 0
    assert world.worked < 0.06 * 20_000 * BLOCK_S


def test_h242_where_it_costs_less_again_the_interval_is_the_one_that_was_set(world):
    taker = world.taker(5)
    world.cost = lambda _height: 0.8
    world.run(taker, range(1, 41))
    world.cost = lambda _height: 0.01
    assert world.run(taker, range(41, 121)) == [80, 90, 100, 110, 120]


def test_h242_who_has_caught_up_takes_them_as_often_as_others(world):
    """A thousand blocks a second are another pace than the two that follow."""
    world.cost = lambda _height: 0.1
    taker = world.taker(5)
    assert len(world.run(taker, range(1, 10_001), block_s=0.001)) <= 5
    assert world.run(taker, range(10_001, 10_041)) == [10_010, 10_020, 10_030, 10_040]


def test_h242_a_clock_that_stands_still_is_survived(world):
    world.cost = lambda _height: 0.1
    assert world.run(world.taker(5), range(1, 41), block_s=0.0) == [10]


def test_h242_one_that_fails_has_cost_as_well(world, caplog):
    world.cost, world.error = (lambda _height: 0.8), IavlError()
    assert world.run(world.taker(5), range(1, 121)) == [10, 40, 80, 120]
    assert "snapshot of height 120 failed" in caplog.text


def test_h242_however_dear_it_is_one_is_taken_some_day(world):
    world.cost = lambda _height: 1e12
    taker = world.taker(5, every=1 << 19)
    assert world.run(taker, range(0, 1 << 23, 1 << 18)) == [*range(0, 1 << 23, 1 << 20)]


def test_validators_that_are_not_equally_fast_take_those_that_are_rarer_alike(world):
    slow, fast = World(), World()
    slow.cost, fast.cost = (lambda _height: 0.8), (lambda _height: 0.4)
    rare, often = slow.run(slow.taker(5), range(1, 201)), fast.run(fast.taker(5), range(1, 201))
    assert set(rare) - {10} <= set(often)
    assert len(rare) < len(often)


def test_none_is_taken_where_there_is_no_interval(world):
    assert world.run(world.taker(5, every=0), range(1, 200)) == []
