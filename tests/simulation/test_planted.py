"""The simulator sees what it is for: each mend that is taken back shows in a seed, by the steps it needs."""

import shutil

import pytest
from click.testing import CliRunner

from conformance.simulation.command import command
from conformance.simulation.mends import MENDS

SEEN = {
    "reconcile": (0, "packets have no end"),
    "backfill": (0, "the export has 4-12, 14-17"),
    "execute-again": (0, "app hash of block 22 is not the state's"),
    "flush": (0, "StateAhead: sim-b-7: state of height 11, blocks up to 10"),
    "finish-signed": (0, "DoubleSign: block 26 is not signed"),
    "keep-blocks": (20, "sim-b-7 cannot be opened: block 21 is missing"),
    "whole-lines": (11, "the export has , the chain"),
    "unsaved-journal": (11, "OperationalError: database or disk is full"),
    "old-journal": (0, "packets have no end"),
    "queue-timeouts": (1, "of stake in queues' escrow"),
    "hops": (28, "of transfer/07-tendermint-4/ujuno in escrow, 0 are owed"),
    "old-headers": (26, "were queued, [] ended"),
    "check-records": (0, "a balance is spent that a rotten disk says"),
    "stop-at-faults": (0, "a balance is spent that a rotten disk says"),
    "check-chunks": (5, "a state of height 23 is taken that nobody made"),
    "proofs": (5, "received 0 times, acknowledged 1"),
    "delay": (1, "packets have no end"),
    "leave-lies": (5, "packets for pending"),
    "ledger-first": (1, "relayer-1 has paid 383 on sim-a-1, knows of 0"),
    "full-ledger": (2, "OperationalError: database or disk is full"),
    "same-nodes": (0, "a replica has another app hash after block"),
}
"""By mend: a seed that shows it, and a part of what that says."""


def test_every_mend_is_tried():
    assert SEEN.keys() == MENDS.keys()


@pytest.mark.parametrize("mend", SEEN)
def test_a_mend_that_is_taken_back_is_seen(simulated, mend):
    seed, fault = SEEN[mend]
    assert any(fault in each for each in simulated(seed, without=mend).faults)


def test_a_failing_seed_is_made_short_and_printed_as_a_command():
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: what is written cannot be recorded")
    told = CliRunner().invoke(
        command, ["--first", "0", "--seeds", "1", "--jobs", "1", "--without", "finish-signed"]
    )
    assert told.exit_code == 1
    words = next(line for line in told.output.splitlines() if line.startswith("FAULT")).split()
    assert words[1:6] == ["python", "-m", "conformance.simulation", "--seed", "0"]
    assert len(words[7].split(",")) < 10
    assert "DoubleSign" in told.output
