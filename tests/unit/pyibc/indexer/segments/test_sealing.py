import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pyibc.indexer import problems
from pyibc.indexer.coverage import Coverage, Heights
from pyibc.indexer.errors import SealingFailed
from pyibc.indexer.known import known_of
from pyibc.indexer.lineage.incarnations import notes_of
from pyibc.indexer.lines import encode_line
from pyibc.indexer.segments import worker
from pyibc.indexer.segments.sealing import Task, seal_all, seal_here, seal_one
from tests.damaged_exports import with_other_json


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
    return [height for height, _ in packets(sealed)]


def packets(sealed):
    """Height and sequence of each packet event."""
    tables = [pq.read_table(file) for one in sealed.segments if (file := one.file("events"))]
    return [(row["height"], row["sequence"]) for table in tables for row in table.to_pylist()]


def problems_of(sealed):
    """Reasons why lines were not used."""
    told = [*sealed.skipped, *(each for one in sealed.segments for each in one.manifest.problems)]
    return [problem.reason for problem in told]


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


@pytest.mark.parametrize("changed", [{"block_events": (("x", ()),)}, {"time_ns": 5}], ids=["events", "time"])
def test_of_two_contents_for_a_height_in_one_file_the_first_counts(
    seal, tmp_path, block, packet_event, changed
):
    one = block(packet_event("send_packet", 1), height=3)
    lines = [encode_line(each) for each in (one, one, one._replace(**changed))]
    (tmp_path / "a").write_bytes(b"".join(lines))
    sealed = seal(tmp_path / "a")
    assert heights(sealed) == [3]
    assert problems_of(sealed) == [
        f"line at byte {len(lines[0] + lines[1])}: a-1 3 differs from an earlier record"
    ]


@pytest.mark.parametrize("part_first", [True, False], ids=["part first", "whole first"])
@pytest.mark.parametrize("files", [1, 2])
def test_a_whole_block_counts_and_no_part_of_it(seal, tmp_path, block, packet_event, files, part_first):
    parts = [block(packet_event("send_packet", 9), height=height, partial=True) for height in (2, 3)]
    order = [parts, [block(packet_event("send_packet", 2), height=2)]][:: 1 if part_first else -1]
    for number, blocks in enumerate(order):
        with (tmp_path / f"{number % files}").open("ab") as file:
            file.write(b"".join(map(encode_line, blocks)))
    sealed = seal(*(tmp_path / f"{number}" for number in range(files)))
    assert sorted(packets(sealed)) == [(2, 2), (3, 9)]
    assert problems_of(sealed) == []
    known = known_of([segment.manifest for segment in sealed.segments], sealed.chains).coverage["a-1"]
    assert (known.full, known.part, known.gaps) == (Heights.of([2]), Heights.of([3]), Heights.of([3]))


@pytest.mark.parametrize("copies", [1, 0])
def test_h114_a_good_copy_counts_behind_one_whose_json_is_no_block(seal, write, copies):
    path = write("a", 1, 2, 3)
    one, two, three = path.read_bytes().splitlines(keepends=True)
    bad = with_other_json(two)
    path.write_bytes(one + bad + bad + two * copies + three)
    sealed = seal(path)
    offsets = [len(one), len(one + bad)]
    assert [problem.split(": ")[:2] for problem in problems_of(sealed)] == [
        [f"line at byte {offset}", "the JSON is not a block"] for offset in offsets
    ]
    known = known_of([sealed.segments[0].manifest], sealed.chains).coverage["a-1"]
    assert known.gaps == (Heights() if copies else Heights.of([2]))
    assert heights(sealed) == ([1, 2, 3] if copies else [1, 3])


def test_of_many_bad_lines_some_are_told_and_all_are_counted(seal, write, monkeypatch):
    monkeypatch.setattr(problems, "MAX_LISTED", 2)
    path = write("a", 1)
    end = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"pyibc1 junk\n" * 9)
    assert problems_of(seal(path)) == [
        f"line at byte {end}: the checksum does not match",
        f"line at byte {end + 12}: the checksum does not match",
        "7 more lines with problems",
    ]


ONE, TWO = "1" * 16, "2" * 16


def test_h93_incarnations_of_a_chain_are_kept_apart(seal, tmp_path, block, packet_event):
    for name, found, incarnation in (("1", (1, 2, 3), ONE), ("2", (1, 2), TWO), ("3", (7,), "")):
        told = {"incarnation": incarnation}
        lines = [encode_line(block(packet_event("send_packet", 1), height=h, **told)) for h in found]
        (tmp_path / name).write_bytes(b"".join(lines))
    sealed = seal(*(tmp_path / name for name in "123"))
    assert sorted(heights(sealed)) == [1, 1, 2, 2, 3, 7]
    known = known_of([segment.manifest for segment in sealed.segments], sealed.chains).coverage
    assert {chain: (each.incarnation, each.full.ranges) for chain, each in known.items()} == {
        "a-1": ("", ((7, 7),)),
        f"a-1@{ONE[:8]}": (ONE, ((1, 3),)),
        f"a-1@{TWO[:8]}": (TWO, ((1, 2),)),
    }
    assert problems_of(sealed) == []
    assert [note.reason for note in notes_of(sealed.chains)] == [
        f"a-1 was restarted from genesis: its incarnations are listed as a-1@{ONE[:8]}, a-1@{TWO[:8]}"
    ]


def test_lines_that_do_not_tell_their_incarnation_are_of_the_one_that_is_known(
    seal, write, block, packet_event
):
    path = write("a", 1)
    event = packet_event("send_packet", 2)
    path.write_bytes(encode_line(block(packet_event("send_packet", 1), height=1, incarnation=ONE)))
    with path.open("ab") as file:
        file.write(encode_line(block(event, height=2)))
    sealed = seal(path, write("b", 1))
    assert heights(sealed) == [1, 2]
    known = known_of([segment.manifest for segment in sealed.segments], sealed.chains).coverage
    assert known == {"a-1": Coverage(Heights.of([1, 2]), incarnation=ONE)}
    assert (problems_of(sealed), notes_of(sealed.chains)) == ([], [])


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
