"""The pipeline on Delta tables: the rows of the index, whatever the pieces in which blocks arrive."""

import shutil
from collections import Counter, defaultdict

import pytest
from click.testing import CliRunner

from pyibc.cli.index import command
from pyibc.indexer.blocks.lines import decode_line, encode_line
from pyibc.indexer.chains.registry import Registered, Registry
from pyibc.indexer.errors import DeltaMissing, EngineFailed, NoResults
from pyibc.indexer.job import register_tables
from pyibc.indexer.local.run import run_pipeline
from pyibc.indexer.pipeline import steps
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.places import prepare_tables
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.pipeline.tables import BLOCKS, OBSERVATIONS, PACKET_EVENTS, PACKETS, PROBLEMS, TABLES
from pyibc.indexer.spark.lake import SparkLake
from tests.damaged_exports import with_other_json
from tests.pipeline_runs import (
    EACH_ENGINE,
    OnSpark,
    as_text,
    check_hours,
    dicts,
    killed_at,
    rows_of,
    votes_in,
)
from tests.sampling import sample


@pytest.fixture(scope="module")
def history(new_chains, tmp_path_factory):
    """Chains with packets of every state; c-1 sends over channels with the ids of those of a-1."""
    folder = tmp_path_factory.mktemp("history") / "in"
    chains = new_chains(folder)
    chains.ends = {"src": ("transfer", "channel-3"), "dst": ("wasm.x", "channel-70")}
    for sequence in range(1, 13):
        chains.relay(sequence, sequence * 3)
    chains.relay(13, 4, ack=b'{"error":"no"}')
    chains.event("a-1", 3, "send_packet", 14)
    chains.event("a-1", 9, "timeout_packet", 14)
    chains.event("a-1", 3, "send_packet", 15, until=10**9)
    chains.event("a-1", 40, "send_packet", 16)
    chains.event("b-1", 41, "recv_packet", 16, owner="a-1")
    chains.relay(1, 6, src="c-1", dst="b-1", until=77)
    chains.write()
    return folder


@pytest.fixture(scope="module")
def expected(history, run, tmp_path_factory):
    """Rows of the index."""
    _, rows = run(tmp_path_factory.mktemp("index"), history)
    return rows_of(rows)


@pytest.fixture(scope="module")
def pieces(history, tmp_path_factory):
    """Two lists of files. The first has receiving chains, a part of a block, and a line that is no block."""
    odd = tmp_path_factory.mktemp("odd")
    files = sorted(history.rglob("*.jsonl"))
    of_sender = [path for path in files if path.parent.name == "a-1"]
    (held_back,) = [path for path in files if path.match("b-1/blocks-000000000011.jsonl")]
    lines = held_back.read_bytes().splitlines(keepends=True)
    block = next(block for block in map(decode_line, lines) if block.txs)
    (odd / "part.jsonl").write_bytes(encode_line(block._replace(partial=True, txs=block.txs[:1])))
    line = of_sender[1].read_bytes().splitlines(keepends=True)[0]
    (odd / "no-block.jsonl").write_bytes(with_other_json(line) + line)
    late = {*of_sender, held_back}
    first = [path for path in files if path not in late]
    return [[*first, *of_sender[::2], *sorted(odd.iterdir())], [*of_sender, held_back]]


@pytest.fixture(scope="module")
def in_pieces(engine, pieces, tmp_path_factory):
    """The tables after two runs, those after the first one, and the number of batches of each."""
    place = tmp_path_factory.mktemp("pieces")
    batches = []
    for number, files in enumerate(pieces):
        for path in files:
            target = place / "in" / str(number) / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        inputs = [place / "in", *(place / "in").iterdir()]  # each file twice
        batches.append(engine.ran(inputs, place / "out", max_files=6))
        if number == 0:
            shutil.copytree(place / "out", place / "before")
    return place, batches


@EACH_ENGINE
def test_pieces_in_any_order_give_the_rows_of_the_index(engine, in_pieces, expected):
    place, batches = in_pieces
    assert batches == [2, 1]
    lake = engine.lake(place / "out")
    packets = rows_in(lake, PACKETS)
    assert rows_of(dicts(packets)) == expected
    check_hours(lake)
    assert len(expected) == 17
    assert {row.state for row in packets} == {
        *("succeeded", "failed", "acknowledged", "timed_out", "stuck", "received")
    }


@EACH_ENGINE
def test_h114_a_line_whose_json_is_no_block_hides_no_block(engine, in_pieces):
    lake = engine.lake(in_pieces[0] / "out")
    (problem,) = rows_in(lake, PROBLEMS)
    assert problem.reason.startswith("line at byte 0: the JSON is not a block: ")
    (block,) = rows_in(lake, BLOCKS, f"chain = '{problem.chain}' AND height = {problem.height}")
    assert block.digest


@EACH_ENGINE
def test_each_block_and_each_comparison_counts_once(engine, in_pieces):
    lake = engine.lake(in_pieces[0] / "out")
    events = rows_in(lake, PACKET_EVENTS)
    keys = Counter(tuple(getattr(row, name) for name in PACKET_EVENTS.key) for row in events)
    assert set(keys.values()) == {1}
    assert not any(row.partial for row in rows_in(lake, BLOCKS))
    sequences = defaultdict(set)
    for row in events:
        sequences[row.path_id, row.receiving, row.end_id].add(row.sequence)
    compared = {
        (path, sender, receiver): len(sent & sequences[path, True, receiver])
        for (path, side, sender), sent in sequences.items()
        for _, other_side, receiver in [key for key in sequences if key[0] == path]
        if not side and other_side
    }
    votes = {ends: numbers // 1000 for ends, numbers in votes_in(lake).items()}
    assert votes == {ends: number for ends, number in compared.items() if number}
    assert len(votes) == 2


STEPS, STORED = 11, 6
"""Writes of the last batch, which replaces a block, and how many of them store its blocks."""


@pytest.mark.parametrize(
    ("engine", "step"),
    [
        *(("local", step) for step in sample(range(STEPS), 2, "killed")),
        *(
            pytest.param("spark", step, marks=[pytest.mark.spark, pytest.mark.exhaustive])
            for step in range(STEPS)
        ),
    ],
    indirect=["engine"],
)
def test_h110_a_batch_that_is_killed_and_repeated_gives_the_same_tables(
    engine, in_pieces, expected, tmp_path, monkeypatch, step
):
    place, _ = in_pieces
    shutil.copytree(place / "before", tmp_path / "out")
    lake, blocks = engine.lake(tmp_path / "out"), place / "in" / "1"
    killed_at(step, monkeypatch, lake, lambda: engine.process(Pipeline("w"), lake, blocks, 0))
    # What is stored counts, also if the files are gone.
    lake = engine.lake(tmp_path / "out")
    engine.process(Pipeline("w"), lake, blocks if step < STORED else None, 0)
    assert rows_of(dicts(rows_in(lake, PACKETS))) == expected
    whole = engine.lake(place / "out")
    for table in (BLOCKS, PACKET_EVENTS):
        names = [name for name in table.names if name not in {"batch", "file"}]
        assert as_text(lake, table, names) == as_text(whole, table, names)
    assert votes_in(lake) == votes_in(whole)
    check_hours(lake)


@EACH_ENGINE
def test_a_first_batch_that_is_repeated_with_other_names_has_them(engine, new_chains, tmp_path, monkeypatch):
    chains = new_chains(tmp_path / "in")
    chains.event("a-1", 3, "send_packet", 14)
    blocks, named = chains.write(), Registry([Registered("a-1", "", chains.ends["src"][1], "z-9")], [])
    lake = engine.lake(tmp_path / "out")
    lake.prepare(TABLES)
    # After events, blocks, observations and packets are appended, and the chains replaced.
    killed_at(5, monkeypatch, lake, lambda: engine.process(Pipeline("w"), lake, blocks, 0))
    assert [row.dst_chain for row in rows_in(lake, PACKETS)] == [None]
    lake = engine.lake(tmp_path / "out")
    engine.process(Pipeline("w", named), lake, blocks, 0)
    assert [row.dst_chain for row in rows_in(lake, PACKETS)] == ["z-9"]


@EACH_ENGINE
def test_tables_that_another_process_has_written_since_they_were_created_are_read(
    engine, in_pieces, expected, tmp_path
):
    place, _ = in_pieces
    shutil.copytree(place / "before", tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "_checkpoint")
    lake = engine.lake(tmp_path / "out")
    assert not prepare_tables(lake)
    engine.process(Pipeline("w", is_new=True), lake, place / "in" / "1", 1)
    assert rows_of(dicts(rows_in(lake, PACKETS))) == expected
    assert prepare_tables(engine.lake(tmp_path / "new"))


@EACH_ENGINE
def test_new_packets_of_a_large_batch_are_appended_and_others_merged(
    engine, history, expected, tmp_path, monkeypatch
):
    monkeypatch.setattr(steps, "MANY", 0)
    appended, append = Counter(), type(engine.lake(tmp_path)).append

    def counted(lake, table, query, writer, number):
        appended[table.name, number] += len(lake.rows(query))
        append(lake, table, query, writer, number)

    monkeypatch.setattr(type(engine.lake(tmp_path)), "append", counted)
    for path in sorted(history.rglob("*.jsonl")):
        target = tmp_path / "in" / path.parent.name / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    assert engine.ran([tmp_path / "in"], tmp_path / "out", max_files=2) > 2
    assert rows_of(dicts(rows_in(engine.lake(tmp_path / "out"), PACKETS))) == expected
    packets = [appended[name, number] for name, number in sorted(appended) if name == PACKETS.name]
    # One of c-1 is merged, as it has path and sequence of one of a-1.
    assert (sum(packets), packets[1] > 0) == (len(expected) - 1, True)


@EACH_ENGINE
def test_small_files_are_joined_after_some_batches(engine, history, expected, tmp_path, monkeypatch):
    from deltalake import DeltaTable

    monkeypatch.setattr(steps, "MAINTAINED", 4)
    batches = engine.ran([history], tmp_path / "out", max_files=2)
    assert batches > 4
    table = DeltaTable(str(tmp_path / "out" / PACKET_EVENTS.name))
    assert len(table.file_uris()) <= 1 + batches % 4
    table.load_as_version(2)  # older versions are kept for some time
    assert len(table.file_uris()) == len(table.to_pyarrow_table().to_batches()) == 2
    lake = engine.lake(tmp_path / "out")
    assert rows_of(dicts(rows_in(lake, PACKETS))) == expected
    check_hours(lake)


@EACH_ENGINE
def test_a_batch_that_is_repeated_changes_nothing(engine, in_pieces):
    place, batches = in_pieces
    tables = (BLOCKS, PACKET_EVENTS, OBSERVATIONS, PACKETS)

    def content():
        lake = engine.lake(place / "out")
        return {table.name: as_text(lake, table, table.names) for table in tables}

    before = content()
    assert all(before.values())
    engine.process(Pipeline(), engine.lake(place / "out"), place / "in" / "1", sum(batches) - 1)
    assert content() == before


@pytest.mark.spark
@pytest.mark.exhaustive
@pytest.mark.parametrize("first", ["local", "spark"])
def test_an_engine_goes_on_where_the_other_ended(spark, here, pieces, expected, tmp_path, first):
    engines = [here, OnSpark(spark)] if first == "local" else [OnSpark(spark), here]
    for number, (files, engine) in enumerate(zip(pieces, engines, strict=True)):
        for path in files:
            target = tmp_path / "in" / str(number) / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        assert engine.ran(tmp_path / "in", tmp_path / "out") == 1
    assert rows_of(dicts(rows_in(engine.lake(tmp_path / "out"), PACKETS))) == expected
    assert engines[0].ran(tmp_path / "in", tmp_path / "out") == 0


@EACH_ENGINE
@pytest.mark.spark
def test_every_reader_of_delta_tables_reads_the_packets(engine, in_pieces, expected, spark):
    import duckdb
    import polars
    from deltalake import DeltaTable

    path = str(in_pieces[0] / "out" / "gold" / "packets")
    table = DeltaTable(path)
    assert table.metadata().partition_columns == ["in_flight"]
    assert rows_of(table.to_pyarrow_table().to_pylist()) == expected
    assert rows_of(polars.read_delta(path).to_dicts()) == expected
    places = [file.removeprefix("file://") for file in table.file_uris()]
    states = duckdb.sql(f"SELECT state, count(*) FROM read_parquet({places}) GROUP BY state").fetchall()
    assert dict(states)["stuck"] == 1
    times = duckdb.sql(f"SELECT DISTINCT type FROM parquet_schema({places}) WHERE name = 'send_time'")
    assert times.fetchall() == [("INT64",)]  # readers leave out files by it; Spark's default is INT96
    assert spark.read.format("delta").option("versionAsOf", 0).load(path).count() == 0
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 1)
    changes = feed.load(path)
    kinds = {row._change_type for row in changes.select("_change_type").distinct().collect()}
    assert {"insert", "update_preimage", "update_postimage"} <= kinds
    comments = spark.sql(f"DESCRIBE TABLE delta.`{path}`").where("comment <> ''").collect()
    assert {row.col_name for row in comments} >= {"route", "path_id"}


@pytest.mark.spark
@pytest.mark.exhaustive
def test_tables_are_registered_in_a_catalog_once_and_in_one_place(spark, new_chains, tmp_path):
    chains = new_chains(tmp_path / "in")
    chains.relay(1, 1)
    for out in "one", "other":
        run_pipeline(chains.write(), tmp_path / out)
    try:
        arguments = [str(tmp_path / "in"), "--out", str(tmp_path / "one"), "--catalog", "ibc_1"]
        done = CliRunner().invoke(command, arguments)
        assert done.exit_code == 0, done.output
        register_tables(spark, tmp_path / "one", "ibc_1")
        assert {
            row.tableName for row in spark.sql("SHOW TABLES IN `ibc_1`").collect() if not row.isTemporary
        } == {table.name.partition("/")[2] for table in TABLES}
        chains.relay(2, 9)
        run_pipeline(chains.write(), tmp_path / "one")
        assert spark.table("`ibc_1`.packets").count() == 2
        with pytest.raises(EngineFailed, match="is a table in another place"):
            register_tables(spark, tmp_path / "other", "ibc_1")
        with pytest.raises(NoResults):
            register_tables(spark, tmp_path / "otter", "ibc_1")
        assert not (tmp_path / "otter").exists()
    finally:
        spark.sql("DROP SCHEMA IF EXISTS `ibc_1` CASCADE")
    assert spark.read.format("delta").load(str(tmp_path / "one" / "gold" / "packets")).count() == 2


@pytest.mark.spark
def test_a_brief_session_has_room_for_all_compiled_code(spark):
    pools = spark._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    room = sum(pool.getUsage().getMax() for pool in pools if pool.getName().startswith("Code"))
    assert room >= 240 << 20  # Java no longer compiles when it is full, and a run fills 48 MB


@pytest.mark.parametrize(
    "condition",
    [
        "DATA_SOURCE_NOT_FOUND",
        "CANNOT_CREATE_DATA_SOURCE_TABLE.EXTERNAL_METADATA_UNSUPPORTED",
        "DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG",
    ],
)
def test_a_session_without_delta_lake_is_told_what_to_set(condition):
    with pytest.raises(DeltaMissing) as caught:
        SparkLake(Refusing(f"[{condition}] it cannot be"), "file:///lake").prepare(TABLES)
    assert caught.value.reason == condition
    text = str(caught.value)
    assert "--packages io.delta:delta-spark_" in text
    assert "--conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension" in text


def test_another_refusal_of_spark_is_raised_as_it_is():
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match="PARSE_SYNTAX_ERROR"):
        SparkLake(Refusing("[PARSE_SYNTAX_ERROR] no"), "file:///lake").prepare(TABLES)


class Refusing:
    """A session that refuses every statement."""

    def __init__(self, text):
        self.text = text

    def sql(self, _):
        from pyspark.errors import AnalysisException

        raise AnalysisException(self.text)
