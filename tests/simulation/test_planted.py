"""The simulator sees what it is for: each mend that is taken back shows in a seed, by the steps it needs."""

import pytest

from conformance.simulation.run import run
from ibc_indexer import plugin
from ibc_relayer import reconcile
from localnet import recovery


def credulous(monkeypatch):
    """What blocks tell is not held against state."""
    monkeypatch.setattr(reconcile._Direction, "apply", lambda *_: None)


def left_out(monkeypatch):
    """What an export lost is not written again."""
    monkeypatch.setattr(plugin.ExportPlugin, "_fill", lambda *_: None)


def unexecuted(monkeypatch):
    """A block that was saved before the kill is not executed when its chain is opened."""
    monkeypatch.setattr(recovery, "_execute_again", lambda *_: None)


@pytest.mark.parametrize(
    ("plant", "seed", "steps", "fault"),
    [
        (credulous, 22, [1, 2, 3, 4, 5, 14], "sim-b-7: 1 packets have no end"),
        (left_out, 1, [45, 46], "sim-b-7: the export has 1-9, 11-16, the chain 16 blocks"),
        (unexecuted, 17, [45, 52, 53], "app hash of block 4 is not the state's"),
    ],
)
def test_a_mend_that_is_taken_back_is_seen(monkeypatch, plant, seed, steps, fault):
    assert run(seed, steps).faults == ()
    plant(monkeypatch)
    assert fault in run(seed, steps).faults[0]
