"""Packet tables as inputs of the pipeline: each step of a packet once, and odd rows and files named."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyibc.indexer.blocks.block import Block
from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.bronze.ranges import Bounds
from pyibc.indexer.bronze.reader import BlockReader
from pyibc.indexer.bronze.records import event_batches
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.report import write_report_of
from pyibc.indexer.pipeline.tables import PACKET_EVENTS
from tests.pipeline_runs import EACH_ENGINE

NAMES = ["chain_id", "channel_id", "sequence", "send_height", "send_time", "ack_height", "ack_time"]
AT, LATER = (datetime(2024, 10, 6, 12, 0, second, tzinfo=UTC) for second in (0, 30))
FAR = datetime(9999, 1, 1, tzinfo=UTC)
ROWS = [
    ("a-1", "channel-1", 1, 5, AT, 9, LATER),
    ("a-1", "channel-1", 1, 5, AT, 9, LATER),
    ("a-1", "channel-1", 2, 7, None, None, None),
    ("a-1", "channel-1", 3, 8, FAR, None, None),
    (None, "channel-1", 4, 8, AT, None, None),
    ("a-1", None, 4, 8, AT, None, None),
    ("a-1", "channel-1", None, 8, AT, None, None),
    ("a-1", "channel-1", -1, 8, AT, None, None),
    ("a-1", "channel-1", 4, None, AT, 9, AT),
]


def write(path, rows):
    columns = [pa.array(list(column)) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, names=NAMES), path)


@pytest.fixture
def folder(tmp_path):
    """Tables that can be read and those that cannot."""
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder / "any[1]{2}:.parquet", ROWS)
    write(folder / "odd.parquet", [("a-1", "channel-1", 1, True, None, 6, None)])
    pq.write_table(pa.table({"x": [1]}), folder / "other.parquet")
    write(folder / "damaged", ROWS[:2])
    damaged = bytearray((folder / "damaged").read_bytes())
    damaged[4:40] = b"\xff" * 36
    (folder / "damaged").write_bytes(damaged)
    return folder


def reasons(summary):
    return {Path(entry["file"]).name: entry["reason"] for entry in summary["skipped"]}


TEXTS = {
    "chain_id": ["a-1"] * 8,
    "channel_id": ["channel-1"] * 8,
    "sequence": ["1", " 2", "+3", "4.0", "5", "6", "7", "8"],
    "send_height": ["5"] * 8,
    "send_time": ["2024-10-06 12:00:00+00", "2024-10-06 14:00:00+02", "NaT", *["1969-12-31 23:00:00"] * 5],
    "ack_height": ["9.0", "9.", "nan", "9.5", "-1", str(2**63), None, "<NA>"],
    "ack_time": [" 2024-10-06T12:00:30Z ", None, "None", "", "NULL", "nat", "12:00", "NaN"],
}


def test_texts_are_read_and_those_that_cannot_be_are_counted(tmp_path):
    pq.write_table(pa.table(TEXTS), tmp_path / "texts.parquet")
    reader, told = BlockReader(None, {"path": str(tmp_path)}), {}
    parts = [each for part in reader.partitions() for each in part]
    rows = [row for batch in event_batches(parts, Bounds(), told.setdefault) for row in batch.to_pylist()]
    sends = {row["sequence"]: row["time_ns"] for row in rows if row["type"] == "send_packet"}
    acks = {row["sequence"]: row["time_ns"] for row in rows if row["type"] == "acknowledge_packet"}
    at = round(AT.timestamp()) * 10**9
    assert sends == {1: at, 2: at} | dict.fromkeys(range(3, 9))
    assert acks == {1: at + 30 * 10**9, 2: None}
    assert [found.problem for found in told.values()] == [
        "values that cannot be read: 5 of send_time, 3 of ack_height, 1 of ack_time"
    ]


@EACH_ENGINE
def test_tables_give_the_rows_of_one_batch_whatever_the_batches(engine, folder, run, tmp_path):
    outcome, packets = run(tmp_path / "index", folder)
    found = {row["sequence"]: row for row in packets}
    assert {sequence: row["state"] for sequence, row in found.items()} == {
        1: "acknowledged",
        2: "sent",
        3: "sent",
    }
    assert (found[1]["ack_latency_s"], found[1]["ack"], found[3]["send_time"]) == (30.0, None, None)
    assert outcome.summary["chains"]["a-1"]["blocks"] == 4
    assert reasons(outcome.summary).keys() == {
        "any[1]{2}:.parquet",
        "damaged",
        "odd.parquet",
        "other.parquet",
    }
    assert engine.ran(folder, tmp_path / "out") == 1
    write(folder / "again", [ROWS[0], ("a-1", "channel-1", 2, 7, None, None, None)])
    (folder / "whole.jsonl").write_bytes(encode_line(Block("a-1", 7, None, ())))
    assert engine.ran(folder, tmp_path / "out") == 1
    (folder / "whole.jsonl").unlink()
    lake = engine.lake(tmp_path / "out")
    steps = [(row.sequence, row.height, row.type) for row in rows_in(lake, PACKET_EVENTS)]
    assert sorted(steps) == [
        *((1, 5, "send_packet"), (1, 9, "acknowledge_packet"), (2, 7, "send_packet"), (3, 8, "send_packet"))
    ]
    summary = write_report_of(lake).summary
    assert summary["chains"] == outcome.summary["chains"]
    assert reasons(summary) == reasons(outcome.summary)
    assert summary["events"] == outcome.summary["events"]


def test_a_batch_reads_tables_by_their_content(folder):
    reader, told = BlockReader(None, {"path": str(folder), "partitionbytes": "100"}), {}
    parts = [each for part in reader.partitions() for each in part]
    rows = [row for batch in event_batches(parts, Bounds(), told.setdefault) for row in batch.to_pylist()]
    assert Counter(row["type"] for row in rows) == {"send_packet": 4, "acknowledge_packet": 2}
    assert {
        Path(file).name: found.problem.partition(":")[0].partition(",")[0] for file, found in told.items()
    } == {
        "any[1]{2}:.parquet": "5 rows without chain",
        "damaged": "is not a readable Parquet file",
        "odd.parquet": "has a column send_height of type bool",
        "other.parquet": "is a Parquet table without chain_id",
    }
