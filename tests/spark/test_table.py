from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def test_rows_become_packets_and_odd_ones_are_counted(run, tmp_path):
    at = datetime(2024, 10, 6, 12, tzinfo=UTC)
    later = datetime(2024, 10, 6, 12, 0, 30, tzinfo=UTC)
    far = datetime(9999, 1, 1, tzinfo=UTC)
    rows = [
        ("a-1", "channel-1", 1, 5, at, 9, later),
        ("a-1", "channel-1", 1, 5, at, 9, later),
        ("a-1", "channel-1", 2, 7, None, None, None),
        ("a-1", "channel-1", 3, 8, far, None, None),
        (None, "channel-1", 4, 8, at, None, None),
        ("a-1", None, 4, 8, at, None, None),
        ("a-1", "channel-1", None, 8, at, None, None),
        ("a-1", "channel-1", -1, 8, at, None, None),
        ("a-1", "channel-1", 4, None, at, 9, at),
    ]
    names = ["chain_id", "channel_id", "sequence", "send_height", "send_time", "ack_height", "ack_time"]
    columns = [pa.array(list(column)) for column in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, names=names), tmp_path / "t.parquet")
    outcome, packets = run(tmp_path / "out", tmp_path / "t.parquet")
    found = {row["sequence"]: row for row in packets}
    assert sorted(found) == [1, 2, 3]
    assert (found[1]["state"], found[1]["ack_latency_s"], found[1]["ack"]) == ("acknowledged", 30.0, None)
    assert (found[3]["send_time"], found[2]["state"]) == (None, "sent")
    assert outcome.summary["chains"]["a-1"]["blocks"] == 4
    (entry,) = outcome.summary["skipped"]
    assert entry["reason"] == "5 rows without chain, channel, sequence or send_height"


def test_damaged_and_odd_tables_are_skipped_and_those_of_any_name_are_read(tmp_path, run):
    names = ["chain_id", "channel_id", "sequence", "send_height", "send_time", "ack_height", "ack_time"]
    columns = [["a-1"], ["channel-1"], [1], [5], [None], [6], [None]]
    folder = tmp_path / "in"
    folder.mkdir()
    pq.write_table(pa.table(columns, names=names), folder / "good.parquet")
    columns[2] = [2]
    pq.write_table(pa.table(columns, names=names), folder / "any[1]{2}:.parquet")
    columns[3] = [True]
    pq.write_table(pa.table(columns, names=names), folder / "odd.parquet")
    damaged = bytearray((folder / "good.parquet").read_bytes())
    damaged[4:40] = b"\xff" * 36
    (folder / "damaged.parquet").write_bytes(damaged)
    outcome, packets = run(tmp_path / "out", folder)
    assert sorted(row["sequence"] for row in packets) == [1, 2]
    reasons = {Path(entry["file"]).name: entry["reason"] for entry in outcome.summary["skipped"]}
    assert sorted(reasons) == ["damaged.parquet", "odd.parquet"]
    assert "not a readable Parquet" in reasons["damaged.parquet"]
    assert reasons["odd.parquet"] == "has a column send_height of type bool"
