"""Spark changes tables as DuckDB does: whatever comes, the rows are those of a run from the beginning."""

import pytest

from ibc_indexer import job
from ibc_indexer.lake import chunks, parts
from ibc_indexer.spark_engine import on_spark
from tests.index_histories import TABLES, History, rows_in_delta, rows_of

pytestmark = [pytest.mark.spark, pytest.mark.slow]
local_engine = pytest.importorskip("ibc_indexer.local_engine", reason="DuckDB is not installed")


def test_increments_on_either_engine_are_a_whole_run_of_the_other(spark, tmp_path, monkeypatch):
    for module, name, value in (
        (parts, "HOT", 8),
        (parts, "COLD", 16),
        (parts, "MANY", 3),
        (chunks, "FULL", 40),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(job, "write_report", lambda *_: "page")
    history, out = History(3, tmp_path / "in"), tmp_path / "out"
    said = []
    for number in range(4):
        history.append()
        said.append(history.step())
        engine = local_engine.here if number == 2 else on_spark(spark)
        outcome = job.index(engine, [history.folder], out)
        fresh = tmp_path / f"fresh-{number}"
        expected = job.index(local_engine.here, [history.folder], fresh)
        found, whole = rows_of(out), rows_of(fresh)
        for name in TABLES:
            assert found[name] == whole[name], (name, said)
        assert rows_in_delta(out, outcome.versions) == found, said
        assert outcome.summary == expected.summary, said
