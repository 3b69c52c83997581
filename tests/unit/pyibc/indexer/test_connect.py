"""Spark Connect without a server: missing requirements are reported in one line, without useless attempts."""

import sys
from types import SimpleNamespace

import pytest

from pyibc.indexer import connect
from pyibc.indexer.choosing import chosen
from pyibc.indexer.connect import is_connect, open_connect, own_session
from pyibc.indexer.errors import EngineFailed
from pyibc.indexer.storage.objects import ObjectPath


class Settings(dict):
    set = dict.__setitem__


class Remote:
    """Stub of a session in the module of PySpark's sessions."""

    def __init__(self) -> None:
        self.gone = self.stopped = False
        self.client = SimpleNamespace(close=lambda: None)
        self.conf = Settings({"spark.sql.shuffle.partitions": "17"})
        self.clones = []

    @property
    def version(self):
        from pyspark.errors import PySparkException

        if self.gone:
            raise PySparkException("[INVALID_HANDLE.SESSION_CLOSED]")
        return "4.2.1"

    def stop(self):
        self.stopped = True

    def lose(self, _key, _value):
        from pyspark.errors import PySparkException

        raise PySparkException("the server is gone")

    def cloneSession(self):
        self.clones.append(Remote())
        self.clones[-1].conf.update(self.conf)
        return self.clones[-1]


Remote.__module__ = "pyspark.sql.connect.session"


class Old:
    version = "4.0.5"


Old.__module__ = Remote.__module__


def test_sessions_are_told_apart() -> None:
    assert is_connect(Remote())
    assert not is_connect(object())


def test_an_engine_has_a_session_of_its_own_and_the_operator_s_number_of_tasks() -> None:
    from pyibc.indexer.spark_engine import SparkEngine

    session = Remote()
    SparkEngine(session, 10_000_000)
    (own,) = session.clones
    assert session.conf == {"spark.sql.shuffle.partitions": "17"}
    assert own.conf["spark.sql.shuffle.partitions"] == "20"  # half a million rows per partition


def test_the_operator_s_number_stands_where_it_is_enough() -> None:
    from pyibc.indexer.spark_engine import SparkEngine

    session = Remote()
    SparkEngine(session, 1_000_000)
    assert session.clones[0].conf["spark.sql.shuffle.partitions"] == "17"


def test_one_session_serves_all_engines_until_the_server_has_ended_it() -> None:
    """A server keeps each session for an hour, and a live index opens an engine every second."""
    from pyibc.indexer.spark_engine import SparkEngine

    session = Remote()
    for _ in range(3):
        SparkEngine(session, 1)
    assert len(session.clones) == 1
    session.clones[0].gone = True
    SparkEngine(session, 1)
    SparkEngine(session, 1)
    assert len(session.clones) == 2


def test_a_session_that_the_server_has_ended_is_opened_anew(monkeypatch, tmp_path) -> None:
    opened = []

    def open_session(*_args, **_settings):
        opened.append(Remote())
        return opened[-1]

    monkeypatch.setattr("pyibc.indexer.session.open_session", open_session)
    open_engine = chosen("spark", "sc://somewhere", lambda _: None)
    open_engine(1, tmp_path)
    open_engine(1, tmp_path)
    assert len(opened) == 1
    opened[0].gone = True
    open_engine(1, tmp_path)
    assert [each.stopped for each in opened] == [True, False]


def test_pyspark_4_0_cannot_make_one() -> None:
    with pytest.raises(EngineFailed, match=r"Spark Connect: PySpark 4\.1 or later is needed"):
        own_session(Old())


@pytest.mark.parametrize("call", ["files", "write", "write_parts"])
def test_results_in_a_bucket_are_refused(call) -> None:
    from pyibc.indexer.spark_engine import SparkEngine

    engine, place = SparkEngine(Remote(), 1), ObjectPath("bucket", "index")
    arguments = {"files": ("events", (), [place]), "write": ("q", place), "write_parts": ("q", place)}
    engine._spark.sql = lambda _: pytest.fail("nothing is asked")
    with pytest.raises(EngineFailed, match="results in a bucket need a Spark master URL, or DuckDB"):
        getattr(engine, call)(*arguments[call])


def test_packages_that_lack_are_named(monkeypatch) -> None:
    monkeypatch.setattr(connect, "_reach", lambda _: None)
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", None)
    with pytest.raises(EngineFailed, match=r"pip install 'pyibc\[connect\]'"):
        open_connect("sc://127.0.0.1")


def test_pyspark_s_own_word_for_them_is_an_import_error() -> None:
    from pyspark.errors import PySparkImportError

    assert issubclass(PySparkImportError, ImportError)


def test_a_token_is_told_nobody(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("pyibc.indexer.session.open_session", lambda *_args, **_settings: Remote())
    told = []
    chosen("spark", "sc://here:15002/;token=s3cret", told.append)(1, tmp_path)
    assert told == ["starting Spark on sc://here:15002"]
    with pytest.raises(EngineFailed) as failure:
        open_connect("sc:///;token=s3cret")
    assert "s3cret" not in str(failure.value)


def test_a_server_that_is_lost_while_settings_are_told_is_a_failure_of_the_engine() -> None:
    from pyibc.indexer.spark_engine import SparkEngine

    class Lost(Remote):
        def cloneSession(self):
            clone = super().cloneSession()
            clone.conf = SimpleNamespace(set=clone.lose)
            return clone

    Lost.__module__ = Remote.__module__
    with pytest.raises(EngineFailed, match=r"^Spark: the server is gone$"):
        SparkEngine(Lost(), 1)


@pytest.mark.parametrize("url", ["sc://host:port", "sc://[::1", "sc://", "sc://:15002"])
def test_a_url_that_is_none_is_refused(url) -> None:
    with pytest.raises(EngineFailed, match="not a URL of the form"):
        open_connect(url)


def test_grpc_s_errors_are_told_in_their_server_s_words() -> None:
    from pyibc.indexer.spark_errors import failing

    grpc = pytest.importorskip("grpc")

    class Broken(grpc.RpcError):
        def details(self):
            return "the session was removed\nand a long story"

    with pytest.raises(EngineFailed, match=r"^Spark: the session was removed$"), failing():
        raise Broken
