"""Spark and DuckDB answer the same queries: the same packets, the same counts, the same report."""

from pathlib import Path
from threading import current_thread

import pytest

import pyibc
from pyibc.indexer import open_results
from pyibc.indexer.checksums import add_checksums, checksum_file, verify
from pyibc.indexer.errors import DamagedTable, EngineFailed
from tests.index_results import TABLES
from tests.pipeline_runs import in_utc

FRAMES = ("packets", "routes", "coverage")
"""Of each kind one: a table, an answer, and what Python knows."""


@pytest.fixture(scope="module")
def both(spark, tmp_path_factory):
    """Indexes inputs on both engines; gives the results as frames, of Spark and of Polars."""
    pytest.importorskip("polars")

    def go(*inputs):
        on_spark = pyibc.index(inputs, tmp_path_factory.mktemp("spark"), spark)
        return on_spark, pyibc.index(inputs, tmp_path_factory.mktemp("local"), frames="polars")

    return go


def same(found):
    """Compare all that both say; return the tables."""
    ours, theirs = found
    one, other = ({name: tables_in(each, name) for name in TABLES} for each in found)
    for name in TABLES:
        assert one[name].schema == other[name].schema, name
        assert as_texts(one[name].to_pylist()) == as_texts(other[name].to_pylist()), name
    for name in FRAMES:
        rows = [row.asDict() for row in getattr(ours, name).collect()]
        assert as_texts(rows) == as_texts(getattr(theirs, name).to_dicts()), name
    assert ours.summary == theirs.summary
    assert (ours.notes, ours.skipped) == (theirs.notes, theirs.skipped)
    pages = [Path(each.folder, "report.html").read_text().replace(each.folder, "") for each in found]
    assert pages[0] == pages[1]
    return other


def tables_in(found, name):
    return open_results(found.folder).table(name).to_arrow_table()


def as_texts(rows):
    return sorted(str({name: in_utc(value) for name, value in row.items()}) for row in rows)


@pytest.fixture
def ended(monkeypatch):
    """What is left at the end of each use of tables on Spark: its thread, and its temporary views."""
    from pyibc.indexer.spark.lake import SparkLake

    found, drop = [], SparkLake.drop_views

    def recorded(lake):
        drop(lake)
        found.append((current_thread(), [view.name for view in lake.spark.catalog.listTables()]))

    monkeypatch.setattr(SparkLake, "drop_views", recorded)
    return found


def test_the_kits_chains(both, chains, ended):
    for sequence in range(1, 30):
        chains.relay(sequence, sequence, amount=str(10 ** (sequence * 2)))
    chains.relay(30, 5, ack=b'{"error":"no"}')
    chains.relay(1, 2, src="b-1", dst="a-1", until=7)
    chains.relay(1, 1, src="c-1", dst="d-1", until=77 * 10**17)
    chains.event("a-1", 9, "timeout_packet", 31)
    chains.event("a-1", 8, "send_packet", 32, until=9 * 10**9)
    chains.event("a-1", 8, "send_packet", 33, until=2**63, packet_timeout_height="1-9")
    chains.event("a-1", 8, "send_packet", 34, packet_sequence="odd")
    chains.event("b-1", 20, "recv_packet", 2**63 - 1, owner="a-1")
    for height in range(1, 40):
        chains.empty("a-1", height)
    states = same(both(chains.write()))["packets"]["state"].to_pylist()
    assert len(states) == 36
    assert {"succeeded", "failed", "timed_out", "stuck"} <= set(states)
    (stream, left), (_, others) = ended
    assert (left, others) == ([], [])
    stream.join(30)
    assert not stream.is_alive()


@pytest.mark.exhaustive
def test_a_sequence_told_twice_with_other_data_has_one_row_of_the_first_event(both, chains):
    for sequence in range(1, 10):  # the other way round, so that the two ends are paired by a few packets
        chains.relay(sequence, sequence, src="b-1", dst="a-1", until=7)
    for number, amounts in {1: "59", 2: "95", 3: "59", 4: "95"}.items():
        ends = {"src": ("transfer", f"channel-{number}"), "dst": ("transfer", "channel-9")}
        # channels 1 and 2: in another block; 3 and 4: in the same transaction
        heights = (10, 11 if number < 3 else 10)
        for amount, height in zip(amounts, heights, strict=True):
            told = {"until": (10**9 + int(amount)) * 10**9, "amount": amount}
            chains.event("a-1", height, "send_packet", 7, **told, **ends)
            received = 12 if amount == "5" else 13
            chains.event("b-1", received, "recv_packet", 7, owner="a-1", **told, **ends)
    chains.together("a-1", 10)
    tables = same(both(chains.write()))
    packets = [row for row in tables["packets"].to_pylist() if row["dst_channel"] == "channel-9"]
    shown = sorted((row["src_channel"], row["src_chain"] or "", row["amount"]) for row in packets)
    assert shown == [
        ("channel-1", "a-1", "5"),
        ("channel-2", "", "5"),  # what was received first is not what was sent first
        ("channel-2", "a-1", "9"),
        ("channel-3", "a-1", "5"),
        ("channel-4", "", "5"),
        ("channel-4", "a-1", "9"),
    ]
    assert all(row["expires_time"].timestamp() == 10**9 + int(row["amount"]) for row in packets)
    transfers = {row["packet_id"]: row["amount"] for row in tables["transfers"].to_pylist()}
    assert all(transfers[row["packet_id"]] == row["amount"] for row in packets)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "calls"), [("ica", 100), ("gmp", 71)])
def test_what_ibc_go_chains_had_executed(both, tmp_path, name, calls):
    from tests.recorded_blocks import write_blocks

    write_blocks(name, tmp_path)
    assert same(both(tmp_path))["calls"].num_rows == calls


@pytest.mark.exhaustive
def test_nothing(both, tmp_path):
    assert same(both(tmp_path))["packets"].num_rows == 0


@pytest.mark.exhaustive
def test_two_live_ibc_go_chains(both, live_dump):
    assert same(both(live_dump))["packets"].num_rows == 70


@pytest.mark.exhaustive
@pytest.mark.vectors
def test_recordings_of_live_chains(both, realdata):
    assert same(both(realdata))["packets"].num_rows == 259_302


def test_what_the_local_engine_refuses_is_one_error(here, tmp_path):
    engine = here.lake(tmp_path)
    with pytest.raises(EngineFailed) as failed:
        engine.rows("SELECT nothing FROM nowhere")
    assert failed.value.engine == "DuckDB"
    assert "nowhere" in failed.value.reason


def test_sums_are_exact_to_38_digits_and_null_beyond(here, tmp_path):
    engine = here.lake(tmp_path)
    total = engine.dialect.total("x")
    most = 10**38 - 1
    for values in ([most], [most, 0], [1, 2], [0], [most - 5, 5], [most, most, -most], [-most, 7], [-5]):
        rows = ", ".join(f"('{value}')" for value in values)
        ((found,),) = engine.rows(f"SELECT {total} AS n FROM (VALUES {rows}) AS t(x)")
        assert found == sum(values)
    for beyond in ([most, 1], [most, 1, most], [-most, -1], [-most] * 3, [2**256 - 1], [7, 2**256 - 1]):
        rows = ", ".join(f"('{value}')" for value in beyond)
        ((found,),) = engine.rows(f"SELECT {total} AS n FROM (VALUES {rows}) AS t(x)")
        assert found is None, beyond
    small = engine.dialect.total("x", "length(x) < 9")
    assert engine.rows(f"SELECT {small} AS n FROM (VALUES ('7'), (NULL), ('{2**256}')) AS t(x)") == [(7,)]


def test_checksum_files_are_those_of_spark(spark, tmp_path):
    spark.range(50_000).coalesce(1).write.parquet(str(tmp_path / "of_spark"))
    [ours] = (tmp_path / "of_spark").glob("*.parquet")
    assert add_checksums([ours]) == [ours]
    verify([ours])
    checksum_file(ours).unlink()
    assert add_checksums([ours]) == []
    assert spark.read.parquet(str(ours)).count() == 50_000
    content = bytearray(ours.read_bytes())
    content[len(content) // 2] ^= 1
    ours.write_bytes(content)
    with pytest.raises(Exception, match="Checksum error") as caught:
        spark.read.parquet(str(ours)).agg({"id": "sum"}).collect()
    assert ours.name in str(caught.value)
    with pytest.raises(DamagedTable):
        verify([ours])
