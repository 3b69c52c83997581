"""The simulator sees what it is for: each fix that is taken back shows in a seed, by the steps it needs."""

import pytest

from conformance.simulation.fixes import FIXES
from tests.sampling import sample

SEEN = {
    "a node that was killed or forgets": {
        "execute-again": (1, "app hash of block 27 is not the state's"),
        "flush": (1, "StateAhead: sim-c-2: the state is at height "),
        "finish-signed": (1, "DoubleSign: refused to sign block 13"),
        "keep-blocks": (4, "sim-c-2 cannot be opened: block "),
        "same-nodes": (0, "a replica has another app hash after block"),
    },
    "a disk that check_disk_corruption": {
        "check-records": (1, "a corrupted balance was spent"),
        "stop-at-faults": (1, "a corrupted balance was spent"),
        "check-chunks": (2, "a false state of height 9 was accepted"),
    },
    "exports of blocks": {
        "backfill": (1, "sim-a-1: the export has 7-35, "),
        "whole-lines": (2, "the export has , the chain"),
    },
    "files of a relayer": {
        "old-journal": (0, "packets are still pending"),
        "ledger-first": (0, "on sim-a-1, its ledger has 0, 0 in doubt"),
        "full-ledger": (40, "OperationalError: database or disk is full"),
    },
    "packets": {
        "reconcile": (1, "packets are still pending"),
        "queue-timeouts": (0, "of ujuno in queues' escrow"),
        "hops": (12, "of transfer/channel-8/stake in escrow, expected 0"),
    },
    "nodes that lie": {
        "old-headers": (103, "were queued, [] ended"),
        "proofs": (5, "received 0 times, acknowledged 1"),
        "leave-lies": (1, "packets for pending"),
    },
    "paths that are found again": {
        "only-one": (2, "takes sim-a-1 07-tendermint-0 connection-1 transfer channel-1"),
        "terms": (3, "takes sim-b-7 07-tendermint-5 connection-6 transfer channel-9"),
        "past": (95, "takes sim-b-7 07-tendermint-5 connection-6 transfer channel-9"),
        "far-ends": (2040, "takes sim-a-1 07-tendermint-0 connection-1 transfer channel-1"),
    },
}
"""By kind and fix: a seed that shows it, and a part of what that says."""
TRIED = [
    pytest.param(*row, id=fix)
    for kind, fixes in SEEN.items()
    for fix, row in sample([(fix, (fix, *found)) for fix, found in fixes.items()], 1, kind)
]
"""One of each kind in `make test`, all in `make test-all`."""


def test_every_fix_is_tried():
    assert {fix for fixes in SEEN.values() for fix in fixes} == FIXES.keys()


@pytest.mark.parametrize(("fix", "seed", "fault"), TRIED)
def test_a_fix_that_is_taken_back_is_seen(simulated, fix, seed, fault):
    assert any(fault in each for each in simulated(seed, without=fix).faults)
