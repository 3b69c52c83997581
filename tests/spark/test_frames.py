"""`pyibc.index`: the answers as DataFrames."""

import json

import pytest

import pyibc
from tests.recorded_answers import results


@pytest.fixture
def exports(chains):
    """Packet 1 was acknowledged, 2 is on its way."""
    chains.relay(1, 1)
    chains.event("a-1", 5, "send_packet", 2, amount="7")
    return chains.write()


def told(frame):
    return sorted((row.chain, row.height, row.type, row.sequence) for row in frame.collect())


EVENTS = [
    ("a-1", 1, "send_packet", 1),
    ("a-1", 4, "acknowledge_packet", 1),
    ("a-1", 5, "send_packet", 2),
    ("b-1", 2, "recv_packet", 1),
    ("b-1", 2, "write_acknowledgement", 1),
]


@pytest.mark.exhaustive
def test_results_in_a_folder_and_recordings_that_are_read_again(spark, exports, tmp_path, monkeypatch):
    answer = {"jsonrpc": "2.0", "id": 1, "result": results(7, 3)}
    (tmp_path / "block_results.json").write_text(json.dumps(answer))
    (tmp_path / "odd.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    found = pyibc.index(["export", "block_results.json", tmp_path / "odd.json"], "results", spark)
    monkeypatch.chdir("/")
    assert found.folder == str(tmp_path / "results")
    assert (tmp_path / "results" / "report.html").is_file()
    assert json.loads((tmp_path / "results" / "summary.json").read_text()) == found.summary
    assert told(found.events) == [*EVENTS, ("unknown", 7, "send_packet", 3)]
    assert [entry.file for entry in found.skipped] == [str(tmp_path / "odd.json")]


@pytest.mark.exhaustive
def test_local_results_where_the_default_file_system_is_not_local(spark, exports, tmp_path):
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "hdfs://nowhere.invalid:1/")
    try:
        found = pyibc.index([str(exports)], tmp_path / "out")
        assert {row.sequence: row.state for row in found.packets.collect()} == {1: "succeeded", 2: "sent"}
    finally:
        hadoop.set("fs.defaultFS", before)


def test_the_session_that_is_open_is_used(spark):
    from pyibc.indexer.spark.session import open_session

    assert open_session().sparkContext is spark.sparkContext
