import gzip
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter, segment_name
from pyibc.indexer.blocks.lines import decode_line, encode_line, parse_head
from pyibc.indexer.errors import ExportConflict
from tests.read_exports import read_export
from tests.sampling import sample
from tests.waiting import until


def heights(folder):
    return [
        int(line.split(b" ")[3])
        for path in sorted(folder.iterdir())
        for line in path.read_bytes().splitlines()
    ]


def test_each_block_is_one_line_of_the_file_of_its_range(tmp_path, committed):
    with BlockExporter(tmp_path, blocks_per_file=2) as exporter:
        assert all(exporter.write(committed(height)) for height in (1, 2, 3, 5))
    assert [path.name for path in sorted(tmp_path.iterdir())] == [segment_name(h, 2) for h in (1, 3, 5)]
    assert heights(tmp_path) == [1, 2, 3, 5]
    block = decode_line((tmp_path / segment_name(1, 2)).read_bytes().splitlines(keepends=True)[0])
    assert (block.chain_id, block.time_ns, block.app_hash) == ("a-1", 10**9, b"\xab" * 32)
    assert block.txs[0].raw == b"tx1"


def test_the_tip_written_again_changes_nothing(tmp_path, committed):
    with BlockExporter(tmp_path) as exporter:
        exporter.write(committed(1))
        assert exporter.write(committed(1)) is False
    with BlockExporter(tmp_path) as again:
        assert again.last_height == 1
        assert again.write(committed(1)) is False
        assert again.write(committed(2)) is True
    assert heights(tmp_path) == [1, 2]


@pytest.mark.parametrize(
    ("height", "chain", "events", "reason"),
    [
        (2, "a-1", [("other", ())], "other content"),
        (1, "a-1", [("other", ())], "restarted from genesis"),
        (3, "b-1", [], "the folder contains a-1"),
    ],
)
def test_another_history_is_refused_and_changes_nothing(tmp_path, committed, height, chain, events, reason):
    with BlockExporter(tmp_path) as exporter:
        exporter.write(committed(1))
        exporter.write(committed(2))
        before = (tmp_path / segment_name(1)).read_bytes()
        with pytest.raises(ExportConflict, match=reason):
            exporter.write(committed(height, *events, chain=chain))
        assert exporter.write(committed(3)) is True
    assert (tmp_path / segment_name(1)).read_bytes().startswith(before)
    assert heights(tmp_path) == [1, 2, 3]


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed between"])
@pytest.mark.parametrize("first", [1, 2], ids=["one file", "the next file"])
def test_who_finds_that_somebody_else_writes_stops(tmp_path, committed, first, closed):
    one = BlockExporter(tmp_path, blocks_per_file=2)
    one.write(committed(first))
    if closed:
        one.close()
    with BlockExporter(tmp_path, blocks_per_file=2) as other:
        other.write(committed(first + 1))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ExportConflict, match="another process writes") as refused:
        one.write(committed(first + 1))
    assert refused.value.height == first + 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    with BlockExporter(tmp_path, blocks_per_file=2) as again:
        assert again.write(committed(first + 2)) is True
    one.close()


def test_a_torn_tail_is_cut_off_at_every_length(tmp_path, committed):
    with BlockExporter(tmp_path) as exporter:
        exporter.write(committed(1))
        whole = (tmp_path / segment_name(1)).stat().st_size
        exporter.write(committed(2))
    path = tmp_path / segment_name(1)
    both = path.read_bytes()
    for end in range(whole, len(both)):
        path.write_bytes(both[:end])
        with BlockExporter(tmp_path) as exporter:
            assert exporter.last_height == 1
            assert exporter.write(committed(2)) is True
        assert path.read_bytes() == both


def test_a_file_made_but_never_filled_is_passed_over(tmp_path, committed):
    with BlockExporter(tmp_path, blocks_per_file=1) as exporter:
        exporter.write(committed(1))
    (tmp_path / segment_name(2, 1)).touch()
    with BlockExporter(tmp_path, blocks_per_file=1) as exporter:
        assert exporter.last_height == 1


def test_a_full_disk_leaves_no_half_line(tmp_path, committed, monkeypatch):
    real = os.write
    with BlockExporter(tmp_path) as exporter:
        exporter.write(committed(1))

        def half(file, data):
            if len(data) > 50:
                return real(file, data[:50])
            raise OSError(28, "No space left on device")

        calls = iter([half, None])

        def write(file, data):
            step = next(calls)
            if step is None:
                raise OSError(28, "No space left on device")
            return step(file, data)

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(OSError, match="No space"):
            exporter.write(committed(2))
        monkeypatch.setattr(os, "write", real)
        assert exporter.write(committed(2)) is True
    assert heights(tmp_path) == [1, 2]
    assert read_export(tmp_path).heights == Heights.of([1, 2])


@pytest.mark.parametrize("order", list(itertools.permutations([1, 2, 3, 10])), ids=str)
def test_heights_come_in_any_order(tmp_path, committed, order):
    with BlockExporter(tmp_path, blocks_per_file=4) as exporter:
        assert [exporter.write(committed(height)) for height in order] == [True] * 4
        assert exporter.heights == Heights.of(order)
        assert exporter.last_height == 10
        assert [exporter.write(committed(height)) for height in order] == [False] * 4
    with BlockExporter(tmp_path, blocks_per_file=4) as again:
        assert again.heights == Heights.of(order)
        assert again.heights.gaps().ranges == ((4, 9),)
        assert again.write(committed(4)) is True
        assert again.write(committed(3)) is False
    assert sorted(heights(tmp_path)) == [1, 2, 3, 4, 10]
    assert read_export(tmp_path).heights == Heights(((1, 4), (10, 10)))


def test_a_torn_line_in_an_earlier_file_is_cut_before_its_gap_is_filled(tmp_path, committed):
    with BlockExporter(tmp_path, blocks_per_file=2) as exporter:
        for height in (1, 2, 3):
            exporter.write(committed(height))
    path = tmp_path / segment_name(1, 2)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with BlockExporter(tmp_path, blocks_per_file=2) as exporter:
        assert exporter.heights == Heights.of([1, 3])
        assert path.read_bytes() == whole[:-5]  # nothing was written yet
        assert exporter.write(committed(2)) is True
    assert path.read_bytes() == whole


def test_a_damaged_line_stays_where_it_is_and_its_height_is_written_again(tmp_path, committed):
    with BlockExporter(tmp_path) as exporter:
        for height in (1, 2, 3):
            exporter.write(committed(height))
    path = tmp_path / segment_name(1)
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = [lines[0], lines[1].replace(b"tx", b"tX", 1), lines[2].replace(b"tx", b"tX", 1)]
    path.write_bytes(b"".join(damaged))
    with BlockExporter(tmp_path) as exporter:
        assert exporter.heights == Heights.of([1])
        assert [exporter.write(committed(height)) for height in (1, 2, 3)] == [False, True, True]
    assert path.read_bytes() == b"".join([*damaged, *lines[1:]])


def test_lines_tell_the_incarnation_once_the_first_block_is_known(tmp_path, committed):
    with BlockExporter(tmp_path) as exporter:
        exporter.write(committed(2))
        assert exporter.incarnation == ""
        exporter.write(committed(1))
        exporter.write(committed(3))
        key = exporter.incarnation
    lines = (tmp_path / segment_name(1)).read_bytes().splitlines(keepends=True)
    assert [parse_head(line).incarnation for line in lines] == ["", key, key]
    assert len(key) == 16
    with BlockExporter(tmp_path) as again:
        assert again.incarnation == key
    assert read_export(tmp_path).incarnation == key


def test_h93_a_chain_started_anew_is_refused_and_changes_nothing(tmp_path, committed):
    with BlockExporter(tmp_path) as exporter:
        exporter.write(committed(1))
        before = (tmp_path / segment_name(1)).read_bytes()
    with BlockExporter(tmp_path) as exporter, pytest.raises(ExportConflict, match="restarted from genesis"):
        exporter.write(committed(1, ("other", ())))
    with (
        BlockExporter(tmp_path) as exporter,
        pytest.raises(ExportConflict, match="the chain is incarnation 0000000000000000"),
    ):
        exporter.identify("0" * 16)
    assert (tmp_path / segment_name(1)).read_bytes() == before


def test_the_incarnation_of_lines_that_do_not_tell_it_is_read_off_the_first(tmp_path, committed, block):
    with BlockExporter(tmp_path / "new") as exporter:
        exporter.write(committed(1))
        key = exporter.incarnation
    old = decode_line((tmp_path / "new" / segment_name(1)).read_bytes())._replace(incarnation="")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / segment_name(1)).write_bytes(encode_line(old))
    with BlockExporter(tmp_path / "old") as exporter:
        assert exporter.incarnation == key


def test_a_first_block_above_1(tmp_path, committed):
    with BlockExporter(tmp_path, first_height=5) as exporter:
        exporter.write(committed(5))
        assert exporter.incarnation != ""


def test_files_that_were_packed_since_count_as_they_are(tmp_path, committed):
    with BlockExporter(tmp_path, blocks_per_file=2) as exporter:
        for height in (1, 2, 3, 5):
            exporter.write(committed(height))
        key = exporter.incarnation
    for first in (1, 3, 5):
        path = tmp_path / segment_name(first, 2)
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    with BlockExporter(tmp_path, blocks_per_file=2) as exporter:
        assert (exporter.last_height, exporter.incarnation) == (5, key)
        assert exporter.heights == Heights.of([1, 2, 3, 5])
        assert [exporter.write(committed(height)) for height in (2, 3, 4, 5)] == [False, False, True, False]
        with pytest.raises(ExportConflict, match="other content"):
            exporter.write(committed(3, ("other", ())))
        assert exporter.block_at(3).height == 3
        assert exporter.block_at(6) is None
    assert [path.stat().st_size > 0 for path in sorted(tmp_path.glob("*.jsonl"))] == [False, True, False]
    assert read_export(tmp_path).heights == Heights.of(range(1, 6))


def test_the_last_height_is_the_highest_whatever_its_digits(tmp_path):
    with BlockExporter(tmp_path) as exporter:
        for height in (999_999_999_999, 10**12 + 5):
            exporter.write(CommittedBlock("a-1", height, 1, b"", (), ()))
    with BlockExporter(tmp_path) as exporter:
        assert exporter.last_height == 10**12 + 5


def test_a_file_that_was_removed_is_an_error_and_made_anew(tmp_path, committed):
    with BlockExporter(tmp_path / "out") as exporter:
        exporter.write(committed(1))
        (tmp_path / "out" / segment_name(1)).unlink()
        (tmp_path / "out").rmdir()
        with pytest.raises(OSError, match="removed"):
            exporter.write(committed(2))
        assert exporter.write(committed(2)) is True
        assert exporter.heights == Heights.of([2])
    assert heights(tmp_path / "out") == [2]


_WRITER = """
import sys
from pathlib import Path
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.export import BlockExporter
with BlockExporter(Path(sys.argv[1]), blocks_per_file=50) as exporter:
    height = exporter.last_height
    while True:
        height += 1
        txs = tuple(TxOutcome(b"t" * 400, 0, "", (("e", (("k", "v" * 300),)),), 1, 1) for _ in range(5))
        exporter.write(CommittedBlock("a-1", height, height, b"h" * 32, txs, ()))
"""


def written(folder):
    return sum(path.stat().st_size for path in folder.iterdir())


def test_killed_at_any_moment_no_height_is_lost_or_doubled(tmp_path):
    root = Path(__file__).parents[5]
    for delay in sample((0.01, 0.04, 0.09, 0.15), 2, "killed exporters"):
        before = written(tmp_path)
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], cwd=root)
        until(lambda before=before: written(tmp_path) > before)
        time.sleep(delay)
        writer.kill()
        writer.wait()
    with BlockExporter(tmp_path, blocks_per_file=50) as exporter:
        last = exporter.last_height + 1
        exporter.write(
            CommittedBlock("a-1", last, last, b"h" * 32, (), ())
        )  # over a line that a kill truncated
    assert read_export(tmp_path).heights == Heights(((1, last),))
    assert heights(tmp_path) == list(range(1, last + 1))
    assert last > 1
