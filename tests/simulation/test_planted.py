"""The simulator sees what it is for: each mend that is taken back shows in a seed, by the steps it needs."""

import pytest

from conformance.simulation.mends import MENDS
from tests.sampling import sample

SEEN = {
    "a node that was killed or forgets": {
        "execute-again": (1, "app hash of block 27 is not the state's"),
        "flush": (0, "StateAhead: sim-b-7: state of height 17, blocks up to 10"),
        "finish-signed": (1, "DoubleSign: block 13 is not signed"),
        "keep-blocks": (3, "sim-b-7 cannot be opened: block 42 is missing"),
        "same-nodes": (0, "a replica has another app hash after block"),
    },
    "a disk that rots": {
        "check-records": (1, "a balance is spent that a rotten disk says"),
        "stop-at-faults": (1, "a balance is spent that a rotten disk says"),
        "check-chunks": (2, "a state of height 9 is taken that nobody made"),
    },
    "exports of blocks": {
        "backfill": (0, "the export has 1-5, 8-10, 23-"),
        "whole-lines": (2, "the export has , the chain"),
    },
    "files of a relayer": {
        "unsaved-journal": (40, "OperationalError: database or disk is full"),
        "old-journal": (0, "packets have no end"),
        "ledger-first": (0, "on sim-a-1, knows of 0, 0 in doubt"),
        "full-ledger": (40, "OperationalError: database or disk is full"),
    },
    "packets": {
        "reconcile": (1, "packets have no end"),
        "queue-timeouts": (0, "of ujuno in queues' escrow"),
        "hops": (12, "of transfer/channel-8/stake in escrow, 0 are owed"),
        "delay": (1, "packets have no end"),
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
"""By kind and mend: a seed that shows it, and a part of what that says."""
TRIED = [
    pytest.param(*row, id=mend)
    for kind, mends in SEEN.items()
    for mend, row in sample([(mend, (mend, *found)) for mend, found in mends.items()], 1, kind)
]
"""One of each kind in `make test`, all in `make test-all`."""


def test_every_mend_is_tried():
    assert {mend for mends in SEEN.values() for mend in mends} == MENDS.keys()


@pytest.mark.parametrize(("mend", "seed", "fault"), TRIED)
def test_a_mend_that_is_taken_back_is_seen(simulated, mend, seed, fault):
    assert any(fault in each for each in simulated(seed, without=mend).faults)
