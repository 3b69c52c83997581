import sys
from types import SimpleNamespace

import pytest

from pyibc.indexer import choosing
from pyibc.indexer.choosing import LOCAL_ROWS, chosen


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Open an engine; return its kind and the progress lines."""

    def go(engine, master, rows, *, duckdb=True, times=1):
        told = []
        local = SimpleNamespace(LocalEngine=lambda folder: ("local", folder))
        session = SimpleNamespace(open_session=lambda on, **_: on, DEFAULT_MASTER="local[2]")
        monkeypatch.setitem(sys.modules, "pyibc.indexer.local_engine", local)
        monkeypatch.setitem(sys.modules, "pyibc.indexer.session", session)
        monkeypatch.setattr("pyibc.indexer.spark_engine.SparkEngine", lambda on, rows: ("spark", on, rows))
        monkeypatch.setattr(choosing, "find_spec", lambda name: duckdb or None)
        opener = chosen(engine, master, told.append)
        return [opener(rows, tmp_path) for _ in range(times)][-1], told

    return go


@pytest.mark.parametrize(
    ("engine", "master", "rows", "duckdb"),
    [(None, None, LOCAL_ROWS, True), ("local", None, LOCAL_ROWS + 1, True), ("local", None, 1, True)],
)
def test_duckdb_answers_small_runs_and_when_it_is_asked_for(opened, tmp_path, engine, master, rows, duckdb):
    assert opened(engine, master, rows, duckdb=duckdb) == (("local", tmp_path), [])


@pytest.mark.parametrize(
    ("engine", "master", "rows", "duckdb"),
    [
        (None, None, LOCAL_ROWS + 1, True),
        (None, None, 1, False),
        ("spark", None, 1, True),
        (None, "local[2]", 1, True),
    ],
)
def test_spark_answers_large_runs_and_when_it_is_asked_for(opened, engine, master, rows, duckdb):
    told = opened(engine, master, rows, duckdb=duckdb)
    assert told == (("spark", "local[2]", rows), ["starting Spark on local[2]"])


def test_a_master_goes_to_spark(opened):
    assert opened(None, "spark://host:7077", 1)[0] == ("spark", "spark://host:7077", 1)


def test_spark_is_started_once_however_often_an_engine_is_opened(opened):
    assert opened("spark", None, 1, times=3) == (("spark", "local[2]", 1), ["starting Spark on local[2]"])
