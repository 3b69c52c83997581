"""`pyibc export --master`: executors fetch, and the folder is the one that a single process writes."""

import sys
import threading
from contextlib import closing, contextmanager
from functools import partial

import pytest
from click.testing import CliRunner

from pyibc.cli import main
from pyibc.cli.export.backfill import Backfill, by_threads
from pyibc.cli.export.executors import Executors
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.blocks.lines import decode_line, parse_head, split_lines
from pyibc.indexer.errors import EngineFailed, WorkerUnfit
from pyibc.indexer.spark.tasks import SparkTasks
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from tests.comet_nodes import Chain, Node, served


@pytest.fixture
def begin(spark):
    """Opens calls in the session of the test run."""

    @contextmanager
    def begun(work, **options):
        with closing(SparkTasks(spark, work, **options)) as tasks:
            yield tasks

    return begun


@pytest.fixture
def run(begin, tmp_path):
    """Backfills of nodes into a folder; what is told goes to a list."""

    def go(out, *urls, source=None, last=None, stop=None, exporter=BlockExporter):
        told = []
        with (
            exporter(tmp_path / out) as written,
            closing(Backfill(urls, written, tell=told.append)) as backfill,
        ):
            way = source or Executors(begin, 2, tell=told.append, tell_of_nodes=told.append)
            return backfill.run(None, last, stop or threading.Event(), way), told

    return go


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_folder_is_the_one_that_a_single_process_writes(run, tmp_path):
    """Over gaps; of two nodes one keeps less and one fails at some heights."""
    chain, other = Chain(last=230), Chain(last=230)
    lossy = Node(chain, first=40)
    lossy.missing = set(range(60, 90, 3))
    with served(Node(other, first=20)) as one, served(lossy) as two:
        for out in ("alone", "spread"):
            run(out, one, source=by_threads, last=120)
            (tmp_path / out / "blocks-000000000001.jsonl").write_bytes(
                b"".join(line for line in lines(tmp_path / out) if parse_head(line).height % 50)
            )
        alone, _ = run("alone", one, two, source=by_threads)
        spread, told = run("spread", one, two)
    assert (spread, told) == (alone, [])
    assert spread.written == Heights(((50, 50), (100, 100), (121, 230)))
    assert files(tmp_path / "alone") == files(tmp_path / "spread")


def lines(folder):
    return split_lines(b"".join(blob for _, blob in sorted(files(folder).items())))


def test_a_node_s_fault_is_the_driver_s_typed_error_and_the_next_run_goes_on(run, tmp_path):
    chain = Chain(last=60)
    chain.changed[21] = {"chain_id": "a-3"}
    with served(Node(chain)) as url:
        with pytest.raises(MalformedAnswer, match=r"a-1: block 21: .* it is for 'a-3' height 21") as error:
            run("out", url)
        assert error.value.chain_id == "a-1"
        assert [parse_head(line).height for line in lines(tmp_path / "out")] == list(range(1, 21))
        del chain.changed[21]
        assert run("out", url)[0].written == Heights(((21, 60),))


@pytest.mark.exhaustive
def test_a_node_that_dies_is_named_with_the_worker(run, tmp_path):
    node = Node(Chain(last=90))
    real = node.call

    def call(method, height="0", **more):
        node.down = node.down or int(height) == 37
        return real(method, height, **more)

    node.call = call
    with (
        served(node) as url,
        pytest.raises(EndpointUnavailable, match=r"HTTP status 503 \(asked from worker \S+\)"),
    ):
        run("out", url)
    held = [parse_head(line).height for line in lines(tmp_path / "out")]
    assert held == list(range(1, len(held) + 1))
    assert len(held) < 37


@pytest.mark.exhaustive
def test_it_stops_in_the_middle_and_the_next_run_goes_on(run, tmp_path, spark):
    stop = threading.Event()

    class Stopping(BlockExporter):
        def write(self, block):
            if block.height == 13:
                stop.set()
            return super().write(block)

    with served(Node(Chain(last=150)), pause=0.01) as url:
        done, _ = run("out", url, stop=stop, exporter=Stopping)
        assert done.written == Heights(((1, 13),))
        assert spark.sparkContext.statusTracker().getActiveJobsIds() == []
        assert [decode_line(line).height for line in lines(tmp_path / "out")] == list(range(1, 14))
        assert run("out", url)[0].written == Heights(((14, 150),))


def test_workers_of_another_release_are_refused_and_nothing_is_written(run, begin, tmp_path):
    with served(Node(Chain(last=9))) as url:
        source = Executors(partial(begin, release="9.8.7"), 2, tell=print, tell_of_nodes=print)
        with pytest.raises(
            WorkerUnfit, match=r"has pyibc \S+ under \S+, 9.8.7 is needed: install pyibc==9.8.7"
        ):
            run("out", url, source=source)
    assert files(tmp_path / "out") == {}


def test_an_error_that_is_not_ours_is_one_line_of_spark_s(begin):
    with begin(int) as tasks, pytest.raises(EngineFailed) as error:
        tasks.submit("twelve").result()
    assert str(error.value).endswith("ValueError: invalid literal for int() with base 10: 'twelve'")
    assert str(error.value).startswith("Spark: ")


def test_without_pyspark_the_command_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyibc.indexer.spark.session", None)
    with served(Node(Chain(last=9))) as url:
        done = CliRunner().invoke(
            main, ["export", url, "--out", str(tmp_path / "out"), "--master", "local[2]"]
        )
    assert done.exit_code == 1
    assert (
        "pyibc export --master needs pyibc[indexer] and a Java runtime of version 17 or later" in done.stderr
    )
