"""The six questions of docs/indexer.md, asked of the pipeline's tables."""

from pyibc.indexer.pipeline.report import open_views
from tests.index_histories import History
from tests.index_questions import answers, in_order, questions
from tests.index_results import TABLES, table
from tests.pipeline_runs import EACH_ENGINE

UPGRADED = 3
"""A history with transfers that are forwarded, calls of an account, and b-2, which does not continue b-1."""


@EACH_ENGINE
def test_the_six_questions_of_the_page_have_their_answers(engine, tmp_path):
    history = History(UPGRADED, tmp_path / "in")
    for chain, lines in history._lines.items():
        (history.folder / f"{chain}.jsonl").write_bytes(b"".join(lines))
    assert engine.ran(tmp_path / "in", tmp_path / "out") == 1
    lake = engine.lake(tmp_path / "out")
    open_views(lake)
    tables = {name: table(tmp_path / "out", name) for name in TABLES}
    assert [name for name in TABLES if not tables[name]] == ["messages"]
    found = [[tuple(row) for row in lake.rows(query)] for query in questions("a-1", "c-1")]
    for answer, wanted in zip(found, answers(tables, "a-1", "c-1"), strict=True):
        assert in_order(answer) == in_order(wanted)
    # No creation of a client is in the history: test_clients asks when they expire.
    assert [bool(answer) for answer in found] == [True, True, True, True, False, True]
