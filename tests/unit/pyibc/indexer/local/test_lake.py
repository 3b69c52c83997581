"""DuckDB respects its memory limit and spills to the disk; errors of delta-rs have their causes."""

import subprocess
import sys

import pytest

LIMIT = "SELECT current_setting('memory_limit') AS found"
MIB = 1 << 20


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Open a database with a memory limit."""
    duckdb_sql = pytest.importorskip("pyibc.indexer.local.lake", reason="DuckDB is not installed")

    def go(memory):
        monkeypatch.setattr(duckdb_sql, "MEMORY", memory)
        return duckdb_sql.connect(tmp_path / "scratch")

    return go


def limit(base):
    return base.execute(LIMIT).fetchall()


def test_memory_is_what_it_is_given(opened):
    assert limit(opened(300 * MIB)) == [("300.0 MiB",)]


def test_a_machine_with_less_memory_keeps_its_own_limit(opened):
    assert limit(opened(1 << 60)) == limit(opened(1 << 61)) != limit(opened(300 * MIB))


def test_what_needs_more_goes_to_the_disk(opened, tmp_path):
    base = opened(60 * MIB)
    base.execute("CREATE TEMP TABLE rows AS SELECT hash(i) AS a, hash(i + 1) FROM range(5000000) AS t(i)")
    assert list((tmp_path / "scratch").iterdir())
    assert base.execute("SELECT count(*) FROM rows").fetchall() == [(5_000_000,)]


KERNEL = """
import sys, types
shell, display = (types.ModuleType(name) for name in ("IPython", "IPython.display"))
sys.modules |= {"IPython": shell, "IPython.display": display}
shell.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
shell.display, shell.version_info = display, (9, 0)
display.display = print
"""
"""What DuckDB knows a kernel of Jupyter by."""


@pytest.mark.parametrize("kernel", ["", KERNEL], ids=["python", "jupyter"])
def test_nothing_is_drawn_on_the_output_of_a_program_that_is_no_file(tmp_path, kernel):
    """DuckDB considers `python -c` and embedded Python interactive; in Jupyter it would need ipywidgets."""
    told = "SELECT current_setting('enable_progress_bar') AS found"
    code = kernel + (
        "from pathlib import Path; from pyibc.indexer.local.lake import connect; "
        f"print(connect(Path({str(tmp_path)!r})).execute({told!r}).fetchall())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[(False,)]\n"


@pytest.mark.parametrize("parts", [(), ("part",)])
def test_files_that_no_version_needs_are_removed_with_their_checksums_and_no_others(tmp_path, parts):
    pytest.importorskip("deltalake", reason="delta-rs is not installed")
    from deltalake import DeltaTable

    from pyibc.indexer.local.lake import LocalLake
    from pyibc.indexer.pipeline.lake import Column, Table

    columns = (Column("part", "int"), Column("number", "bigint"))
    old = Table("gold/old", "", columns, partitioned_by=parts, retention="0 hours")
    kept = old._replace(name="gold/kept", retention="7 days")
    lake = LocalLake(tmp_path)
    lake.prepare([old, kept])
    for number in range(3):
        for table in (old, kept):
            lake.append(table, f"SELECT 7 AS part, {number} AS number", "w", number)
    lake.check([old, kept])
    lake.maintain(kept)
    lake.maintain(old)
    lake.check([old, kept])
    lake.maintain(old)  # nothing is left to do
    for table, number in ((old, 1), (kept, 4)):
        files = {path.name for path in (tmp_path / table.name).rglob("*part-*")}
        data = {name for name in files if name.endswith(".parquet")}
        assert (len(data), files) == (number, data | {f".{name}.crc" for name in data})
        assert lake.rows(f"SELECT number FROM {lake.at(table)} ORDER BY number") == [(0,), (1,), (2,)]
    before = DeltaTable(str(tmp_path / kept.name), version=2)
    assert before.to_pyarrow_table().column("number").to_pylist() in ([0, 1], [1, 0])


FULL_DISK = (
    "Generic LocalFileSystem error\n          \x1b[31m↳\x1b[0m Unable to copy data to file\n"
    "           \x1b[31m↳\x1b[0m No space left on device (os error 28)\n"
)


def test_an_error_of_delta_rs_is_told_with_its_causes():
    lake = pytest.importorskip("pyibc.indexer.local.lake", reason="DuckDB is not installed")
    with pytest.raises(lake.EngineFailed) as raised, lake.failing("delta-rs"):
        raise lake.DeltaError(FULL_DISK)
    assert str(raised.value) == (
        "delta-rs: Generic LocalFileSystem error: Unable to copy data to file:"
        " No space left on device (os error 28)"
    )


def test_an_error_of_delta_rs_has_no_values_of_its_types():
    lake = pytest.importorskip("pyibc.indexer.local.lake", reason="DuckDB is not installed")
    with pytest.raises(lake.EngineFailed) as raised, lake.failing("delta-rs", "gold/packets"):
        raise lake.DeltaError(f"Kernel error: found gap: Parsed {{ location: Meta {{ {'x' * 999} }} }}")
    assert raised.value.reason == "gold/packets: Kernel error: found gap"
    with pytest.raises(lake.EngineFailed) as raised, lake.failing("delta-rs"):
        raise lake.DeltaError("x" * 999)
    assert raised.value.reason == "x" * 300
