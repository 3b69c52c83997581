import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from pyibc.indexer import job
from pyibc.indexer.job import chosen


@pytest.fixture
def opened(monkeypatch):
    """Open an engine; return its kind with the master, and the progress lines."""

    def go(engine, master, *, duckdb=True):
        told = []
        local = SimpleNamespace(LocalEngine=lambda: ("local", None))
        session = SimpleNamespace(
            open_session=lambda on, **_: on, DEFAULT_MASTER="local[*]", failing=nullcontext
        )
        spark = SimpleNamespace(SparkEngine=lambda session: ("spark", session))
        monkeypatch.setitem(sys.modules, "pyibc.indexer.local.run", local)
        monkeypatch.setitem(sys.modules, "pyibc.indexer.spark.run", spark)
        monkeypatch.setitem(sys.modules, "pyibc.indexer.spark.session", session)
        monkeypatch.setattr(job, "find_spec", lambda name: duckdb or None)
        return chosen(engine, master, told.append), told

    return go


@pytest.mark.parametrize("engine", [None, "local"])
def test_duckdb_is_the_default(opened, engine):
    assert opened(engine, None) == (("local", None), [])


@pytest.mark.parametrize(
    ("engine", "master", "duckdb"), [(None, None, False), ("spark", None, True), (None, "local[2]", True)]
)
def test_spark_is_for_those_who_ask_or_have_no_duckdb(opened, engine, master, duckdb):
    where = master or "local[*]"
    assert opened(engine, master, duckdb=duckdb) == (("spark", where), [f"starting Spark on {where}"])
