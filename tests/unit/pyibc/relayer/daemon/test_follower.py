"""Follower of a chain: each block is read once, in order, and what goes wrong is told to the links."""

import pytest

from pyibc.relayer.blocks.feed import BlockFeed
from pyibc.relayer.daemon.chains import FIRST_S, LONGEST_S, MAX_GAP, Follower
from pyibc.relayer.errors import EndpointUnavailable

DOWN = EndpointUnavailable("a-1", "is down")


class Heights:
    def __init__(self, chain):
        self.chain, self.asked, self.down = chain, [], None

    def height_after(self, known, *, relaxed):
        self.asked.append((known, relaxed))
        if self.down is not None:
            raise self.down
        return self.chain.height


@pytest.fixture
def world(pair, monkeypatch):
    chain, read = pair[0], []
    block = chain.block
    monkeypatch.setattr(chain, "block", lambda height: read.append(height) or block(height))
    feed, heights = BlockFeed(), Heights(chain)
    return chain, read, feed, heights, Follower(chain, heights, feed)


def make(chain, blocks):
    for _ in range(blocks):
        chain.make_block()
    return chain.height


def test_each_block_is_read_once_from_the_tip_on(world):
    chain, read, feed, _, follower = world
    first = make(chain, 3)
    for blocks in (0, 0, 2, 0, 1):
        make(chain, blocks)
        assert follower.step() == 0.0
    assert read == list(range(first, first + 4))
    assert (feed.height, feed.last.cursor.height) == (chain.height, chain.height)


def test_a_chain_is_polled_less_often_while_no_link_waits(world):
    chain, _, feed, heights, follower = world
    make(chain, 1)
    follower.step()
    feed.change(feed.height)
    follower.step()
    assert heights.asked == [(0, True), (chain.height, False)]


def test_after_a_long_gap_the_feed_starts_again_at_the_tip(world):
    chain, read, feed, _, follower = world
    make(chain, 1)
    follower.step()
    read.clear()
    tip = make(chain, MAX_GAP + 1)
    follower.step()
    assert (read, feed.last.cursor.height) == ([tip], tip)


def test_a_node_that_lags_changes_no_block(world):
    chain, read, feed, heights, follower = world
    tip = make(chain, 3)
    follower.step()
    heights.chain = type("Lagging", (), {"height": tip - 1})
    assert follower.step() == 0.0
    assert (read, feed.height, feed.last.cursor.height) == ([tip], tip - 1, tip)


def test_a_block_of_another_history_clears_the_feed(world, monkeypatch):
    chain, _, feed, _, follower = world
    make(chain, 2)
    follower.step()
    block = chain.block
    make(chain, 1)
    monkeypatch.setattr(chain, "block", lambda height: block(height)._replace(parent=b"another"))
    waiting = feed.change(feed.height)
    assert follower.step() == FIRST_S
    assert (feed.last, feed.height) == (None, 0)
    assert waiting.result(0) == chain.height  # the height was told before the block was read
    assert follower.step() == 0.0
    assert feed.last.cursor.height == chain.height


def test_what_goes_wrong_is_told_and_tried_again_after_longer_pauses(world, caplog):
    chain, _, feed, heights, follower = world
    make(chain, 1)
    follower.step()
    last, heights.down = feed.last, DOWN
    waiting = feed.change(feed.height)
    pauses = [follower.step() for _ in range(6)]
    assert pauses == [FIRST_S, 1.0, 2.0, 4.0, LONGEST_S, LONGEST_S]
    assert (waiting.exception(), feed.height, feed.last) == (DOWN, 0, last)
    assert caplog.records == []  # links report it
    heights.down = None
    make(chain, 1)
    assert follower.step() == 0.0
    assert (feed.height, feed.last.cursor.height) == (chain.height, chain.height)
    heights.down = DOWN
    assert follower.step() == FIRST_S


def test_a_fault_of_ours_is_logged_and_the_chain_is_followed_again(world, monkeypatch, caplog):
    chain, _, feed, heights, follower = world
    heights.down = KeyError("ours")
    assert follower.step() == FIRST_S
    heights.down = None
    make(chain, 1)
    assert follower.step() == 0.0
    assert feed.height == chain.height
