import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ibc_indexer.errors import ExportConflict
from ibc_indexer.export import BlockExporter, segment_name
from ibc_indexer.lines import decode_line
from ibc_indexer.scan import scan_paths


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
        (1, "a-1", [], "passed before"),
        (3, "b-1", [], "the folder holds a-1"),
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
    with pytest.raises(ExportConflict, match="somebody else writes") as refused:
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
    assert scan_paths([tmp_path]).skipped == []


_WRITER = """
import sys
from pathlib import Path
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_indexer.export import BlockExporter
with BlockExporter(Path(sys.argv[1]), blocks_per_file=50) as exporter:
    height = exporter.last_height
    while True:
        height += 1
        txs = tuple(TxOutcome(b"t" * 400, 0, "", (("e", (("k", "v" * 300),)),), 1, 1) for _ in range(5))
        exporter.write(CommittedBlock("a-1", height, height, b"h" * 32, txs, ()))
"""


@pytest.mark.slow
def test_killed_at_any_moment_no_height_is_lost_or_doubled(tmp_path):
    root = Path(__file__).parents[3]
    for delay in (0.35, 0.41, 0.47, 0.53):
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], cwd=root)
        time.sleep(delay)
        writer.kill()
        writer.wait()
    with BlockExporter(tmp_path, blocks_per_file=50) as exporter:
        last = exporter.last_height
    found = scan_paths([tmp_path])
    assert found.skipped == []
    assert heights(tmp_path) == list(range(1, last + 1))
    assert last > 0
