import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyibc.indexer.inputs import files_of, gather, stage
from pyibc.indexer.lines import encode_line
from pyibc.indexer.recordings import reading
from tests.read_exports import read_export

HEADER = {"header": {"chain_id": "a-1", "height": "7", "time": "2024-01-02T03:04:05Z"}}


@pytest.fixture
def take():
    return lambda *paths: gather(paths, lambda _: None)


def test_what_a_file_is_is_told_by_its_content(tmp_path, block, take):
    line = encode_line(block())
    (tmp_path / "export.txt").write_bytes(line)
    (tmp_path / "packed-export.json").write_bytes(gzip.compress(line))
    (tmp_path / ".hidden").write_bytes(line)
    (tmp_path / "folder" / "in" / "folder").mkdir(parents=True)
    (tmp_path / "folder" / "in" / "folder" / "no-suffix").write_bytes(line)
    (tmp_path / "recording.dat").write_text(json.dumps(HEADER))
    columns = ("chain_id", "channel_id", "sequence", "send_height", "send_time", "ack_height", "ack_time")
    pq.write_table(pa.table({name: pa.array([], pa.int64()) for name in columns}), tmp_path / "table")
    found = take(*files_of([tmp_path], out=tmp_path / "out"))
    names = [".hidden", "export.txt", "no-suffix", "packed-export.json"]
    assert [p.name for p in found.exports] == names
    assert [p.name for p in found.tables] == ["table"]
    assert [(b.chain_id, b.height) for b in found.blocks] == [("a-1", 7)]
    assert found.skipped == []


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.json", b"", "is empty"),
        ("a.json", b"{}", "not a known kind of response"),
        ("a.json", b"[]", "contains no responses"),
        ("a.json", b'{"blocks":{}}', "contains no responses"),
        ("a.txt", b"hello", "is not JSON"),
        ("a.parquet", b"PAR1 but cut", "not a readable Parquet"),
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
    assert take(tmp_path / "gone").skipped[0].reason == "cannot be read: No such file or directory"


def test_links_that_lead_nowhere_and_links_to_folders_are_named(tmp_path, block, take):
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.jsonl").write_bytes(encode_line(block()))
    (tmp_path / "in" / "lost.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "linked.jsonl").symlink_to(tmp_path / "elsewhere" / "a.jsonl")
    os.mkfifo(tmp_path / "in" / "pipe")
    found = take(*files_of([tmp_path / "in"], out=tmp_path / "out"))
    assert [(Path(entry.file).name, entry.reason) for entry in found.skipped] == [
        ("folder", "cannot be read: Is a directory"),
        ("lost.jsonl", "cannot be read: No such file or directory"),
    ]
    assert [path.name for path in found.exports] == ["linked.jsonl"]


def test_a_folder_that_cannot_be_listed_is_named(tmp_path, block, take, closed):
    (tmp_path / "a.jsonl").write_bytes(encode_line(block()))
    found = take(*files_of([tmp_path], out=tmp_path / "out"))
    assert [entry.file for entry in found.skipped] == [str(closed)]
    assert [path.name for path in found.exports] == ["a.jsonl"]


def test_good_parts_of_a_file_are_used_and_bad_ones_counted(tmp_path, take):
    (tmp_path / "a.json").write_text(json.dumps([HEADER, 1, 2, "x"]))
    found = take(tmp_path / "a.json")
    assert len(found.blocks) == 1
    assert sorted(entry.reason for entry in found.skipped) == [
        "1 of 4 parts: is a JSON str, not a response of a node",
        "2 of 4 parts: is a JSON int, not a response of a node",
    ]


def test_attributes_that_are_not_text_are_left_out_and_counted(tmp_path, take):
    odd = {"type": "e", "attributes": [{"key": "header", "value": {}}, {"key": "k", "value": "v"}]}
    results = {"height": "7", "txs_results": [{"events": [odd, odd]}]}
    (tmp_path / "a.json").write_text(json.dumps([HEADER, results]))
    found = take(tmp_path / "a.json")
    assert [tx.events for tx in found.blocks[0].txs] == [(("e", (("k", "v"),)),) * 2]
    assert [tuple(entry) for entry in found.skipped] == [
        (str(tmp_path / "a.json"), "2 event attributes that are not text")
    ]


def test_of_many_bad_parts_the_first_are_named_and_the_others_counted(tmp_path, take, monkeypatch):
    monkeypatch.setattr(reading, "MAX_LISTED", 2)
    (tmp_path / "a.jsonl").write_text(json.dumps(HEADER) + "\n{" * 5)
    reasons = [entry.reason for entry in take(tmp_path / "a.jsonl").skipped]
    assert [reason.partition(": is")[0] for reason in reasons] == [
        "1 of 6 parts: line 2",
        "1 of 6 parts: line 3",
        "3 of 6 parts: other problems",
    ]


def test_a_packed_kyve_bundle_and_a_websocket_recording_are_read(tmp_path, take):
    block = {"block": HEADER | {"data": {"txs": ["AA=="]}}}
    results = {"height": "7", "txs_results": [{"events": []}], "begin_block_events": []}
    bundle = [{"key": "7", "value": {"block": block, "block_results": results}}]
    (tmp_path / "bundle").write_bytes(gzip.compress(json.dumps(bundle).encode()))
    value = block | {"result_finalize_block": {"tx_results": [{"events": []}]}}
    data = {"type": "tendermint/event/NewBlock", "value": value}
    text = json.dumps({"jsonrpc": "2.0", "result": {"query": "q", "data": data}}).replace("a-1", "b-1")
    (tmp_path / "ws.json").write_text('{"jsonrpc":"2.0","id":1,"result":{}}' + text)
    found = take(tmp_path / "bundle", tmp_path / "ws.json")
    assert found.skipped == []
    assert [(b.chain_id, b.partial, b.txs[0].raw) for b in found.blocks] == [
        ("a-1", False, b"\0"),
        ("b-1", False, b"\0"),
    ]


def test_a_name_that_is_no_utf8_is_told_and_not_read(tmp_path, take):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.json"))
    path.write_text(json.dumps(HEADER))
    found = take(path)
    assert found.blocks == []
    assert [tuple(entry) for entry in found.skipped] == [
        (f"{tmp_path}/a\\xff.json", "the file name is not UTF-8")
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
    assert paths == sorted((tmp_path / "work").iterdir())
    assert read_export(tmp_path / "work").blocks == blocks
    assert [entry.file for entry in skipped] == ["y.json"]
