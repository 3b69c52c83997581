"""The indexer's page: the answers that it shows are those of the demo."""

import re
from datetime import datetime

import pytest

from tests.index_questions import PAGE, questions

RATES = 3
"""Place of the question about success rates."""


def tables_shown():
    """The tables of answers on the page, by the place of their question."""
    section = PAGE.read_text().partition("## Six questions")[2].partition("\n## ")[0]
    parts = section.split("```sql\n")[1:]
    found = {}
    for place, part in enumerate(parts):
        rows = [re.findall(r"[^|]+", line) for line in part.splitlines() if line.startswith("|")]
        if rows:
            found[place] = [tuple(cell.strip() for cell in row) for row in (rows[0], *rows[2:])]
    return found


def row_shown(row):
    """A row as the page has it: the fractions of times without zeros at their end."""
    return tuple(
        f"{value:%F %T.%f}".rstrip("0").rstrip(".") if isinstance(value, datetime) else str(value)
        for value in row
    )


def test_the_answers_are_those_of_the_demo(tmp_path):
    pytest.importorskip("duckdb")
    from localnet.demo import scenario
    from pyibc.indexer import open_results, run_pipeline

    scenario.run(tmp_path / "demo", 300, lambda _: None, lambda _: None)
    run_pipeline(tmp_path / "demo" / "export", tmp_path / "result")
    base = open_results(tmp_path / "result")
    asked = [base.sql(query) for query in questions("alpha-1", "beta-1")]
    answers = [[tuple(found.columns), *map(row_shown, found.fetchall())] for found in asked]
    shown = tables_shown()
    assert [*shown] == [0, 1, 3, 4, 5]
    assert {place: answers[place] for place in shown} == shown
    assert len(answers[2]) == 1  # nothing is stuck or overdue, as the page says


def test_a_success_rate_is_that_of_known_results():
    duckdb = pytest.importorskip("duckdb")
    states = {
        "busy": ["succeeded", "succeeded", "failed", "timed_out", "acknowledged", "sent", "received"],
        "quiet": ["acknowledged", "received", "unknown"],
    }
    base = duckdb.connect()
    base.execute("CREATE TABLE packets (src_port VARCHAR, state VARCHAR)")
    rows = [(port, state) for port, some in states.items() for state in some]
    base.executemany("INSERT INTO packets VALUES (?, ?)", rows)
    found = base.sql(questions("", "")[RATES]).fetchall()
    assert found == [("busy", 4, 2, 1, 1, 50.0), ("quiet", 0, 0, 0, 0, None)]
