"""The notebook: every cell runs, on chains of the test kit; nothing of a run is kept in it."""

import json
import re
from pathlib import Path

import pytest

from tests.exported_chains import Chains

NOTEBOOK = Path(__file__).parents[3] / "docs" / "indexer.ipynb"
TUTORIAL = NOTEBOOK.parent / "tutorials" / "index-in-a-notebook.md"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.fixture
def exports(tmp_path, monkeypatch):
    """Thirty packets that are done, and one that is stuck."""
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    chains = Chains(tmp_path / "exports")
    for sequence in range(1, 31):
        chains.relay(sequence, sequence)
    chains.event("a-1", 20, "send_packet", 31, until=21 * 10**9)
    return chains.write()


def test_every_cell_runs(exports):
    names = {}
    for number, cell in enumerate(CELLS):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert names["states"] == {"succeeded": 30, "stuck": 1}
    assert names["stuck"]["sequence"].tolist() == [31]
    assert names["latency"].tolist() == [3.0, 3.0]
    assert names["flows"]["delivered"].tolist() == [30]
    assert names["per_day"]["len"].to_list() == [31]
    assert names["longest"].max() == 1


def test_the_cells_of_the_tutorial_run(exports, tmp_path):
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks):
        text = re.sub(r"^folders = .*$", f"folders = [{str(exports)!r}]", block, flags=re.MULTILINE)
        exec(compile(text, f"cell {number}", "exec"), names)
    assert names["states"] == {"succeeded": 30, "stuck": 1}
    assert len(names["transfers"]) > 0


def test_no_output_is_kept():
    assert len(CELLS) >= 8
    for cell in CELLS:
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
