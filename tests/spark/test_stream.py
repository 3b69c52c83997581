"""The data source `ibc` as a stream: every height once, whenever it comes."""

import shutil

import pytest

from ibc_indexer.coverage import Heights
from ibc_indexer.rows import DDL
from ibc_indexer.stream import IbcStreamReader

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


def test_an_offset_is_the_heights_that_were_read(chains, tmp_path):
    chains.relay(1, 1)
    chains.relay(2, 6)
    reader = IbcStreamReader(None, {"path": str(chains.write(gaps=True))})
    assert reader.initialOffset() == {}
    end = reader.latestOffset({})
    assert sorted(end.values()) == ["1-1,4-4,6-6,9-9", "2-2,7-7"]
    shutil.rmtree(chains.folder / "b-1")
    assert reader.latestOffset(end) == end
    assert [part.wanted for part in reader.partitions({}, end)] == [Heights(((1, 1), (4, 4), (6, 6), (9, 9)))]
    assert reader.partitions(end, end) == []
