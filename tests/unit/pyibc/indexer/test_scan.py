import gzip
import os
import random
from pathlib import Path
from zlib import crc32

import pytest

from pyibc.indexer import block_files
from pyibc.indexer import scan as scanning
from pyibc.indexer.block_files import Line, read_lines
from pyibc.indexer.coverage import Heights
from pyibc.indexer.lines import decode_line, encode_line
from pyibc.indexer.scan import scan, scan_paths


def write(path, *blocks):
    path.write_bytes(b"".join(encode_line(block) for block in blocks))
    return path


def lines_of(found):
    return [
        line.data for part in found.ranges for line in read_lines(Path(part.file), part.offset, part.length)
    ]


def test_whole_files_are_one_range_a_chain(tmp_path, block):
    path = write(tmp_path / "a.jsonl", *(block(height=h) for h in (1, 2, 3)), block(chain="b", height=9))
    found = scan([path])
    assert [(r.chain_id, r.first, r.last) for r in found.ranges] == [("a-1", 1, 3), ("b", 9, 9)]
    assert b"".join(lines_of(found)) == path.read_bytes()
    assert found.skipped == []


def test_a_copy_counts_once(tmp_path, block):
    one = write(tmp_path / "1.jsonl", block(height=1), block(height=2))
    two = write(tmp_path / "2.jsonl", block(height=2), block(height=3))
    found = scan([one, two])
    assert len(lines_of(found)) == 3
    assert found.skipped == []


def test_a_conflict_keeps_the_first_and_says_so(tmp_path, block):
    one = write(tmp_path / "1.jsonl", block(height=2))
    two = write(tmp_path / "2.jsonl", block(("x", ()), height=2))
    found = scan([one, two])
    assert lines_of(found) == one.read_bytes().splitlines(keepends=True)
    assert found.skipped[0].file == str(two)
    assert "a-1 2 differs from an earlier record" in found.skipped[0].reason


def test_a_part_of_a_block_that_is_there_whole_is_a_copy(tmp_path, block):
    one = write(tmp_path / "1.jsonl", block(height=2))
    two = write(tmp_path / "2.jsonl", block(("x", ()), height=2, partial=True))
    assert scan([one, two]).skipped == []
    assert len(lines_of(scan([one, two]))) == 1


def test_cut_and_damaged_lines_are_named_and_the_rest_is_read(tmp_path, block):
    path = write(tmp_path / "a.jsonl", *(block(height=h) for h in (1, 2, 3, 4)))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"AA", b"AB")
    lines[3] = lines[3][:40]
    path.write_bytes(b"".join(lines))
    found = scan([path])
    assert lines_of(found) == [lines[0], lines[2]]
    offsets = [len(lines[0]), len(b"".join(lines[:3]))]
    assert [entry.reason.split(":")[0] for entry in found.skipped] == [f"line at byte {o}" for o in offsets]
    assert "checksum" in found.skipped[0].reason
    assert "truncated or partially written" in found.skipped[1].reason


def test_folders_are_searched_to_any_depth(tmp_path, block):
    (tmp_path / "x" / "y").mkdir(parents=True)
    path = write(tmp_path / "x" / "y" / "blocks-1.jsonl", block())
    assert [r.file for r in scan_paths([tmp_path]).ranges] == [str(path)]


@pytest.mark.parametrize("name", ["blocks.txt", "blocks.jsonl.gz", "no-suffix", ".hidden"])
def test_h90_any_name_plain_or_packed_is_read_alike(tmp_path, block, name):
    data = b"".join(encode_line(block(height=h)) for h in range(1, 30))
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    found = scan_paths([tmp_path])
    assert b"".join(lines_of(found)) == data
    assert (found.skipped, found.coverage["a-1"].full) == ([], Heights(((1, 29),)))


def test_a_part_of_a_packed_file_is_read_by_its_place(tmp_path, block):
    lines = [encode_line(block(height=h, chain=f"c-{h}")) for h in (1, 2, 3)]
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"".join(lines)))
    ranges = scan_paths([tmp_path]).ranges
    assert [(r.chain_id, r.offset) for r in ranges] == [
        ("c-1", 0),
        ("c-2", len(lines[0])),
        ("c-3", 2 * len(lines[0])),
    ]
    assert [next(iter(read_lines(Path(r.file), r.offset, r.length))).data for r in ranges] == lines


def test_h90_a_packed_file_that_is_cut_keeps_its_whole_lines_and_says_what_lacks(tmp_path, block):
    random.seed(5)
    blocks = [block(height=h, raw=random.randbytes(3000)) for h in range(1, 40)]
    packed = gzip.compress(b"".join(map(encode_line, blocks)))
    (tmp_path / "x.gz").write_bytes(packed[: len(packed) // 2])
    found = scan_paths([tmp_path])
    kept = [decode_line(line) for line in lines_of(found)]
    assert 10 < len(kept) < 39
    assert kept == blocks[: len(kept)]
    (entry,) = found.skipped
    offset = sum(len(encode_line(one)) for one in kept)
    assert entry.reason.startswith(f"line at byte {offset}: the rest of the file cannot be decompressed")
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"".join(map(encode_line, blocks)))[:-4])
    assert scan_paths([tmp_path]).coverage["a-1"].full == Heights(((1, 39),))


def test_h90_what_is_no_file_of_lines_is_named(tmp_path, block):
    write(tmp_path / "good.jsonl", block())
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8bnonsense")
    (tmp_path / "blocks-000000000001.jsonl").touch()  # as if an exporter had ended before its first line
    found = scan_paths([tmp_path, tmp_path / "gone"])
    assert [(Path(e.file).name, e.reason) for e in found.skipped] == [
        ("broken.gz", "contains no block lines"),
        ("empty.jsonl", "contains no block lines"),
        ("notes.txt", "contains no block lines"),
        ("gone", "cannot be read: No such file or directory"),
    ]
    assert found.coverage["a-1"].full == Heights(((5, 5),))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path, block):
    path = write(tmp_path / "a.jsonl", block())
    path.chmod(0)
    assert [entry.reason for entry in scan_paths([path]).skipped] == ["cannot be read: Permission denied"]


def test_links_that_lead_nowhere_and_links_to_folders_are_named(tmp_path, block):
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere" / "a.jsonl", block())
    (tmp_path / "in" / "lost.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "linked.jsonl").symlink_to(tmp_path / "elsewhere" / "a.jsonl")
    os.mkfifo(tmp_path / "in" / "pipe")
    found = scan_paths([tmp_path / "in"])
    assert [(Path(e.file).name, e.reason) for e in found.skipped] == [
        ("folder", "cannot be read: Is a directory"),
        ("lost.jsonl", "cannot be read: No such file or directory"),
    ]
    assert [Path(r.file).name for r in found.ranges] == ["linked.jsonl"]


def test_a_folder_that_cannot_be_listed_is_named(tmp_path, block, monkeypatch):
    write(tmp_path / "a.jsonl", block())
    (tmp_path / "closed").mkdir()
    real = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert [Path(entry.file).name for entry in scan_paths([tmp_path]).skipped] == ["closed"]


def test_a_file_that_goes_away_is_named(tmp_path):
    assert list(read_lines(tmp_path / "gone")) == [
        Line(0, b"", "the rest of the file cannot be read: No such file or directory")
    ]


def test_h90_a_line_too_long_to_be_kept_is_named_and_the_next_is_read(tmp_path, block, monkeypatch):
    monkeypatch.setattr(block_files, "MAX_LINE", 400)
    one, two = encode_line(block(height=1)), encode_line(block(height=2))
    long = encode_line(block(height=3, raw=b"x" * 500))
    (tmp_path / "a.jsonl").write_bytes(one + long + two)
    found = scan_paths([tmp_path])
    assert lines_of(found) == [one, two]
    assert [e.reason for e in found.skipped] == [
        f"line at byte {len(one)}: the line is longer than 400 bytes"
    ]


def test_of_many_bad_lines_some_are_told_and_all_are_counted(tmp_path, block, monkeypatch):
    monkeypatch.setattr(scanning, "MAX_LISTED", 2)
    (tmp_path / "a.jsonl").write_bytes(encode_line(block()) + b"pyibc1 junk\n" * 9)
    assert [e.reason for e in scan_paths([tmp_path]).skipped][1:] == [
        f"line at byte {len(encode_line(block())) + 12}: the checksum does not match",
        "7 more lines with problems",
    ]


def test_h90_carriage_returns_end_no_line(tmp_path, block):
    head, body = encode_line(block(height=1)).split(b'{"chain_id"')
    rest = (head.split(b" ", 2)[2] + b'{\r"chain_id"' + body).rstrip(b"\n")
    line = b"pyibc1 %08x %s\n" % (crc32(rest), rest)
    (tmp_path / "a.jsonl").write_bytes(line)
    assert [decode_line(each) for each in lines_of(scan_paths([tmp_path]))] == [block(height=1)]


def test_a_whole_block_wins_over_a_part_that_was_read_before(tmp_path, block):
    write(tmp_path / "1.jsonl", block(("x", ()), height=2, partial=True), block(height=3, partial=True))
    two = write(tmp_path / "2.jsonl", block(height=2))
    found = scan_paths([tmp_path])
    assert lines_of(found)[1:] == two.read_bytes().splitlines(keepends=True)
    known = found.coverage["a-1"]
    assert (known.full, known.part, known.gaps) == (Heights.of([2]), Heights.of([3]), Heights.of([3]))


def test_gaps_are_what_lacks_between_the_first_and_the_last(tmp_path, block):
    write(tmp_path / "1.jsonl", *(block(height=h) for h in (9, 3, 4, 12, 11)))
    known = scan_paths([tmp_path]).coverage["a-1"]
    assert known.full.ranges == ((3, 4), (9, 9), (11, 12))
    assert known.gaps.ranges == ((5, 8), (10, 10))


ONE, TWO = "1" * 16, "2" * 16


def test_h93_incarnations_of_a_chain_are_kept_apart(tmp_path, block):
    write(tmp_path / "1.jsonl", *(block(height=h, incarnation=ONE) for h in (1, 2, 3)))
    write(tmp_path / "2.jsonl", *(block(("x", ()), height=h, incarnation=TWO) for h in (1, 2)))
    write(tmp_path / "3.jsonl", block(height=7))
    found = scan_paths([tmp_path])
    assert [(r.chain_id, r.first, r.last) for r in found.ranges] == [
        (f"a-1@{ONE[:8]}", 1, 3),
        (f"a-1@{TWO[:8]}", 1, 2),
        ("a-1", 7, 7),
    ]
    assert {chain: known.incarnation for chain, known in found.coverage.items()} == {
        "a-1": "",
        f"a-1@{ONE[:8]}": ONE,
        f"a-1@{TWO[:8]}": TWO,
    }
    assert found.skipped == []
    (note,) = found.notes
    assert note.reason == (
        f"a-1 was restarted from genesis: its incarnations are listed as a-1@{ONE[:8]}, a-1@{TWO[:8]}"
    )


def test_files_whose_block_times_contradict_each_other_are_of_two_chains(tmp_path, block):
    old, new = (
        [block(height=h)._replace(time_ns=start + h) for h in (1, 2, 3)] for start in (10**18, 17 * 10**17)
    )
    write(tmp_path / "1.jsonl", *old[:2])
    write(tmp_path / "2.jsonl", *new)
    write(tmp_path / "3.jsonl", *old[1:])
    found = scan_paths([tmp_path])
    assert [(Path(r.file).name, r.first, r.last) for r in found.ranges] == [
        ("1.jsonl", 1, 2),
        ("2.jsonl", 1, 3),
        ("3.jsonl", 3, 3),
    ]
    one, other, again = (r.chain_id for r in found.ranges)
    assert one == again != other
    assert {name.partition("@")[0] for name in (one, other)} == {"a-1"}
    assert (found.skipped, len(found.notes)) == ([], 1)


def test_lines_that_do_not_tell_their_incarnation_are_of_the_one_that_is_known(tmp_path, block):
    write(tmp_path / "1.jsonl", block(height=1, incarnation=ONE), block(height=2))
    write(tmp_path / "2.jsonl", block(height=1))
    found = scan_paths([tmp_path])
    assert [(r.chain_id, r.first, r.last) for r in found.ranges] == [("a-1", 1, 2)]
    assert found.coverage["a-1"].incarnation == ONE
    assert (found.skipped, found.notes) == ([], [])


def test_h114_of_a_height_the_first_line_counts_whose_json_is_a_block(tmp_path, block):
    good = encode_line(block(height=1))
    rest = good.split(b" ", 2)[2].replace(b'"txs":[', b'"txs":7,"x":[')
    bad = b"pyibc1 %08x %s" % (crc32(rest[:-1]), rest)
    (tmp_path / "a.jsonl").write_bytes(bad + good)
    found = scan([tmp_path / "a.jsonl"])
    assert lines_of(found) == [good]
    (problem,) = found.skipped
    assert problem.reason.startswith("line at byte 0: not a block line: ") or "$.txs" in problem.reason
    (tmp_path / "a.jsonl").write_bytes(bad + bad)
    found = scan([tmp_path / "a.jsonl"])
    assert lines_of(found) == [bad]  # its error is reported by the reader, the other one by the scan
    assert [problem.reason.partition(":")[0] for problem in found.skipped] == ["line at byte 0"]
