"""Polling of a chain's height: recent heights are reused, and polling starts when a block is due."""

import pytest

from pyibc.relayer.chain.caches import (
    INTERVALS,
    MAX_WAIT_S,
    MIN_POLL_S,
    QUIET_FRACTION,
    RECENT_S,
    RELAXED_POLL_S,
    HeightWatch,
)
from pyibc.relayer.errors import EndpointUnavailable


class Chain:
    """Chain with a fixed block interval from second 10 on; a response takes `answer_s` seconds."""

    def __init__(self, block_s: float = 1.0, answer_s: float = 0.04) -> None:
        self.now, self.block_s, self.answer_s = 0.0, block_s, answer_s
        self.asked, self.slept = [], []
        self.down = None
        self.height = lambda: 100 + max(0, int((self.now - 10) / self.block_s))
        self.watch = HeightWatch(self.ask, lambda: self.now, self.sleep)

    def ask(self) -> int:
        self.asked.append(self.now)
        self.now += self.answer_s
        if self.down is not None:
            raise self.down
        self.watch.record(self.height())
        return self.height()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def follow(self, blocks: int) -> int:
        """Watch a number of blocks; return the last height."""
        known = self.ask()
        for _ in range(blocks):
            while (found := self.watch.wait_for_change(known)) == known:
                pass
            known = found
        return known


def test_a_new_height_is_told_at_once():
    chain = Chain()
    chain.now = 10.5
    assert chain.watch.wait_for_change(99) == 100
    assert (chain.asked, chain.slept) == ([10.5], [])


def test_it_is_asked_again_until_it_changes():
    chain = Chain()
    chain.now = 10.5
    assert chain.watch.wait_for_change(100) == 101
    assert chain.now - 11.0 <= 2 * chain.answer_s
    assert len(chain.asked) > 5


@pytest.mark.parametrize("answer_s", [0.0, 0.01, 0.04])
def test_questions_are_a_while_apart(answer_s):
    chain = Chain(answer_s=answer_s)
    chain.watch.wait_for_change(100)
    apart = [after - before for before, after in zip(chain.asked, chain.asked[1:], strict=False)]
    assert apart == pytest.approx([max(MIN_POLL_S, answer_s)] * len(apart))


def test_a_height_that_does_not_change_is_told_after_a_while():
    chain = Chain(block_s=100)
    assert chain.watch.wait_for_change(100) == 100
    assert MAX_WAIT_S <= chain.now <= MAX_WAIT_S + MIN_POLL_S + chain.answer_s


def test_a_lower_height_is_another():
    chain = Chain()
    assert chain.watch.wait_for_change(5_000) == 100


def test_what_goes_wrong_is_told():
    chain = Chain()
    chain.down = EndpointUnavailable("a-1", "is down")
    with pytest.raises(EndpointUnavailable, match="is down"):
        chain.watch.wait_for_change(100)


def test_nobody_asks_while_no_block_is_due():
    chain = Chain()
    chain.now = 10.0
    known = chain.follow(INTERVALS + 1)
    begun, chain.asked, chain.slept = chain.now, [], []
    assert chain.watch.wait_for_change(known) == known + 1
    assert chain.slept[0] == pytest.approx(QUIET_FRACTION, abs=0.1)
    assert chain.asked[0] == pytest.approx(begun + chain.slept[0])
    assert len(chain.asked) < 1.0 / chain.answer_s * (1 - QUIET_FRACTION) + 3


def test_it_asks_all_the_time_while_the_pace_is_not_known():
    chain = Chain()
    chain.now = 10.0
    chain.follow(INTERVALS)
    assert max(chain.slept, default=0.0) <= MIN_POLL_S


def test_after_a_gap_the_pace_is_learnt_anew():
    chain = Chain()
    chain.now = 10.0
    known = chain.follow(INTERVALS + 1)
    chain.watch.record(known + 7)
    chain.slept.clear()
    chain.height = lambda: known + 7 + (chain.now > 25.0)
    chain.watch.wait_for_change(known + 7)
    assert max(chain.slept, default=0.0) <= MIN_POLL_S


def test_who_knows_an_older_height_does_not_rest():
    chain = Chain()
    chain.now = 10.0
    known = chain.follow(INTERVALS + 2)
    chain.slept.clear()
    assert chain.watch.wait_for_change(known - 1) == known
    assert chain.slept == []


def test_a_rest_is_no_longer_than_a_watch():
    chain = Chain(block_s=600)
    chain.now = 10.0
    known = chain.follow(INTERVALS + 1)
    chain.slept.clear()
    began = chain.now
    assert chain.watch.wait_for_change(known) == known
    assert chain.now - began <= MAX_WAIT_S + chain.answer_s


def test_a_moment_later_the_height_is_not_asked_for():
    chain = Chain(block_s=0.3)
    chain.now = 10.0
    last = chain.ask()
    chain.now += RECENT_S - 0.1 - chain.answer_s
    assert (chain.watch.recent(), len(chain.asked)) == (last, 1)
    chain.now += 0.2
    assert chain.watch.recent() == chain.height()
    assert len(chain.asked) == 2


def test_of_a_moment_the_highest_is_told():
    """A lagging node does not lower the height from which a transaction is searched."""
    chain = Chain(block_s=100)
    chain.watch.record(107)
    chain.watch.record(103)
    assert chain.watch.recent() == 107
    chain.now += RECENT_S
    chain.watch.record(104)
    assert chain.watch.recent() == 104
    assert chain.asked == []


def test_a_further_header_is_told_at_once_though_the_height_is_the_same():
    """The block of that header is signed but not executed."""
    chain = Chain()
    chain.now, signed = 10.5, [100]
    chain.watch = HeightWatch(chain.ask, lambda: chain.now, chain.sleep, lambda: signed[0])
    ask = chain.watch._ask

    def asked():
        signed[0] = 101 if chain.now > 10.7 else 100
        return ask()

    chain.watch._ask = asked
    assert chain.watch.wait_for_change(100) == 100
    assert 10.7 < chain.now < 10.85
    assert chain.watch.wait_for_change(100) == 101  # that header is known: the height is waited for
    assert chain.now >= 11


@pytest.mark.parametrize(("block_s", "apart_s"), [(0.5, RELAXED_POLL_S), (10.0, 1.0)])
def test_a_chain_that_nobody_is_in_a_hurry_for_is_polled_less_often(block_s, apart_s):
    chain = Chain(block_s=block_s, answer_s=0.01)
    chain.now = 10.0
    known = chain.follow(INTERVALS + 1)
    asked = len(chain.asked)
    while (found := chain.watch.wait_for_change(known, relaxed=True)) == known:
        pass
    apart = [
        after - before for before, after in zip(chain.asked[asked:], chain.asked[asked + 1 :], strict=False)
    ]
    assert found == known + 1
    assert apart[-1] >= 0.9 * apart_s
