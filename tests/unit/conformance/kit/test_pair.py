"""The clock of the test kit's two chains."""

from pyibc.testing import SECOND, ManualClock, two_chains


def test_time_passes_on_both_chains():
    clock = ManualClock(step_ns=SECOND)
    pair = two_chains(clock=clock)
    clock.advance(100 * SECOND)
    times = [party.chain.make_block().time_ns for party in (pair.a, pair.b)]
    assert times[1] - times[0] == SECOND
    clock.advance(-1_000 * SECOND)
    before = pair.a.chain.tip().time_ns
    assert pair.a.chain.make_block().time_ns == before + 1  # a block's time only grows
    pair.close()
