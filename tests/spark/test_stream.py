"""The data source `ibc` as a stream: every line once, also those that are appended to files."""

import json
import shutil

import pytest

from pyibc.indexer.bronze.ranges import FileRange
from pyibc.indexer.bronze.records import EVENTS
from pyibc.indexer.bronze.stream import MAX_FILES, SNAPSHOT_EVERY, BlockStreamReader, RangeLog
from pyibc.indexer.errors import DamagedLog, UnreadableInput
from pyibc.indexer.files import SourceFile


def streamed(spark, folder, place, **options):
    """Reads what is new into Parquet, as a query that was stopped and is started again."""
    options |= {"stateLocation": str(place / "state")}
    lines = spark.readStream.format("ibc").options(**options).load(str(folder))
    query = lines.writeStream.format("parquet").option("checkpointLocation", str(place / "checkpoint"))
    running = query.trigger(availableNow=True).start(str(place / "rows"))
    running.awaitTermination()
    from pyspark.sql.pandas.types import from_arrow_schema

    read = spark.read.schema(from_arrow_schema(EVENTS)).parquet(str(place / "rows"))
    rows = sorted(map(tuple, read.collect()), key=str)
    return rows, len([each for each in running.recentProgress if each.numInputRows])


def batch(spark, folder):
    return sorted(map(tuple, spark.read.format("ibc").load(str(folder)).collect()), key=str)


def test_each_line_is_read_once_also_one_that_is_appended_or_fills_a_gap(spark, new_chains, tmp_path):
    whole = new_chains(tmp_path / "whole")
    for sequence in range(1, 20):
        whole.relay(sequence, sequence * 2)
    whole.write()
    lines = (tmp_path / "whole" / "a-1" / "blocks-000000000001.jsonl").read_bytes().splitlines(keepends=True)
    live = tmp_path / "live"
    live.mkdir()
    (live / "a.jsonl").write_bytes(b"".join(lines[:2]) + lines[4] + lines[5][:40])

    first, _ = streamed(spark, live, tmp_path)
    assert first == batch(spark, live) != []
    with (live / "a.jsonl").open("ab") as file:
        file.write(lines[5][40:] + lines[6])
    (live / "late.jsonl").write_bytes(b"".join(lines[2:4]))
    shutil.copytree(tmp_path / "whole" / "b-1", live / "b-1")
    second, batches = streamed(spark, live, tmp_path, maxFilesPerTrigger="1")
    assert second == batch(spark, live)
    assert batches == 2 + len(list((live / "b-1").iterdir())) > 4
    assert len(set(second)) == len(second) > len(first)
    assert streamed(spark, live, tmp_path) == (second, 0)


@pytest.mark.exhaustive
def test_a_stream_needs_a_place_for_its_log(spark, chains, tmp_path):
    from pyspark.errors import StreamingQueryException

    chains.relay(1, 1)
    lines = spark.readStream.format("ibc").load(str(chains.write()))
    query = lines.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    with pytest.raises(StreamingQueryException, match="needs the option stateLocation"):
        query.trigger(availableNow=True).start().awaitTermination()


@pytest.fixture
def reader(tmp_path):
    """A reader of the folder `in` that was made anew, as after a restart."""
    options = {"path": str(tmp_path / "in"), "statelocation": str(tmp_path / "state")}
    (tmp_path / "in").mkdir()
    return lambda: BlockStreamReader(None, options)


@pytest.mark.parametrize(
    "name", ["partitionBytes", "minPartitions", "maxFilesPerTrigger", "maxBytesPerTrigger"]
)
@pytest.mark.parametrize("text", ["0", "-1", "", "many", "1e3", "9" * 30])
def test_an_option_that_is_no_positive_number_is_named(name, text):
    with pytest.raises(UnreadableInput, match=f"the option {name} is "):
        BlockStreamReader(None, {"path": "in", "statelocation": "state", name.lower(): text})


def test_an_offset_has_the_same_size_however_many_files_there_are(reader, tmp_path):
    for number in range(2000):
        (tmp_path / "in" / f"blocks-{number:012d}.jsonl").write_bytes(b"x")
    end = reader().next_offset({"entry": 0}, MAX_FILES)
    assert json.dumps(end) == '{"entry": 1}'
    assert reader().next_offset(end, MAX_FILES) == {"entry": 2}
    assert reader().next_offset({"entry": 2}, MAX_FILES) == {"entry": 2}
    ranges = [each for ranges in reader().partitions({"entry": 0}, {"entry": 2}) for each in ranges]
    assert len({each.url for each in ranges}) == 2000


def test_a_batch_of_several_files_has_a_bounded_size(tmp_path):
    for number, size in enumerate((30, 4, 6, 1)):
        (tmp_path / f"blocks-{number:012d}.jsonl").write_bytes(b"x" * size)
    options = {"path": str(tmp_path), "statelocation": f"{tmp_path}/_state", "maxbytespertrigger": "10"}
    reader, batches = BlockStreamReader(None, options), []
    for entry in range(3):
        assert reader.next_offset({"entry": entry}, None) == {"entry": entry + 1}
        parts = reader.partitions({"entry": entry}, {"entry": entry + 1})
        batches.append([each.url[-7:-6] for ranges in parts for each in ranges])
    assert batches == [["0"], ["1", "2"], ["3"]]
    assert reader.next_offset({"entry": 3}, None) == {"entry": 3}


def test_a_batch_has_equal_parts_of_all_folders(reader, tmp_path):
    for folder, sizes in {"a": (3, 3, 3, 3), "b": (40, 40)}.items():
        (tmp_path / "in" / folder).mkdir()
        for number, size in enumerate(sizes):
            (tmp_path / "in" / folder / f"blocks-{number:012d}.jsonl").write_bytes(b"x" * size)
    batches = []
    for entry in range(2):
        assert reader().next_offset({"entry": entry}, 3) == {"entry": entry + 1}
        parts = reader().partitions({"entry": entry}, {"entry": entry + 1})
        batches.append([f"{each.url.split('/')[-2]}{each.url[-7:-6]}" for ranges in parts for each in ranges])
    assert batches == [["a0", "b0", "a1"], ["a2", "b1", "a3"]]


def test_a_batch_that_is_planned_stays_as_it_is(reader, tmp_path):
    path = tmp_path / "in" / "blocks-000000000001.jsonl"
    path.write_bytes(b"one\n")
    assert reader().next_offset({"entry": 0}, None) == {"entry": 1}
    path.write_bytes(b"one\ntwo\n")
    again = reader()
    assert again.next_offset({"entry": 0}, None) == {"entry": 1}
    (part,) = again.partitions({"entry": 0}, {"entry": 1})
    assert part == (FileRange(str(path), 0, 4, is_last=False),)
    assert again.next_offset({"entry": 1}, None) == {"entry": 2}
    (part,) = again.partitions({"entry": 1}, {"entry": 2})
    assert part == (FileRange(str(path), 4, 8, is_last=False),)
    assert again.partitions({"entry": 2}, {"entry": 2}) == []


def test_a_file_that_was_replaced_is_read_again(reader, tmp_path):
    path = tmp_path / "in" / "blocks-000000000001.jsonl"
    path.write_bytes(b"a longer line\n")
    assert reader().next_offset({"entry": 0}, None) == {"entry": 1}
    path.write_bytes(b"short\n")
    assert reader().next_offset({"entry": 1}, None) == {"entry": 2}
    (part,) = reader().partitions({"entry": 1}, {"entry": 2})
    assert part == (FileRange(str(path), 0, 6, is_last=False),)


def test_the_log_is_compacted_and_goes_on(tmp_path):
    log, size = RangeLog(str(tmp_path)), 0
    for entry in range(2 * SNAPSHOT_EVERY + 3):
        size += 10
        assert log.next_after(entry, [SourceFile("a", size, entry)], None) == entry + 1
        log.forget_before(entry + 1)
    kept = [f"{entry:08d}.json" for entry in range(2 * SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY + 4)]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*kept, f"{2 * SNAPSHOT_EVERY:08d}.snapshot.json"]
    )
    again = RangeLog(str(tmp_path))
    assert again.next_after(again.last, [SourceFile("a", size, entry)], None) == again.last
    assert again.next_after(again.last, [SourceFile("a", size + 1, entry)], None) == again.last
    assert again.ranges(again.last) == [FileRange("a", size, size + 1, is_last=False)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "is missing"),
        (b"", "is malformed"),
        (b'{"ranges": [["a", 0]]}', "is malformed"),
        (b'{"ranges": {}}', "is malformed"),
        (b"[" * 100_000, "is malformed"),
    ],
)
def test_a_damaged_log_is_named_and_nothing_is_skipped(tmp_path, content, reason):
    log = RangeLog(str(tmp_path))
    log.next_after(0, [SourceFile("a", 5, 1)], None)
    path = tmp_path / "00000001.json"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(DamagedLog) as caught:
        log.next_after(1, [SourceFile("a", 9, 2)], None)
    assert (caught.value.place, caught.value.reason) == (str(path), reason)
