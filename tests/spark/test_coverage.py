"""What lacks is named, and a packet whose answer may stand there is not called stuck."""

import json
import re
from collections import Counter
from zlib import crc32

import pytest

import pyibc as package
from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks.block import from_committed
from pyibc.indexer.blocks.lines import encode_line


def rewritten(folder, change):
    """Puts `change` (lines of a file to lines) in place of every file."""
    for path in sorted(folder.rglob("*.jsonl")):
        path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def height_of(line):
    return int(line.split(b" ")[3])


@pytest.fixture
def relayed(chains):
    """100 packets, all acknowledged, and one that nobody answered."""
    for sequence in range(1, 101):
        chains.relay(sequence, 2 * sequence, until=10**11 * sequence)
    chains.event("a-1", 1, "send_packet", 101, until=10**9)
    chains.empty("a-1", 400)
    return chains.write()


def test_h91_102_heights_removed_make_no_packet_stuck_and_are_named(run, relayed, tmp_path):
    rewritten(relayed / "a-1", lambda lines: [line for line in lines if not 104 <= height_of(line) <= 205])
    holed, rows = run(tmp_path / "holed", relayed)
    chain = holed.summary["chains"]["a-1"]
    assert chain["ranges"]["longest"] == [[1, 103], [206, 400]]
    gaps = {"heights": 102, "ranges": 1, "first": 104, "last": 205, "longest": [[104, 205]]}
    assert chain["gaps"] == gaps
    states = Counter(row["state"] for row in rows)
    unknown = sorted(row["sequence"] for row in rows if row["state"] == "unknown")
    assert states["stuck"] == holed.answers.stuck_count == 0
    assert (states["succeeded"], unknown, chain["unknown"], chain["in_flight"]) == (50, [51, 101], 2, 2)
    assert states["received"] == 49  # their sends lack as well
    page = (tmp_path / "holed" / "report.html").read_text()
    assert re.search(r'id="gaps-table".*>102</td>.*>1</td>.*<td>104-205</td>', page, re.DOTALL)
    summary = json.loads((tmp_path / "holed" / "summary.json").read_text())
    assert summary["chains"]["a-1"]["gaps"] == gaps


@pytest.mark.exhaustive
def test_h90_every_way_of_reading_names_the_same_problems(spark, run, relayed, tmp_path):
    one, *_ = sorted((relayed / "a-1").glob("*.jsonl"))
    lines = one.read_bytes().splitlines(keepends=True)
    one.write_bytes(
        b"".join([lines[0].replace(b"packet", b"paCket"), *lines[1:8], lines[8][:-9] + b"\n", lines[9]])
    )
    (relayed / "a-1" / "more.txt").write_bytes(b"pyibc1 junk\n")
    block = from_committed(CommittedBlock("a-1", 900, 900 * 10**9, b"", (), ()))
    odd = encode_line(block).replace(b'"time_ns":9', b'"time_ns":-9')
    rest = odd.split(b" ", 2)[2][:-1]
    (relayed / "a-1" / "odd.jsonl").write_bytes(b"pyibc1 %08x %s\n" % (crc32(rest), rest))
    blocks = spark.read.format("ibc").option("rows", "blocks").load(str(relayed))
    loaded = blocks.selectExpr("file", "explode(problems) AS detail")
    by_source = sorted((row.file, row.detail) for row in loaded.collect())
    outcome, _ = run(tmp_path / "out", relayed)
    assert sorted((entry["file"], entry["reason"]) for entry in outcome.summary["skipped"]) == by_source
    assert [reason.partition(": ")[2] for _, reason in by_source] == [
        "the checksum does not match",
        "the checksum does not match",
        "the checksum does not match",
        "the JSON is not a block: Expected `int` >= 0 - at `$.time_ns`",
    ]
    chain = outcome.summary["chains"]["a-1"]
    assert chain["ranges"]["longest"] == [[2, 8], [10, 400]]
    assert chain["gaps"]["longest"] == [[9, 9], [401, 900]]
    assert sorted(map(tuple, package.index(relayed, frames="polars").skipped)) == by_source


def test_h93_a_chain_started_anew_is_counted_as_another(run, new_chains, tmp_path):
    """Also by timeouts: the tip of the incarnation judges those by height."""
    for number, until in enumerate((10**17, 2 * 10**17)):
        chains = new_chains(tmp_path / "in" / str(number), channel=f"channel-{number}")
        for sequence in range(1, 11):
            chains.relay(sequence, sequence, until=until + sequence, amount=str(number + 1))
        chains.event("b-1", 1, "odd", 1, until=until)
        chains.event("a-1", 4, "send_packet", 22, until=2**62, packet_timeout_height="1-19")
        chains.empty("b-1", 18 + number)
        chains.write()
    outcome, rows = run(tmp_path / "out", tmp_path / "in")
    assert len(rows) == 22
    assert {row["state"] for row in rows if row["sequence"] != 22} == {"succeeded"}
    late = {row["src_channel"]: row["state"] for row in rows if row["sequence"] == 22}
    assert late == {"channel-0": "sent", "channel-1": "stuck"}
    chains = outcome.summary["chains"]
    assert sorted(name.partition("@")[0] for name in chains) == ["a-1", "a-1", "b-1", "b-1"]
    assert all(found["acknowledged"] + found["received"] == 10 for found in chains.values())
    assert sum("restarted from genesis" in note.reason for note in outcome.notes) == 2
    assert outcome.summary["skipped"] == []


def test_a_gap_of_the_receiver_does_not_change_what_a_whole_sender_says(run, chains, tmp_path):
    chains.relay(1, 1)
    chains.event("a-1", 5, "send_packet", 2, until=6 * 10**9)
    chains.event("a-1", 5, "send_packet", 3)
    chains.event("a-1", 9, "acknowledge_packet", 3)
    chains.event("a-1", 5, "send_packet", 4)
    chains.event("a-1", 9, "timeout_packet", 4)
    chains.event("a-1", 80, "send_packet", 5)
    chains.empty("a-1", 90)
    chains.empty("b-1", 90)
    folder = chains.write()
    rewritten(folder / "b-1", lambda lines: [line for line in lines if not 5 < height_of(line) < 12])
    outcome, rows = run(tmp_path / "out", folder)
    packets = {row["sequence"]: row for row in rows}
    assert [packets[n]["state"] for n in (1, 2, 3, 5)] == ["succeeded", "stuck", "acknowledged", "sent"]
    # 2 and 3 may have been received in the gap; the timeout of 4 proves that it was not
    assert [packets[n]["received"] for n in range(1, 6)] == [True, None, None, False, False]
    assert outcome.summary["chains"]["b-1"]["gaps"]["longest"] == [[6, 11]]
