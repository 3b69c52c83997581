"""Views, summary and report over the pipeline's tables: those of the index with the same blocks."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pyibc.indexer.pipeline.report import open_views, write_report_of
from tests.index_histories import TABLES, History
from tests.pipeline_runs import check_views, in_utc
from tests.sampling import sample

SPARK = pytest.param("spark", marks=pytest.mark.spark)
EACH = pytest.mark.parametrize("engine", ["local", SPARK], indirect=True, scope="module")
MOSTLY_HERE = pytest.mark.parametrize(
    "engine", ["local", *sample([SPARK], 0, "report")], indirect=True, scope="module"
)
"""On Spark in exhaustive runs only: test_engines compares the answers of a report on both engines."""

UPGRADED = 3
"""A history with transfers that are forwarded, calls of an account, and b-2, which does not continue b-1."""


@pytest.fixture(scope="module")
def results(engine, run, tmp_path_factory):
    """The folders of the index and of the pipeline, and the outcome of the index."""
    place = tmp_path_factory.mktemp("results")
    history = History(UPGRADED, place / "in")
    for chain, lines in history._lines.items():
        torn = b"pyibc1 00000000 torn\n" if chain == "c-1" else b""
        (history.folder / f"{chain}.jsonl").write_bytes(b"".join(lines) + torn)
    outcome, _ = run(place / "index", place / "in")
    assert engine.ran(place / "in", place / "out") == 1
    return place, outcome


@EACH
def test_every_table_is_a_view_with_the_rows_of_the_index(engine, results):
    place, _ = results
    check_views(engine, place / "out", place / "index")
    assert [name for name in TABLES if not pq.read_metadata(first(place / "index" / name)).num_rows] == [
        "messages"
    ]


def first(folder):
    return next(folder.glob("*.parquet"))


@MOSTLY_HERE
def test_summary_and_report_are_those_of_the_index(engine, results):
    place, outcome = results
    found = write_report_of(engine.lake(place / "out"))
    summary = json.loads((place / "out" / "summary.json").read_text())
    wanted = outcome.summary
    assert summary["chains"] == wanted["chains"]
    assert summary["gaps_query"] == wanted["gaps_query"]
    counted = {"send_packet", "recv_packet", "write_acknowledgement", "acknowledge_packet", "timeout_packet"}
    assert summary["events"] == {kind: n for kind, n in wanted["events"].items() if kind in counted}
    (problem,), (known,) = summary["skipped"], wanted["skipped"]
    assert (problem["file"].removeprefix("file://"), problem["reason"]) == (known["file"], known["reason"])
    assert found.notes == outcome.notes
    assert found.tips == outcome.tips
    page = (place / "out" / "report.html").read_text().splitlines()
    of_index = (place / "index" / "report.html").read_text().splitlines()
    other = [line for line in page if line not in of_index]
    assert [line for line in other if "c-1.jsonl" not in line] == []
    assert len(page) == len(of_index)


@pytest.fixture(scope="module")
def questions():
    """The queries of the section "Six questions" of the page, for the history, without limits."""
    page = (Path(__file__).parents[2] / "docs" / "indexer.md").read_text()
    section = page.partition("## Six questions")[2].partition("\n## ")[0]
    found = re.findall(r"```sql\n(.+?)```", section, re.DOTALL)
    queries = [query.replace("'alpha-1'", "'a-1'").replace("'beta-1'", "'c-1'") for query in found]
    return [query.replace("LIMIT 10", "") for query in queries]


@EACH
def test_the_six_questions_of_the_page_have_their_answers(engine, results, questions):
    place, _ = results
    lake = engine.lake(place / "out")
    open_views(lake)
    tables = {name: pq.read_table(place / "index" / name).to_pylist() for name in TABLES}
    found = [[tuple(row) for row in lake.rows(query)] for query in questions]
    for answer, wanted in zip(found, answers(tables), strict=True):
        assert in_order(answer) == in_order(wanted)
    # The creation of the clients is not in the history, so it is not known when they expire.
    assert [bool(answer) for answer in found] == [True, True, True, True, False, True]


def in_order(rows):
    return sorted((tuple(map(in_utc, row)) for row in rows), key=lambda row: str(row[:3]))


def answers(tables):
    """The six answers, computed row by row."""
    packets, transfers = tables["packets"], tables["transfers"]
    delivered = [row for row in transfers if row["outcome"] == "delivered"]
    top = [
        (*key, len(rows), total(rows))
        for key, rows in grouped(delivered, "src_chain", "src_channel", "base_denom").items()
    ]
    yield top
    received = [row for row in packets if row["recv_latency_s"] is not None]
    latency = [
        (
            *key,
            len(rows),
            *(percentile(rows, "recv_latency_s", rank) for rank in (0.5, 0.99)),
        )
        for key, rows in grouped(received, "dst_chain", "relayer_recv").items()
    ]
    yield latency
    waiting = grouped(
        [row for row in packets if row["stuck"] or row["ack_overdue"]],
        "src_chain",
        "src_channel",
        "dst_chain",
    )
    stuck = [
        (*key, len(rows), sum(row["stuck"] for row in rows), min(row["send_time"] for row in rows))
        for key, rows in waiting.items()
    ]
    yield stuck
    states = [
        (key[0], len(rows), *(sum(row["state"] == state for row in rows) for state in DONE))
        for key, rows in grouped([row for row in packets if not row["in_flight"]], "src_port").items()
    ]
    rated = [(*row, pytest.approx(100 * row[2] / row[1], abs=0.051)) for row in states]
    yield rated
    clients = [
        tuple(row[name] for name in ("chain", "client", "claimed_chain", "last_update_time", "expires_time"))
        for row in tables["clients"]
        if row["expires_time"] is not None and not row["misbehaved"]
    ]
    yield clients
    between = [row for row in transfers if {row["src_chain"], row["dst_chain"]} == {"a-1", "c-1"}]
    flows = [
        (*key, len(rows), *(sum(row["outcome"] in some for row in rows) for some in OUTCOMES), total(rows))
        for key, rows in grouped(between, "src_chain", "dst_chain", "base_denom").items()
    ]
    yield flows


DONE = ("succeeded", "failed", "timed_out")
OUTCOMES = (("delivered",), ("refunded", "refused"))


def grouped(rows, *names):
    found = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def total(rows):
    amounts = [int(row["amount_decimal"]) for row in rows if row["outcome"] == "delivered"]
    return sum(amounts) if amounts else None


def percentile(rows, name, rank):
    """Interpolated between the two nearest values."""
    ordered, place = sorted(row[name] for row in rows), rank * (len(rows) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return pytest.approx(ordered[low] + (ordered[high] - ordered[low]) * (place - low))
