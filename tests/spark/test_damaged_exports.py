"""Many exports in one run, each damaged in its own way: each loss is named with its heights."""

import pytest

from pyibc.indexer.blocks.coverage import Heights, described
from tests.damaged_exports import BLOCKS, Damaged


def check_coverage(export, summary):
    for chain, left in export.left.items():
        counts = summary["chains"][chain]
        assert counts["ranges"] == described(Heights.of(left.full)), chain
        assert counts["gaps"] == described(Heights.of(left.gaps)), chain
        assert counts["blocks"] == len(left.full)


def expected(packet, sender):
    """State of a packet whose send is left, by the sender's lines alone; None: in flight."""
    if packet.timeout in sender.full:
        return "timed_out"
    if packet.ack in sender.full:
        return "acknowledged"
    return "unknown" if any(height > packet.send for height in sender.gaps) else None


def check_packets(export, rows):
    """Every send that is left has its state, and none is stuck that was answered in blocks that lack."""
    sender = export.left[export.sender]
    for packet in export.packets:
        row = rows.get((export.sender, packet.sequence))
        if packet.send not in sender.full:
            assert row is None or not row["sent"]
            continue
        state = expected(packet, sender)
        assert row["unknown"] is (state == "unknown"), (export.sender, packet, row)
        if state is not None:
            assert row["state"] == state, (export.sender, packet, row)
            continue
        assert row["state"] in {"sent", "received", "stuck"}
        answer = packet.ack or packet.timeout or BLOCKS + 1
        assert row["state"] != "stuck" or answer > max(sender.known), (export.sender, packet, row)


LOWEST_UNREADABLE = 27
"""Seed of an export whose lowest height is that of a line which cannot be read."""


@pytest.mark.parametrize("number", [8, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_h91_each_loss_is_named_and_nothing_is_stuck_by_it(run, tmp_path, number):
    seeds = sorted({*range(number), LOWEST_UNREADABLE})
    exports = [Damaged(seed) for seed in seeds]
    for seed, export in zip(seeds, exports, strict=True):
        export.write(tmp_path / "in" / str(seed))
    outcome, rows = run(tmp_path / "out", tmp_path / "in")
    sent = {(row["src_chain"], row["sequence"]): row for row in rows if row["src_chain"]}
    for export in exports:
        check_coverage(export, outcome.summary)
        check_packets(export, sent)
    problems = sum(left.problems for export in exports for left in export.left.values())
    assert len(outcome.summary["skipped"]) == problems > 0
    assert sum(chain["unknown"] for chain in outcome.summary["chains"].values()) > number / 2
