"""Either engine changes what either made: the rows are those of a run from the beginning by each."""

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.export import BlockExporter
from tests.index_histories import TABLES, History, rows_in_delta, rows_of
from tests.sampling import EXHAUSTIVE, rounds

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def turns(spark):
    """Both engines."""
    local_engine = pytest.importorskip("pyibc.indexer.local_engine", reason="DuckDB is not installed")
    from pyibc.indexer.spark_engine import on_spark

    return local_engine.here, on_spark(spark)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    from pyibc.indexer import job
    from pyibc.indexer.lake import chunks, parts

    for module, name, value in (
        (parts, "HOT", 8),
        (parts, "COLD", 16),
        (parts, "MANY", 3),
        (chunks, "FULL", 40),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(job, "write_report", lambda *_, **__: "page")


@pytest.fixture
def same(turns, tmp_path):
    """Checks results against runs from the beginning, by Spark only if it is asked for."""
    from pyibc.indexer.job import index

    def check(inputs, out, outcome, said, *, by_spark=False):
        found = rows_of(out)
        for engine in turns if by_spark else turns[:1]:
            fresh = tmp_path / f"fresh-{len(list(tmp_path.iterdir()))}"
            expected = index(engine, [inputs], fresh)
            whole = rows_of(fresh)
            for name in TABLES:
                assert found[name] == whole[name], (name, engine, said)
            assert outcome.summary == expected.summary, (engine, said)
        assert rows_in_delta(out, outcome.versions) == found, said

    return check


@pytest.mark.exhaustive
def test_engines_in_turn_give_what_each_gives_from_the_beginning(turns, same, tmp_path):
    from pyibc.indexer.job import index

    history, said = History(3, tmp_path / "in"), []
    outs = [tmp_path / f"out-{number}" for number in range(rounds(1, 2))]
    for number in range(rounds(2, 4)):
        history.append()
        said.append(history.step())
        for first, out in enumerate(outs):
            outcome = index(turns[(number + first) % 2], [history.folder], out)
            same(history.folder, out, outcome, said, by_spark=number == 3 and first == 0)


@pytest.fixture
def put(chains):
    """Exports blocks; heights of theirs that lack may come later."""

    def go(*places):
        for chain, height in sorted(places):
            txs = tuple(chains.blocks.get((chain, height), ()))
            with BlockExporter(chains.folder / chain) as exporter:
                exporter.write(CommittedBlock(chain, height, height * 10**9, b"", txs, ()))
        return chains.folder

    return go


@pytest.fixture
def engines(spark, monkeypatch):
    """The engines that runs open, which are chosen by their work."""
    from pyibc.indexer import choosing
    from pyibc.indexer.lake import before

    monkeypatch.setattr(choosing, "LOCAL_ROWS", 60)
    monkeypatch.setattr(before, "LOOKED_AT", 1000)
    opened = []

    def go():
        open_engine = choosing.chosen(None, None, lambda _: None)

        def told(rows, scratch):
            engine = open_engine(rows, scratch)
            opened.append(type(engine).__name__)
            return engine

        return told

    go.opened = opened
    return go


def test_what_spark_made_duckdb_goes_on_with_whatever_comes_late(engines, same, chains, put, tmp_path):
    from pyibc.indexer.job import index

    for number in range(1, 25):
        chains.relay(number * 400, number)
    chains.event("a-1", 9, "send_packet", 20_000)
    chains.event("a-1", 41, "acknowledge_packet", 20_000)
    channel = {"src": ("transfer", "channel-5"), "dst": ("transfer", "channel-6")}
    chains.event("a-1", 11, "send_packet", 400, **channel)
    chains.event("c-1", 12, "recv_packet", 400, owner="a-1", **channel)
    first = [(chain, height) for chain in ("a-1", "b-1") for height in range(1, 31) if height != 14]
    out, steps = tmp_path / "out", {"the beginning": first}
    steps["a late acknowledgement"] = [("a-1", height) for height in range(31, 42)]
    steps["a gap that is filled"] = [("a-1", 14), ("b-1", 14)]
    steps["a chain that is new"] = [("c-1", height) for height in range(1, 15)]
    states = []
    for said, places in steps.items():
        inputs = put(*places)
        outcome = index(engines(), [inputs], out)
        same(inputs, out, outcome, said, by_spark=EXHAUSTIVE)
        totals = outcome.answers.totals
        states.append((totals.packets, totals.acknowledged, totals.received, totals.unknown))
    assert engines.opened == ["SparkEngine", *["LocalEngine"] * 3]
    assert states == [(26, 23, 23, 3), (26, 24, 23, 2), (26, 25, 24, 0), (26, 25, 25, 0)]
