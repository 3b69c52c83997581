"""Incremental runs with inputs in any order give the same rows as a run from scratch."""

import json

import pytest

from tests.index_histories import TABLES, History, rows_in_delta, rows_of
from tests.sampling import rounds, sample

STEPS = rounds(4, 7)


@pytest.mark.parametrize("seed", sample(range(24), 1, "histories"))
def test_every_step_of_a_history_gives_the_tables_of_a_run_from_the_beginning(seed, small, index, tmp_path):
    history, out = History(seed, tmp_path / "in"), tmp_path / "out"
    said = []
    for number in range(STEPS):
        said.append(history.step())
        outcome = index(history.folder, out)
        fresh = tmp_path / f"fresh-{number}"
        expected = index(history.folder, fresh)
        found, whole = rows_of(out), rows_of(fresh)
        for name in TABLES:
            assert found[name] == whole[name], (name, said)
        assert rows_in_delta(out, outcome.versions) == found, said
        assert outcome.summary == expected.summary, said
        assert outcome.notes == expected.notes, said
        assert json.loads((out / "summary.json").read_text()) == outcome.summary
