"""The data source `ibc` as a stream: every height once, whenever it comes."""

import json
import shutil

import pytest

from pyibc.indexer.rows import DDL

pytestmark = pytest.mark.spark


def streamed(spark, folder, place):
    """Reads what is new into Parquet, as a query that was stopped and is started again."""
    lines = spark.readStream.format("ibc").load(str(folder))
    query = lines.writeStream.format("parquet").option("checkpointLocation", str(place / "checkpoint"))
    running = query.start(str(place / "rows"))
    try:
        running.processAllAvailable()
    finally:
        running.stop()
    return sorted(map(tuple, spark.read.schema(DDL).parquet(str(place / "rows")).collect()), key=str)


def batch(spark, folder):
    return sorted(map(tuple, spark.read.format("ibc").load(str(folder)).collect()), key=str)


def test_each_height_is_read_once_also_one_that_fills_a_gap(spark, new_chains, tmp_path):
    whole = new_chains(tmp_path / "whole")
    for sequence in range(1, 20):
        whole.relay(sequence, sequence * 2)
    whole.write()
    lines = (tmp_path / "whole" / "a-1" / "blocks-000000000001.jsonl").read_bytes().splitlines(keepends=True)
    live = tmp_path / "live"
    live.mkdir()
    (live / "a.jsonl").write_bytes(b"".join(lines[:2]) + lines[4] + lines[5][:40])

    first = streamed(spark, live, tmp_path)
    assert first == batch(spark, live) != []
    (live / "a.jsonl").write_bytes(b"".join((*lines[:2], *lines[4:], *lines[2:4])))
    assert streamed(spark, live, tmp_path) == batch(spark, live)
    shutil.copytree(tmp_path / "whole" / "b-1", live / "b-1")
    second = streamed(spark, live, tmp_path)
    assert second == batch(spark, live)
    assert len(set(second)) == len(second) > len(first)
    assert streamed(spark, live, tmp_path) == second


def test_an_offset_is_the_heights_that_were_read_and_how_far_each_file_was(chains, tmp_path):
    from pyibc.indexer.source import FILES, IbcStreamReader

    chains.relay(1, 1)
    chains.relay(2, 6)
    reader = IbcStreamReader(None, {"path": str(chains.write(gaps=True))})
    assert reader.initialOffset() == {}
    end = reader.latestOffset({})
    assert sorted(text for key, text in end.items() if key != FILES) == ["1-1,4-4,6-6,9-9", "2-2,7-7"]
    files = {str(path): path.stat().st_size for path in chains.folder.rglob("*.jsonl")}
    assert json.loads(end[FILES]) == files
    assert reader.latestOffset(end) == end
    shutil.rmtree(chains.folder / "b-1")
    left = reader.latestOffset(end)
    assert {key: left[key] for key in left if key != FILES} == {key: end[key] for key in end if key != FILES}
    (part,) = reader.partitions({}, end)
    assert [(each.first, each.last) for each in part.ranges] == [(1, 9)]
    assert reader.partitions(end, end) == []


def test_a_batch_reads_what_was_appended_and_nothing_else(chains, monkeypatch):
    from pyibc.indexer import source
    from pyibc.indexer.source import IbcStreamReader

    chains.relay(1, 1)
    reader = IbcStreamReader(None, {"path": str(chains.write(gaps=True))})
    (path,) = (chains.folder / "a-1").glob("*.jsonl")
    begin = reader.latestOffset({})
    more = path.read_bytes().splitlines(keepends=True)
    chains.blocks.clear()
    chains.relay(2, 5)
    chains.write(gaps=True)
    asked = []
    read = source.read_lines
    monkeypatch.setattr(source, "read_lines", lambda *args: asked.append(args) or read(*args))
    end = reader.latestOffset(begin)
    old = sum(map(len, more))
    assert (path, old, path.stat().st_size - old) in asked
    assert all(offset > 0 for file, offset, _ in asked if file == path)
    parts = reader.partitions(begin, end)
    assert sorted((r.first, r.last) for part in parts for r in part.ranges) == [(5, 8), (6, 6)]
    with path.open("ab") as file:
        file.write(b"pyibc1 half a line")
    assert reader.latestOffset(end) == end
