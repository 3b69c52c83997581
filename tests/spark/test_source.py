import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors import AnalysisException

from pyibc.indexer.archive import archive
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.scan import ByteRange
from pyibc.indexer.session import register

pytestmark = pytest.mark.spark


@pytest.fixture
def datasource():
    """PySpark's module of filters."""
    module = pytest.importorskip("pyspark.sql.datasource")
    if not hasattr(module, "Filter"):
        pytest.skip("PySpark 4.0 hands out no filters")
    return module


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


def test_filters_on_chain_and_height_are_pushed_and_right(load, datasource):
    from pyibc.indexer.source import IbcDataSource

    chosen = load().where("chain = 'b-1' and height > 6 and height <= 12 and type like '%recv%'")
    assert sorted(row.height for row in chosen.collect()) == [9, 12]
    reader = IbcDataSource({"path": "x"}).reader(load().schema)
    rest = list(
        reader.pushFilters(
            [datasource.EqualTo(("chain",), "a"), datasource.StringContains(("type",), "recv")]
        )
    )
    assert rest == [datasource.StringContains(("type",), "recv")]


def test_partitions_are_height_ranges_and_filters_choose_them(load, folder, datasource):
    from pyibc.indexer.source import IbcReader

    def ranges(*filters):
        options = {"path": str(folder), "partitionbytes": "1000"}
        reader = IbcReader(load().schema, options)
        list(reader.pushFilters(filters))
        return [[(r.chain_id, r.first, r.last) for r in part.ranges] for part in reader.partitions()]

    assert ranges() == [
        [("a-1", 1, 10)],
        [("a-1", 11, 20)],
        [("a-1", 21, 30)],
        [("b-1", 3, 10)],
        [("b-1", 11, 20)],
        [("b-1", 21, 30)],
    ]
    assert ranges(datasource.EqualTo(("chain",), "a-1"), datasource.GreaterThan(("height",), 10)) == [
        [("a-1", 11, 20)],
        [("a-1", 21, 30)],
    ]
    assert ranges(datasource.EqualTo(("chain",), "c")) == [[]]


def test_bounds_intersect(datasource):
    from pyibc.indexer.pushdown import Bounds

    bounds, rest = Bounds.of(
        [
            datasource.In(("chain",), ("a", "b")),
            datasource.EqualTo(("chain",), "b"),
            datasource.GreaterThan(("height",), 3),
            datasource.LessThanOrEqual(("height",), 9),
        ]
    )
    assert (bounds, rest) == (Bounds(frozenset({"b"}), 4, 9), [])
    part = ByteRange("f", 0, 1, "b", 9, 12)
    assert bounds.overlaps(part)
    assert not bounds.overlaps(part._replace(first=10))
    assert not bounds.overlaps(part._replace(chain_id="a"))
    assert [h for h in range(20) if bounds.admits("b", h)] == [4, 5, 6, 7, 8, 9]


def test_fewer_columns_on_request(spark, folder):
    chosen = spark.read.format("ibc").schema("sequence bigint, chain string").load(str(folder))
    assert min(chosen.collect()).asDict() == {"sequence": 1, "chain": "a-1"}
    single = spark.read.format("ibc").schema("height bigint").load(str(folder))
    assert single.agg({"height": "sum"}).first()[0] == sum(range(1, 31)) + sum(range(3, 31, 3))


def test_everything_adds_blocks_counts_and_problems(spark, chains):
    chains.event("a-1", 1, "send_packet", 1)
    chains.event("a-1", 1, "send_packet", 2, packet_sequence="zero")
    chains.event("a-1", 2, "send_packet", 3, code=5)
    rows = spark.read.format("ibc").option("rows", "all").load(str(chains.write())).collect()
    by_type = {}
    for row in rows:
        by_type.setdefault(row.type, []).append(row)
    assert [row.sequence for row in by_type["send_packet"]] == [1]
    assert sorted((r.height, r.n) for r in by_type["block"]) == [(1, 2), (2, 1)]
    assert {r.detail: r.n for r in by_type["count"]} == {"send_packet": 2, "tx": 2}
    (problem,) = by_type["problem"]
    assert (
        "height 1, transaction 1, event 1: send_packet: packet_sequence 'zero' is not a 64-bit number"
        in problem.detail
    )
    assert problem.file.endswith(".jsonl")


def test_the_reader_and_its_partitions_can_be_shipped(load, folder, datasource):
    from pyibc.indexer.source import IbcReader

    reader = IbcReader(load().schema, {"paths": json.dumps([str(folder)])})
    list(reader.pushFilters([datasource.EqualTo(("chain",), "b-1")]))
    again = pickle.loads(pickle.dumps(reader))
    parts = pickle.loads(pickle.dumps(again.partitions()))
    assert sum(batch.num_rows for part in parts for batch in again.read(part)) == 10


def test_one_call_makes_a_session_read_it(spark, folder):
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    register(spark)
    for path in (str(folder), f"file://{folder}"):
        assert spark.read.format("ibc").load(path).where("chain = 'b-1'").count() == 10


@pytest.mark.parametrize(
    ("condition", "raised"),
    [("DATA_SOURCE_ALREADY_EXISTS", EngineFailed), ("DATA_SOURCE_NOT_FOUND", AnalysisException)],
)
def test_a_session_in_which_spark_cannot_register_it(condition, raised):
    class Refusal(AnalysisException):
        def getCondition(self):
            return condition

    def refuse(_):
        raise Refusal("no")

    registry = SimpleNamespace(register=refuse)
    session = SimpleNamespace(conf=SimpleNamespace(set=lambda *_: None), dataSource=registry)
    with pytest.raises(raised) as caught:
        register(session)
    assert isinstance(caught.value, EngineFailed) is (raised is EngineFailed)


def test_the_url_of_a_bucket_is_refused(spark):
    with pytest.raises(AnalysisException, match="folders that are mounted on every worker"):
        spark.read.format("ibc").load("s3a://chains/exports").count()


def test_workers_need_no_installed_package(folder, load, tmp_path):
    """A worker that has the archive and third parties' packages, and not ours, reads the partitions."""
    import pyspark
    from pyspark import cloudpickle

    from pyibc.indexer.source import IbcReader

    reader = IbcReader(load().schema, {"path": str(folder)})
    packed = tmp_path / "reader"
    packed.write_bytes(cloudpickle.dumps((reader, reader.partitions())))
    code = (
        "import pickle, sys\n"
        "sys.path[:0] = [sys.argv[2]]\n"
        "sys.path.append(sys.argv[3])\n"
        "reader, parts = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(sum(batch.num_rows for part in parts for batch in reader.read(part)))\n"
        "import pyibc.indexer\n"
        "import ibc_module\n"
        "assert ibc_module.__file__.startswith(sys.argv[2]), ibc_module.__file__\n"
        "from pyibc.indexer.archive import archive\n"
        "assert archive().read_bytes() == open(sys.argv[2], 'rb').read()\n"
    )
    third_parties = str(Path(pyspark.__file__).parents[1])
    command = [sys.executable, "-S", "-I", "-c", code, str(packed), str(archive()), third_parties]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("40\n", "")
