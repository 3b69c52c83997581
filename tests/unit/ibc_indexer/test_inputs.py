import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ibc_indexer.inputs import files_of, gather, stage
from ibc_indexer.lines import encode_line
from ibc_indexer.scan import scan

HEADER = {"header": {"chain_id": "a-1", "height": "7", "time": "2024-01-02T03:04:05Z"}}


@pytest.fixture
def take():
    return lambda *paths: gather(paths, lambda _: None)


def test_what_a_file_is_is_told_by_its_content(tmp_path, block, take):
    line = encode_line(block())
    (tmp_path / "export.txt").write_bytes(line)
    (tmp_path / "packed-export.json").write_bytes(gzip.compress(line))
    (tmp_path / "recording.dat").write_text(json.dumps(HEADER))
    columns = ("chain_id", "channel_id", "sequence", "send_height", "send_time", "ack_height", "ack_time")
    pq.write_table(pa.table({name: pa.array([], pa.int64()) for name in columns}), tmp_path / "table")
    found = take(*files_of([tmp_path], out=tmp_path / "out"))
    assert [p.name for p in found.exports] == ["export.txt", "packed-export.json"]
    assert [p.name for p in found.tables] == ["table"]
    assert [(b.chain_id, b.height) for b in found.blocks] == [("a-1", 7)]
    assert found.skipped == []


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.json", b"", "is empty"),
        ("a.json", b"{}", "no recording"),
        ("a.json", b"[]", "holds no answers"),
        ("a.json", b'{"blocks":{}}', "holds no answers"),
        ("a.txt", b"hello", "is no JSON"),
        ("a.parquet", b"PAR1 but cut", "no readable Parquet"),
        ("a.gz", b"\x1f\x8b\x08\x00", "cannot be read"),
        ("a.json", b'{"jsonrpc":"2.0","error":{"message":"gone"}}', "JSON-RPC error: gone"),
    ],
)
def test_unusable_files_are_skipped_with_a_reason(tmp_path, take, name, data, reason):
    (tmp_path / name).write_bytes(data)
    (entry,) = take(tmp_path / name).skipped
    assert entry.file == str(tmp_path / name)
    assert reason in entry.reason


def test_another_parquet_table_is_skipped(tmp_path, take):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "t.parquet")
    assert "without chain_id" in take(tmp_path / "t.parquet").skipped[0].reason


def test_a_file_that_is_not_there_is_skipped(tmp_path, take):
    assert "No such file" in take(tmp_path / "gone").skipped[0].reason


def test_good_parts_of_a_file_are_used_and_bad_ones_counted(tmp_path, take):
    (tmp_path / "a.json").write_text(json.dumps([HEADER, 1, 2, "x"]))
    found = take(tmp_path / "a.json")
    assert len(found.blocks) == 1
    assert sorted(entry.reason for entry in found.skipped) == [
        "1 of 4 parts: is a JSON str, not a node's answer",
        "2 of 4 parts: is a JSON int, not a node's answer",
    ]


def test_a_name_that_is_no_utf8_is_told_and_not_read(tmp_path, take):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.json"))
    path.write_text(json.dumps(HEADER))
    found = take(path)
    assert found.blocks == []
    assert [tuple(entry) for entry in found.skipped] == [
        (f"{tmp_path}/a\\xff.json", "has a name that is no UTF-8")
    ]


def test_an_exporters_file_without_lines_is_nothing_to_complain_of(tmp_path, take):
    (tmp_path / "blocks-000000000001.jsonl").touch()
    found = take(tmp_path / "blocks-000000000001.jsonl")
    assert (len(found.exports), found.skipped) == (1, [])


def test_the_folder_of_results_and_repeated_inputs_are_not_read_twice(tmp_path, take):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "summary.json").write_text("{}")
    (tmp_path / "out" / "packets").mkdir()
    (tmp_path / "out" / "packets" / "part.parquet").write_text("")
    (tmp_path / "out" / "kept.json").write_text("{}")
    (tmp_path / "a.json").write_text(json.dumps(HEADER))
    files = list(files_of([tmp_path, tmp_path / "a.json"], out=tmp_path / "out"))
    assert [p.name for p in files] == ["a.json", "kept.json", "a.json"]
    assert len(take(*files).blocks) == 1


def test_staged_blocks_are_read_like_an_export(tmp_path, block):
    blocks = [block(height=n, origin="x.json") for n in range(1, 5)]
    paths, skipped = stage([*blocks, block(chain="two words", origin="y.json")], tmp_path / "work")
    found = scan(paths)
    assert [(r.chain_id, r.first, r.last) for r in found.ranges] == [("a-1", 1, 4)]
    assert [entry.file for entry in skipped] == ["y.json"]
