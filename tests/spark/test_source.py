import gc
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors import AnalysisException, PySparkException

from pyibc.indexer import start_pipeline, store_options, stores
from pyibc.indexer.errors import EngineFailed, IndexerError, UnreadableInput
from pyibc.indexer.spark.session import archive, register
from pyibc.installation import ROOT
from tests.s3_server import BUCKET, s3_server


@pytest.fixture
def folder(chains):
    for height in range(1, 31):
        chains.event("a-1", height, "send_packet", height)
        if height % 3 == 0:
            chains.event("b-1", height, "recv_packet", height, owner="a-1")
    return chains.write()


@pytest.fixture
def load(spark, folder):
    return lambda **options: spark.read.format("ibc").options(**options).load(str(folder))


def test_a_row_a_packet_event(load):
    rows = load().orderBy("chain", "height").collect()
    assert len(rows) == 40
    first = rows[0]
    assert (first.type, first.chain, first.height, first.time_ns, first.sequence) == (
        "send_packet",
        "a-1",
        1,
        10**9,
        1,
    )
    assert (first.src_port, first.dst_channel, first.protocol) == ("transfer", "channel-0", 1)
    assert (first.denom, first.amount, first.relayer) == ("ua", "5", None)
    assert rows[-1].relayer == "relayer-b-1"


def test_bounds_of_chain_and_height_are_options(load):
    within = load(chains="b-1", firstHeight="7", lastHeight="12")
    assert sorted(row.height for row in within.collect()) == [9, 12]
    several = load(chains='["a-1", "b-1"]', lastHeight="3")
    assert sorted((row.chain, row.height) for row in several.collect()) == [
        ("a-1", 1),
        ("a-1", 2),
        ("a-1", 3),
        ("b-1", 3),
    ]


def test_queries_of_one_frame_do_not_share_filters(load):
    events = load()
    first, second = (events.where(f"chain = '{chain}'") for chain in ("a-1", "b-1"))
    both = first.union(second).groupBy("chain").count().orderBy("chain")
    assert [tuple(row) for row in both.collect()] == [("a-1", 30), ("b-1", 10)]
    assert events.where("height < 3").count() == 2
    assert events.count() == 40
    assert events.where("chain = 'a-1' or height < 4").count() == 31


def test_partitions_are_made_without_reading_and_bounds_choose_files(folder, monkeypatch):
    from pyibc.indexer.bronze import reader as readers
    from pyibc.indexer.bronze.reader import BlockReader

    def files(size="1000", **bounds):
        reader = BlockReader(None, {"path": str(folder), "partitionbytes": size, **bounds})
        ranges = [each for part in reader.partitions() for each in part]
        return sorted({each.url.removeprefix(f"{folder}/") for each in ranges}), len(ranges)

    names = [f"blocks-{first:012d}.jsonl" for first in (1, 11, 21)]
    with monkeypatch.context() as only_names:
        only_names.setattr(readers, "lines_in", lambda _: pytest.fail("planning reads bytes"))
        every, ranges = files()
        assert every == [f"{chain}/{name}" for chain in ("a-1", "b-1") for name in names]
        assert ranges > 6
        assert files(size="10000000")[1] == 6
        assert files(firstheight="21")[0] == ["a-1/" + names[2], "b-1/" + names[2]]
        assert files(lastheight="10")[0] == ["a-1/" + names[0], "b-1/" + names[0]]
    assert files(chains="b-1")[0] == [f"b-1/{name}" for name in names]
    assert files(chains="c")[0] == []


def test_the_thresholds_of_garbage_collection_are_those_of_the_host_afterwards():
    from pyibc.indexer.bronze.reader import rare_collections

    before = gc.get_threshold()
    try:
        for own in ((700, 10, 10), (0, 10, 10), (50_000, 5, 5)):
            gc.set_threshold(*own)
            first, second = rare_collections(), rare_collections()
            first.__enter__()
            assert gc.get_threshold() == (own[0] and max(own[0], 20_000), *own[1:])
            second.__enter__()
            for ended in (first, second):  # in the order of their start
                ended.__exit__(None, None, None)
            assert gc.get_threshold() == own
    finally:
        gc.set_threshold(*before)


def test_partitions_have_equal_sizes_within_limits():
    from pyibc.indexer.bronze.ranges import FileRange
    from pyibc.indexer.bronze.reader import BlockReader

    def sizes(*files, least="4", most=str(128 << 20)):
        reader = BlockReader(None, {"path": "in", "minpartitions": least, "partitionbytes": most})
        found = reader.divided([FileRange(name, 0, size << 20) for name, size in files])
        return [sum(part.size for part in parts) >> 20 for parts in found]

    assert sizes(("a", 100)) == [25, 25, 25, 24]
    assert sizes(("a", 60), ("b", 40)) == [25, 34, 25, 14]
    assert sizes(("a", 20)) == [8, 12]
    assert sizes(("a", 2), ("b", 3), ("c", 4)) == [5, 4]
    assert sizes(("a", 1280)) == [128] * 10
    assert sizes(("a", 100), most=str(50 << 20), least="1") == [50, 50]
    assert sizes(("a.gz", 100), ("b.parquet", 70)) == [100, 70]
    assert sizes(("a", 320), least="32") == [10] * 31 + [9]


def test_a_store_is_read_with_the_settings_of_the_session(spark, folder, tmp_path, monkeypatch):
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "ENDPOINT_URL", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setattr(stores, "_used", {})
    session, url = spark.newSession(), f"s3a://{BUCKET}/a-*"
    with s3_server(folder, "mine") as (address, _):
        settings = {"access.key": "mine", "secret.key": "secret", "endpoint": f"http://{address}"}
        for name, value in settings.items():
            session.conf.set(f"fs.s3a.{name}", value)
        options = store_options(session, url)
        assert options == {f"fs.s3a.bucket.{BUCKET}.{name}": value for name, value in settings.items()}
        assert session.read.format("ibc").options(**options).load(url).count() == 30
        start_pipeline(session, url, tmp_path / "out").awaitTermination()
        rows = session.read.format("delta").load(str(tmp_path / "out" / "silver" / "packet_events"))
        assert rows.count() == 30


@pytest.mark.parametrize("options", [{}, {"chains": "a-1", "firstHeight": "2"}])
def test_a_file_that_is_no_export_is_an_error_where_rows_cannot_tell_it(spark, folder, options):
    (folder / "recorded.json").write_text("[]")
    (folder / "b-1" / "blocks-000000000031.jsonl").write_bytes(b"pyibc1 00000000 a-1 19 rest\n")
    reading = spark.read.format("ibc").options(**options)
    with pytest.raises(PySparkException, match=r"recorded\.json contains no block lines .*readStream"):
        reading.load(str(folder)).count()
    assert reading.load(f"{folder}/*-1").count() == (29 if options else 40)
    blocks = spark.read.format("ibc").option("rows", "blocks").load(str(folder)).where("chain IS NULL")
    assert sorted(row.file.rpartition("/")[2] for row in blocks.collect()) == [
        "blocks-000000000031.jsonl",
        "recorded.json",
    ]


def test_a_row_per_block_has_all_that_is_in_it(spark, chains):
    chains.relay(1, 1)
    chains.event("a-1", 2, "send_packet", 2, packet_sequence="zero")
    blocks = spark.read.format("ibc").option("rows", "blocks").load(str(chains.write()))
    rows = {(row.chain, row.height): row for row in blocks.collect()}
    assert sorted(rows) == [("a-1", height) for height in range(1, 5)] + [("b-1", 2)]
    first, second = rows["a-1", 1], rows["a-1", 2]
    assert [(each.type, each.sequence, each.kind, each.receiving) for each in first.events] == [
        ("send_packet", 1, 0, False)
    ]
    assert [each.kind for each in rows["b-1", 2].events] == [1, 2]
    assert {each.path_id for row in rows.values() for each in row.events} == {first.events[0].path_id}
    assert first.events[0].end_id != rows["b-1", 2].events[0].end_id
    assert (first.transaction_count, len(first.transactions), first.partial) == (1, 1, False)
    assert first.digest != rows["a-1", 3].digest != rows["a-1", 4].digest
    assert (second.events, len(second.problems)) == ([], 1)
    assert "packet_sequence 'zero'" in second.problems[0]


def test_fewer_columns_on_request(spark, folder):
    chosen = spark.read.format("ibc").schema("sequence bigint, chain string").load(str(folder))
    assert min(chosen.collect()).asDict() == {"sequence": 1, "chain": "a-1"}
    single = spark.read.format("ibc").schema("height bigint").load(str(folder))
    assert single.agg({"height": "sum"}).first()[0] == sum(range(1, 31)) + sum(range(3, 31, 3))


def test_rows_of_another_kind_are_refused():
    from pyibc.indexer.bronze.reader import BlockReader

    with pytest.raises(UnreadableInput, match="the option rows is 'all', which is none of packets, blocks"):
        BlockReader(None, {"path": "exports", "rows": "all"})


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("firstheight", "-1", "the option firstHeight is '-1'"),
        ("lastheight", "many", "the option lastHeight is 'many'"),
        ("chains", "[1]", "the option chains is not a JSON list"),
        ("chains", " ", "the option chains is empty"),
    ],
)
def test_bounds_that_are_malformed_are_named(name, text, reason):
    from pyibc.indexer.bronze.reader import BlockReader

    with pytest.raises(IndexerError, match=reason):
        BlockReader(None, {"path": "exports", name: text})


def test_one_call_makes_a_session_read_it(spark, folder):
    register(spark)
    for path in (str(folder), f"file://{folder}"):
        assert spark.read.format("ibc").load(path).where("chain = 'b-1'").count() == 10


class Refusal(AnalysisException):
    def getCondition(self):
        return self.args[0].strip("[]")


@pytest.mark.parametrize(
    ("registering", "reading", "raised"),
    [
        ("DATA_SOURCE_ALREADY_EXISTS", "DATA_SOURCE_NOT_FOUND", EngineFailed),
        ("DATA_SOURCE_ALREADY_EXISTS", "OTHER", Refusal),
        ("DATA_SOURCE_ALREADY_EXISTS", None, None),
        ("OTHER", None, Refusal),
    ],
)
def test_a_session_in_which_spark_cannot_register_it(registering, reading, raised):
    def refuse(condition):
        if condition is not None:
            raise Refusal(f"[{condition}]")

    relation = SimpleNamespace(load=lambda: refuse(reading))
    relation.option = lambda _, __: relation
    session = SimpleNamespace(
        dataSource=SimpleNamespace(register=lambda _: refuse(registering)),
        read=SimpleNamespace(format=lambda _: relation),
    )
    with pytest.raises(raised) if raised else nullcontext():
        register(session)


USER = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
print([each.read.format("ibc").load(sys.argv[1]).count() for each in (spark, spark.newSession())])
"""


@pytest.mark.exhaustive
def test_a_session_of_the_user_finds_it_without_a_call(spark, folder, tmp_path):
    expected = spark.read.format("ibc").load(str(folder)).count()
    done = subprocess.run(
        [sys.executable, "-c", USER, folder],
        env=os.environ
        | {"PYTHONPATH": ROOT, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == [str([expected] * 2)], done.stderr


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("sequence int", "the column sequence is bigint, and not int"),
        ("sequence bigint, hash string", "there is no column 'hash', but chain, "),
    ],
)
def test_a_schema_of_other_columns_is_refused(spark, folder, columns, reason):
    with pytest.raises(AnalysisException, match=reason):
        spark.read.format("ibc").schema(columns).load(f"{folder}/*").count()


def test_a_path_that_cannot_be_read_is_named(spark):
    with pytest.raises(
        AnalysisException, match="has the scheme ftp, which is none of abfs, abfss, dbfs, file"
    ):
        spark.read.format("ibc").load("ftp://host/exports").count()


def test_workers_need_no_installed_package(folder, load, tmp_path):
    """A worker that has the archive and third parties' packages, and not ours, reads the partitions."""
    import pyspark
    from pyspark import cloudpickle

    from pyibc.indexer.spark.source import IbcDataSource

    reader = IbcDataSource({"path": str(folder)}).reader(load().schema)
    packed = tmp_path / "reader"
    packed.write_bytes(cloudpickle.dumps((reader, reader.partitions())))
    code = (
        "import pickle, sys\n"
        "sys.path[:0] = [sys.argv[2]]\n"
        "sys.path.append(sys.argv[3])\n"
        "reader, parts = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(sum(batch.num_rows for part in parts for batch in reader.read(part)))\n"
        "import ibc_module\n"
        "from pyibc.core.packet_v2.types import PacketV2, decode_packet, encode_packet\n"
        "packet = PacketV2(7, 'cl-0', 'cl-3', 9, ())\n"
        "assert decode_packet(encode_packet(packet)) == packet\n"
        "assert ibc_module.__file__.startswith(sys.argv[2]), ibc_module.__file__\n"
        "from pyibc.indexer.spark.session import archive\n"
        "assert archive().read_bytes() == open(sys.argv[2], 'rb').read()\n"
    )
    third_parties = str(Path(pyspark.__file__).parents[1])
    command = [sys.executable, "-S", "-I", "-c", code, str(packed), str(archive()), third_parties]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("40\n", "")
