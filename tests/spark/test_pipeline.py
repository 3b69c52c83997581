"""The pipeline on Delta tables: the rows of the index, whatever the pieces in which blocks arrive."""

import shutil
from datetime import UTC, datetime

import pytest

from pyibc.indexer.errors import DeltaMissing
from pyibc.indexer.packet_table import COLUMNS
from pyibc.indexer.pipeline.delta import Lake, check_delta
from pyibc.indexer.pipeline.run import Pipeline, start_pipeline
from pyibc.indexer.pipeline.tables import BLOCKS, PACKET_EVENTS, PACKETS, PROBLEMS, VOTES
from tests.damaged_exports import with_other_json

pytestmark = pytest.mark.spark


def ran(spark, inputs, out, **options):
    """Everything that is there now is in the tables."""
    query = start_pipeline(spark, inputs, out, **options)
    query.awaitTermination()
    return [each for each in query.recentProgress if each.numInputRows]


def rows_of(table):
    names = [name for name, _ in COLUMNS]
    return sorted((tuple(in_utc(row.get(name)) for name in names) for row in table), key=str)


def in_utc(value):
    """Times as one reader has them in UTC and another one in the zone of this machine."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


@pytest.fixture(scope="module")
def history(new_chains, tmp_path_factory):
    """Chains with packets of every state; b-1 writes to two channels, c-1 has a channel with the same ids."""
    folder = tmp_path_factory.mktemp("history") / "in"
    chains = new_chains(folder)
    for sequence in range(1, 13):
        chains.relay(sequence, sequence * 3)
    chains.relay(13, 4, ack=b'{"error":"no"}')
    chains.event("a-1", 3, "send_packet", 14)
    chains.event("a-1", 9, "timeout_packet", 14)
    chains.event("a-1", 3, "send_packet", 15, until=10**9)
    chains.event("a-1", 40, "send_packet", 16)
    chains.event("b-1", 41, "recv_packet", 16, owner="a-1")
    chains.relay(1, 6, src="c-1", dst="b-1", src_port="x", until=77)
    chains.write()
    return folder


@pytest.fixture(scope="module")
def expected(history, run, tmp_path_factory):
    """Rows of the index."""
    _, rows = run(tmp_path_factory.mktemp("index"), history)
    return rows_of(rows)


@pytest.fixture(scope="module")
def in_pieces(spark, history, tmp_path_factory):
    """The tables after two runs: receiving chains first, some blocks twice, and gaps that are filled.

    The first file begins with a line of its first height whose JSON is no block.
    """
    place = tmp_path_factory.mktemp("pieces")
    files = sorted(history.rglob("*.jsonl"))
    late = [path for path in files if path.parent.name == "a-1"]
    first = [path for path in files if path not in late] + late[::2]
    batches = []
    for number, some in enumerate([first, late]):
        for path in some:
            target = place / "in" / f"{number}-{path in late:d}" / path.relative_to(history)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
            if number == 0 and path == files[0]:
                line = path.read_bytes().splitlines(keepends=True)[0]
                target.write_bytes(with_other_json(line) + path.read_bytes())
        batches.append(len(ran(spark, [place / "in"], place / "out", max_files=6)))
    return place / "out", batches


def test_pieces_in_any_order_give_the_rows_of_the_index(spark, in_pieces, expected):
    out, batches = in_pieces
    assert batches == [2, 1]
    packets = Lake(spark, str(out)).read(PACKETS).collect()
    assert rows_of(row.asDict() for row in packets) == expected
    assert len(expected) == 17
    events = Lake(spark, str(out)).read(PACKET_EVENTS)
    assert events.dropDuplicates(list(PACKET_EVENTS.key)).count() == events.count()
    assert {row.state for row in packets} == {
        *("succeeded", "failed", "acknowledged", "timed_out", "stuck", "received")
    }


def test_h114_a_line_whose_json_is_no_block_hides_no_block(spark, in_pieces):
    out, _ = in_pieces
    lake = Lake(spark, str(out))
    told = {(row.chain, row.height, row.reason) for row in lake.read(PROBLEMS).collect()}
    ((chain, height, reason),) = told
    assert reason.startswith("line at byte 0: the JSON is not a block: ")
    (block,) = lake.read(BLOCKS).where(f"chain = '{chain}' AND height = {height}").collect()
    assert (block.byte_offset > 0, block.digest is None) == (True, False)


def test_a_batch_that_is_repeated_changes_nothing(spark, in_pieces):
    out, batches = in_pieces
    lake = Lake(spark, str(out))
    blocks = spark.read.format("ibc").option("rows", "blocks").load(str(out.parent / "in" / "1-1"))
    tables = (BLOCKS, PACKET_EVENTS, VOTES, PACKETS)
    before = {table.name: sorted(map(str, lake.rows(table))) for table in tables}
    assert all(before.values())
    last = Pipeline(lake.url, (out / "_checkpoint-name" / "writer").read_text())
    last.process(blocks, sum(batches) - 1)
    assert {table.name: sorted(map(str, lake.rows(table))) for table in tables} == before


def test_every_reader_of_delta_tables_reads_the_packets(spark, in_pieces, expected):
    import duckdb
    import polars
    from deltalake import DeltaTable

    out, _ = in_pieces
    path = str(out / "gold" / "packets")
    table = DeltaTable(path)
    assert rows_of(table.to_pyarrow_table().to_pylist()) == expected
    assert rows_of(polars.read_delta(path).to_dicts()) == expected
    places = [file.removeprefix("file://") for file in table.file_uris()]
    states = duckdb.sql(f"SELECT state, count(*) FROM read_parquet({places}) GROUP BY state").fetchall()
    assert dict(states)["stuck"] == 1
    assert spark.read.format("delta").option("versionAsOf", 0).load(path).count() == 0
    changes = (
        spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 1).load(path)
    )
    kinds = {row._change_type for row in changes.select("_change_type").distinct().collect()}
    assert {"insert", "update_preimage", "update_postimage"} <= kinds
    assert spark.sql(f"DESCRIBE TABLE delta.`{path}`").where("comment <> ''").count() >= 2


class Conf:
    """The settings of a session without Delta Lake."""

    def get(self, key, default):
        return default


def test_a_session_without_delta_lake_is_told_what_to_set():
    class Session:
        conf = Conf()

    with pytest.raises(DeltaMissing) as caught:
        check_delta(Session())
    text = str(caught.value)
    assert "--packages io.delta:delta-spark_" in text
    assert "--conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension" in text
