"""The notebook: a run of its cells gives the outputs that it shows, and those of the test kit's chains."""

import ast
import json
import re
from pathlib import Path

import pytest

from tests.exported_chains import Chains

NOTEBOOK = Path(__file__).parents[3] / "docs" / "indexer.ipynb"
TUTORIAL = NOTEBOOK.parent / "tutorials" / "index-in-a-notebook.md"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
JUPYTER = ("display.max_columns", 20, "display.width", 80)
"""Settings of pandas in a notebook."""


def ran(names):
    """Run the cells with these names; return what each shows, by type."""
    return [
        _shown(_value("".join(cell["source"]), f"cell {number}", names)) for number, cell in enumerate(CELLS)
    ]


def _value(source, where, names):
    """The value of a cell's last expression; without one, None, as of a statement in Python."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return None if last is None else eval(compile(last, where, "eval"), names)


def _shown(value):
    if value is None:
        return {}
    page = {"text/html": value._repr_html_()} if hasattr(value, "_repr_html_") else {}
    return {"text/plain": repr(value)} | page


@pytest.fixture
def pandas(tmp_path, monkeypatch):
    """pandas as in a notebook, in an empty folder."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    with pandas.option_context(*JUPYTER):
        yield pandas


@pytest.fixture
def exports(pandas, tmp_path):
    """Thirty packets that are done, and one that is stuck."""
    chains = Chains(tmp_path / "demo" / "export")
    for sequence in range(1, 31):
        chains.relay(sequence, sequence)
    chains.event("a-1", 20, "send_packet", 31, until=21 * 10**9)
    return chains.write()


def test_every_cell_runs(exports):
    names = {}
    ran(names)
    assert names["states"] == {"succeeded": 30, "stuck": 1}
    assert names["waiting"][["sequence", "state"]].to_numpy().tolist() == [[31, "stuck"]]
    assert names["latency"].tolist() == [3.0, 3.0]
    assert names["flows"]["delivered"].tolist() == [30]
    assert names["per_day"]["len"].to_list() == [31]
    assert names["hops"].to_dict() == {1: 31}


def test_the_cells_of_the_tutorial_run(exports):
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks):
        text = re.sub(r"^folders = .*$", f"folders = [{str(exports)!r}]", block, flags=re.MULTILINE)
        exec(compile(text, f"cell {number}", "exec"), names)
    assert names["states"] == {"succeeded": 30, "stuck": 1}
    assert len(names["transfers"]) > 0


def test_the_cells_were_run_in_their_order():
    assert len(CELLS) >= 8
    assert [cell["execution_count"] for cell in CELLS] == list(range(1, len(CELLS) + 1))
    for number, cell in enumerate(CELLS, 1):
        shows = isinstance(ast.parse("".join(cell["source"])).body[-1], ast.Expr)
        found = [(output["output_type"], output["execution_count"]) for output in cell["outputs"]]
        assert found == [("execute_result", number)] * shows


def test_the_outputs_are_those_of_the_demo(pandas, tmp_path):
    from localnet.demo import scenario

    scenario.run(tmp_path / "demo", 300, lambda _: None, lambda _: None)
    kept = [
        {kind: "".join(text) for output in cell["outputs"] for kind, text in output["data"].items()}
        for cell in CELLS
    ]
    assert ran({}) == kept
