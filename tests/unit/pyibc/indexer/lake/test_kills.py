"""A run that is killed at any point leaves the tables of the previous run; the next run repairs."""

import json
import shutil
import subprocess
import sys

import pytest

from pyibc.indexer.lake.state import table_files
from pyibc.installation import ROOT
from tests.index_histories import TABLES, History, rows_in_delta, rows_of

PROGRAM = """
import os, sys
from pathlib import Path
left, folder, out = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.truncate", "shutil.rmtree", "open"}
seen, AFTER = 0, -2
def count(event, args):
    global seen, left
    if event in CHANGES and str(args[0]).startswith(str(out)):
        if event == "open" and not (args[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        seen += 1
        if seen == left:
            os.kill(os.getpid(), 9)
        if event == "os.rename" and str(args[0]).endswith(".tables.json.new") and left < 0:
            left = seen + 1 if left == AFTER else os.kill(os.getpid(), 9)
from pyibc.indexer import job
from pyibc.indexer.lake import making
from pyibc.indexer.local_engine import here
from pyibc.indexer.segments import merging
merging.SMALL, merging.MANY = 60, 3
job.write_report = lambda *_, **__: "page"
commit = making.commit
def committed(*args):
    version = commit(*args)
    count("os.rename", [str(out)])
    return version
making.commit = committed
sys.addaudithook(count)
job.index(here, [folder], out)
print(seen)
"""


BEFORE, AFTER = -1, -2  # the changes around the commit of a run


def versions(out):
    """Return the consistent versions of the tables, after a check that all their files exist."""
    state = json.loads((out / "tables.json").read_text())["state"]
    for files in [*(one["files"] for one in (*state["parts"], *state["chunks"])), state["whole"]]:
        assert all((out / table / file["name"]).is_file() for table in files for file in files[table])
    return state["tables"]


@pytest.fixture(scope="module")
def story(index, tmp_path_factory):
    """Inputs, the results of an earlier run, and the rows of a run from scratch."""
    root = tmp_path_factory.mktemp("story")
    history = History(5, root / "in")
    for _ in range(3):
        history.append()
    assert killed(0, history.folder, root / "before") > 30
    history.append()
    history.add()
    whole = root / "whole"
    index(history.folder, whole)
    copy = root / "count"
    shutil.copytree(root / "before", copy)
    return history.folder, root / "before", rows_of(whole), killed(0, history.folder, copy)


def killed(left, folder, out):
    """Run the index and kill it before its `left`th change of `out`; return their number if it completed."""
    program = [sys.executable, "-c", PROGRAM, str(left), str(folder), str(out)]
    done = subprocess.run(
        program, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == (-9 if left else 0)
    return int(done.stdout or 0)


def check(lefts, story, index, tmp_path):
    """Kill runs before their changes `lefts`, each in its own folder; check the remains; repair them."""
    folder, before, expected, _ = story
    old = rows_in_delta(before, versions(before))
    for left in lefts:
        out = tmp_path / str(left)
        shutil.copytree(before, out)
        killed(left, folder, out)
        found = rows_in_delta(out, versions(out))
        assert found in {BEFORE: (old,), AFTER: (expected,)}.get(left, (old, expected)), left
        outcome = index(folder, out)
        assert rows_of(out) == rows_in_delta(out, outcome.versions) == expected, left
        parquet = {path.name for name in TABLES for path in (out / name).glob("*.parquet")}
        assert parquet == {path.name for name in TABLES for path in table_files(out, name)}


def test_h110_a_run_killed_at_some_places_leaves_what_was_and_the_next_one_repairs(
    story, small, index, tmp_path
):
    changes = story[3]
    check((changes // 2, BEFORE, AFTER), story, index, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(8))
def test_h110_a_run_killed_anywhere_leaves_what_was_and_the_next_one_repairs(
    part, story, small, index, tmp_path
):
    check(range(1 + part, story[3] + 1, 8), story, index, tmp_path)
