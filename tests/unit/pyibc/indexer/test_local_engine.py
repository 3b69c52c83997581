"""DuckDB respects its memory limit and spills to the disk."""

import subprocess
import sys

import pytest

LIMIT = "SELECT current_setting('memory_limit') AS found"
MIB = 1 << 20


@pytest.fixture
def limit(monkeypatch, tmp_path):
    local_engine = pytest.importorskip("pyibc.indexer.local_engine", reason="DuckDB is not installed")

    def go(memory):
        monkeypatch.setattr(local_engine, "MEMORY", memory)
        ((found,),) = local_engine.here(0, tmp_path).rows(LIMIT)
        return found

    return go


def test_memory_is_what_it_is_given(limit):
    assert limit(300 * MIB) == "300.0 MiB"


def test_a_machine_with_less_memory_keeps_its_own_limit(limit):
    assert limit(1 << 60) == limit(1 << 61) != limit(300 * MIB)


def test_what_needs_more_goes_to_the_disk(monkeypatch, tmp_path):
    local_engine = pytest.importorskip("pyibc.indexer.local_engine", reason="DuckDB is not installed")

    monkeypatch.setattr(local_engine, "MEMORY", 60 * MIB)
    engine = local_engine.here(0, tmp_path / "scratch")
    engine.write(
        "SELECT hash(i) AS a, hash(i + 1) AS b FROM range(5000000) AS t(i) ORDER BY a", tmp_path / "out"
    )
    assert list((tmp_path / "scratch").iterdir())
    engine.files("sorted", (("a", "bigint"), ("b", "bigint")), [tmp_path / "out"])
    ((count,),) = engine.rows("SELECT count(*) AS n FROM sorted")
    assert count == 5_000_000


def test_nothing_is_drawn_on_the_output_of_a_program_that_is_no_file(tmp_path):
    """DuckDB considers `python -c` and embedded Python interactive."""
    told = "SELECT current_setting('enable_progress_bar') AS found"
    code = (
        "from pathlib import Path; from pyibc.indexer.local_engine import here; "
        f"print([each.found for each in here(0, Path({str(tmp_path)!r})).rows({told!r})])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[False]\n"
