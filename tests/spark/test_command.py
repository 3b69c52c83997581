import json
import sys

import pytest
from click.testing import CliRunner

from pyibc.cli.index import command


@pytest.fixture
def pyibc():
    return lambda *arguments: CliRunner().invoke(command, [str(a) for a in arguments])


def test_results_gaps_and_skipped_files_are_told_and_the_status_is_0(pyibc, chains, tmp_path):
    chains.relay(1, 1)
    chains.empty("a-1", 6)
    folder = chains.write(gaps=True)
    (folder / "notes.txt").write_text("hello")
    done = pyibc(folder, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "1 packets on 2 chains" in done.stdout
    assert "a-1: 3 heights are missing: 2-3, 5\n" in done.stdout
    assert f"skipped: {folder / 'notes.txt'}: is not JSON" in done.stderr
    assert "Traceback" not in done.output
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["chains"]["a-1"]["acknowledged"] == 1


def test_nothing_readable_is_status_2_with_the_reason(pyibc, tmp_path):
    (tmp_path / "cut.json").write_text('{"jsonrpc":"2.0","result":{"height":"1","txs_res')
    done = pyibc(tmp_path / "cut.json", "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert f"Error: no blocks or packets can be read from {tmp_path}/cut.json: `pyibc export`" in done.stderr
    (entry,) = json.loads((tmp_path / "out" / "summary.json").read_text())["skipped"]
    assert "is not JSON" in entry["reason"]


@pytest.mark.parametrize("url", ["hdfs://host/x", "dbfs:/x", "abfss://container@account/x"])
def test_results_elsewhere_are_for_spark_and_no_folder_is_called_so(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, [".", "--out", url])
    assert done.exit_code == 2
    assert f"--out: {url} is not a folder on this machine: only Spark writes to it" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_results_is_named_by_spark(spark, tmp_path):
    from pyibc.indexer import result_views, write_results
    from pyibc.indexer.errors import NoResults

    for use in (lambda: result_views(spark, tmp_path / "none"), lambda: write_results(tmp_path, spark=spark)):
        with pytest.raises(NoResults, match="run `pyibc index INPUT --out"):
            use()
    assert list(tmp_path.iterdir()) == []


def test_without_pyspark_the_command_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyibc.indexer.job", None)
    done = CliRunner().invoke(command, [str(tmp_path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert "pyibc[indexer]" in done.stderr
