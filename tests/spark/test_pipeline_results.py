"""Views, summary and report over the pipeline's tables: those of the index with the same blocks."""

import json

import pyarrow.parquet as pq
import pytest

from pyibc.indexer.pipeline.report import open_views, write_report_of
from tests.index_histories import TABLES, History
from tests.index_questions import answers, in_order, questions
from tests.pipeline_runs import check_views
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


@EACH
def test_the_six_questions_of_the_page_have_their_answers(engine, results):
    place, _ = results
    lake = engine.lake(place / "out")
    open_views(lake)
    tables = {name: pq.read_table(place / "index" / name).to_pylist() for name in TABLES}
    found = [[tuple(row) for row in lake.rows(query)] for query in questions("a-1", "c-1")]
    for answer, wanted in zip(found, answers(tables, "a-1", "c-1"), strict=True):
        assert in_order(answer) == in_order(wanted)
    # No creation of a client is in the history: test_clients asks when they expire.
    assert [bool(answer) for answer in found] == [True, True, True, True, False, True]
