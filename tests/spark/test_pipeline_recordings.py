"""Recordings of nodes and the user's names of chains as inputs of the pipeline."""

import gzip
import json

import pytest

from pyibc.indexer.pipeline.report import open_views, write_report_of
from tests.pipeline_runs import EACH_ENGINE
from tests.recorded_answers import header, results


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@EACH_ENGINE
def test_recordings_and_names_among_the_inputs_are_in_the_tables(engine, folder, tmp_path):
    (folder / "header.json").write_text(json.dumps(header(7)))
    (folder / "odd.txt").write_text("hello")
    (folder / "unnamed.json.gz").write_bytes(gzip.compress(json.dumps(results(9, 2)).encode()))
    assert engine.ran(folder, tmp_path / "out") == 1
    (folder / "results.json").write_text(json.dumps(results(7, 1)))
    assert engine.ran(folder, tmp_path / "out") == 1
    assert engine.ran(folder, tmp_path / "out") == 0
    names = {"chain_registry": {"a-1": {"channel-0": "b-1"}}}
    (folder / "names.json").write_text(json.dumps(names))
    engine.ran(folder, tmp_path / "out")
    lake = engine.lake(tmp_path / "out")
    found = write_report_of(lake)
    rows = lake.rows("SELECT src_chain, dst_chain, sequence, send_height FROM packets ORDER BY sequence")
    assert [tuple(row) for row in rows] == [("a-1", "b-1", 1, 7), ("unknown", None, 2, 9)]
    assert [(entry["file"], entry["reason"].partition(":")[0]) for entry in found.summary["skipped"]] == [
        (str(folder / "odd.txt"), "is not JSON")
    ]
    (note, *_) = found.notes
    assert (note.file, "'unknown'" in note.reason) == (str(folder / "unnamed.json.gz"), True)
    open_views(lake)
    rows = lake.rows("SELECT chain, height, whole FROM blocks ORDER BY chain")
    assert [tuple(row) for row in rows] == [("a-1", 7, True), ("unknown", 9, True)]
