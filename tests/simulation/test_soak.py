"""An hour of the daemon, in which every chain has its bad minutes: nothing ends, nothing is left behind."""

import pytest

from conformance.soak.run import PAIRS, soak
from pyibc.relayer.daemon.worker import WorkerState
from tests.sampling import sample


@pytest.mark.parametrize("seed", sample([1, 2], 1, "soak"))
def test_a_bad_hour_leaves_nothing_and_holds_up_nobody(tmp_path, seed):
    result = soak(tmp_path, 1.0, seed, interval_s=5.0)
    assert result.unclassified == []
    assert result.left == 0
    assert [status.state for status in result.statuses] == [WorkerState.RELAYING] * len(PAIRS)
    assert [status.metrics.given_up for status in result.statuses] == [{}] * len(PAIRS)
    assert sum(status.metrics.delivered for status in result.statuses) == result.packets > 100
    assert result.p99_s[0] <= 1.1 * result.p99_s[1]
