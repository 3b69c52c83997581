"""The simulator sees what it is for: each mend that is taken back shows in a seed, by the steps it needs."""

import pytest

from conformance.simulation.run import run
from ibc_indexer import plugin
from ibc_relayer import journal
from ibc_relayer import recovery as relayer_start
from ibc_relayer.errors import EndpointRefused
from localnet import recovery


def hasty(monkeypatch):
    """A block that one node refuses is taken for pruned."""

    def block(endpoint, height):
        try:
            return endpoint.block(height)
        except EndpointRefused:
            return None

    monkeypatch.setattr(relayer_start, "_block", block)


def forgotten(monkeypatch):
    """The journal has the heights that were read, and not what was read there."""
    monkeypatch.setattr(journal.Journal, "_save_packets", lambda *_: None)


def left_out(monkeypatch):
    """What an export lost is not written again."""
    monkeypatch.setattr(plugin.ExportPlugin, "_fill", lambda *_: None)


def unexecuted(monkeypatch):
    """A block that was saved before the kill is not executed when its chain is opened."""
    monkeypatch.setattr(recovery, "_execute_again", lambda *_: None)


@pytest.mark.parametrize(
    ("plant", "seed", "steps", "fault"),
    [
        (hasty, 62, [3, 5, 6, 14, 47, 52], "sim-a-1: 1 packets have no end"),
        (forgotten, 1, [22, 45, 46, 47], "sim-a-1: 1 packets have no end"),
        (left_out, 0, [29], "sim-a-1: the export has 1-8, 10-13, the chain 13 blocks"),
        (unexecuted, 0, [18, 38, 48, 50], "app hash of block 11 is not the state's"),
    ],
)
def test_a_mend_that_is_taken_back_is_seen(monkeypatch, plant, seed, steps, fault):
    assert run(seed, steps).faults == ()
    plant(monkeypatch)
    assert fault in run(seed, steps).faults[0]
