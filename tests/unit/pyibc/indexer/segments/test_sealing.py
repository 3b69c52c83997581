import os
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pyarrow.parquet as pq
import pytest

from pyibc.indexer.errors import SealingFailed
from pyibc.indexer.lines import encode_line
from pyibc.indexer.segments import worker
from pyibc.indexer.segments.sealing import Task, seal_all, seal_here, seal_one


class Sealer:
    """Sealing into one folder, with a record of the sealed files."""

    def __init__(self, folder):
        self.folder = folder
        self.done = []

    def run(self, tasks):
        self.done += [Path(task.path).name for task in tasks]
        return seal_here(tasks)

    def __call__(self, *files):
        sealed = seal_all(files, (), self.folder, self.run)
        sealed.sweep()
        return sealed


@pytest.fixture
def seal(tmp_path):
    return Sealer(tmp_path / "segments")


@pytest.fixture
def write(tmp_path, block, packet_event):
    def make(name, *heights, kind="send_packet"):
        path = tmp_path / name
        lines = [encode_line(block(packet_event(kind, height), height=height)) for height in heights]
        path.write_bytes(b"".join(lines))
        return path

    return make


def heights(sealed):
    tables = [pq.read_table(file) for one in sealed.segments if (file := one.file("events"))]
    return [height for table in tables for height in table["height"].to_pylist()]


def test_a_file_is_sealed_once(seal, write):
    path = write("a", 1, 2, 3)
    first, again = seal(path), seal(path)
    assert seal.done == ["a"]
    assert heights(first) == heights(again) == [1, 2, 3]
    (manifest,) = [segment.manifest for segment in again.segments]
    assert (manifest.rows, manifest.counts, manifest.chains["a-1"].known) == (
        3,
        {"send_packet": 3},
        ((1, 3),),
    )
    assert [end.events for end in manifest.ends] == [3]


def test_a_file_that_was_changed_is_sealed_again_and_one_that_was_touched_is_not(seal, write):
    path = write("a", 1, 2)
    seal(path)
    os.utime(path, ns=(5, 5))
    seal(path)
    assert seal.done == ["a"]
    os.utime(write("a", 1, 3), ns=(5, 5))
    assert heights(seal(path)) == [1, 3]
    with path.open("ab") as file:
        file.write(write("more", 4).read_bytes())
    assert heights(seal(path)) == [1, 3, 4]
    assert seal.done == ["a"] * 3


@pytest.mark.parametrize("keep", [None, slice(-9), slice(0)])
@pytest.mark.parametrize("lost", [".manifest", ".events.parquet", ".blocks.parquet"])
def test_what_a_kill_left_is_done_again_and_its_rest_removed(seal, write, lost, keep):
    path = write("a", 1, 2)
    seal(path)
    (gone,) = [file for file in seal.folder.iterdir() if file.name.endswith(lost)]
    if keep is None:
        gone.unlink()
    else:
        gone.write_bytes(gone.read_bytes()[keep])
    (seal.folder / "0.events.parquet").write_bytes(b"PAR1 half")
    assert heights(seal(path)) == [1, 2]
    assert seal.done == ["a", "a"]
    assert not (seal.folder / "0.events.parquet").exists()
    assert len({file.name.partition(".")[0] for file in seal.folder.glob("*.parquet")}) == 1


def test_what_another_version_sealed_is_sealed_again(seal, write):
    path = write("a", 1, 2)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("manifest", "lines"):
            patch.setattr(f"pyibc.indexer.segments.{module}.VERSION", 0)
        seal(path)
    assert heights(seal(path)) == [1, 2]
    assert seal.done == ["a", "a"]


def test_a_process_killed_while_it_seals_leaves_work_to_do_again(seal, write, tmp_path):
    path = write("a", *range(1, 400))
    code = (
        "import os, sys\n"
        "from pyibc.indexer.segments import sealing\n"
        "sealing.write_manifest = lambda *a: os.kill(os.getpid(), 9)\n"
        "from pathlib import Path\n"
        "sealing.seal_all([Path(sys.argv[1])], [], Path(sys.argv[2]), sealing.seal_here)\n"
    )
    command = [sys.executable, "-c", code, str(path), str(seal.folder)]
    assert subprocess.run(command, check=False).returncode == -9
    assert any(file.name.endswith(".events.parquet") for file in seal.folder.iterdir())
    assert heights(seal(path)) == list(range(1, 400))
    assert len(list(seal.folder.glob("*.events.parquet"))) == 1


def test_inputs_of_another_run_leave_the_folder(seal, write):
    one, two = write("a", 1), write("b", 2)
    seal(one, two)
    assert heights(seal(two)) == [2]
    assert len(list(seal.folder.glob("*.manifest"))) == 1


def test_a_height_in_two_files_counts_once_and_what_contradicts_is_named(seal, write):
    one, two = write("a", 1, 2, 3), write("b", 2, 3, 4)
    both = seal(one, two)
    assert heights(both) == [1, 2, 3, 4]
    assert both.skipped == []
    assert heights(seal(two, one)) == [2, 3, 4, 1]
    other = write("c", 3, 5, kind="recv_packet")
    mixed = seal(one, other)
    assert heights(mixed) == [1, 2, 3, 5]
    (entry,) = mixed.skipped
    assert entry.file == str(other)
    assert entry.reason == "line at byte 0: a-1 3 differs from an earlier record"
    assert sum(segment.manifest.counts.get("recv_packet", 0) for segment in mixed.segments) == 1


def test_a_good_copy_counts_behind_one_whose_json_is_no_block(seal, write):
    path = write("a", 1, 2)
    good = path.read_bytes().splitlines(keepends=True)
    rest = good[1].split(b" ", 2)[2].replace(b'"txs":[', b'"txs":7,"x":[')
    path.write_bytes(good[0] + b"pyibc1 %08x %s" % (crc32(rest[:-1]), rest) + good[1])
    sealed = seal(path)
    (segment,) = sealed.segments
    assert [problem.reason.split(": ")[0] for problem in segment.manifest.problems] == [
        f"line at byte {len(good[0])}"
    ]
    assert segment.manifest.chains["a-1"].coverage.gaps.ranges == ()
    assert heights(sealed) == [1, 2]


def test_a_file_that_is_gone_is_skipped_with_a_reason(seal, tmp_path):
    sealed = seal(tmp_path / "gone")
    assert sealed.segments == []
    assert [tuple(entry) for entry in sealed.skipped] == [
        (str(tmp_path / "gone"), "cannot be sealed: No such file or directory")
    ]


def test_processes_seal_what_one_seals(seal, write, tmp_path, monkeypatch):
    files = [write(name, *range(start, start + 50)) for name, start in (("a", 1), ("b", 51), ("c", 101))]
    expected = seal(*files)
    monkeypatch.setattr(worker, "SMALL", 0)
    monkeypatch.setattr(worker.os, "sched_getaffinity", lambda _: {0, 1})
    found = seal_all(files, (), tmp_path / "others", worker.seal_in_processes)
    assert heights(found) == heights(expected) == list(range(1, 151))
    told = [[(one.manifest.counts, one.manifest.ends) for one in run.segments] for run in (found, expected)]
    assert told[0] == told[1]


def test_a_process_that_ends_early_is_told(write, tmp_path, monkeypatch):
    monkeypatch.setattr(worker.sys, "executable", "/bin/false")
    task = Task(str(write("a", 1)), str(tmp_path), blocks=True, stem="one")
    with worker._Workers() as workers, workers._here, pytest.raises(SealingFailed) as failed:
        workers.seal(task)
    assert (failed.value.file, failed.value.reason) == (task.path, "the process ended with status 1")


def test_a_full_disk_is_a_reason(write, tmp_path):
    task = Task(str(write("a", 1)), str(tmp_path / "no folder"), blocks=True, stem="one")
    assert seal_one(task).startswith("cannot be sealed: ")
