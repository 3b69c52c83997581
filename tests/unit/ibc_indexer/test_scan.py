from pathlib import Path

from ibc_indexer.lines import encode_line
from ibc_indexer.scan import export_files, scan


def write(path, *blocks):
    path.write_bytes(b"".join(encode_line(block) for block in blocks))
    return path


def lines_of(found):
    out = []
    for part in found.ranges:
        with Path(part.file).open("rb") as file:
            file.seek(part.offset)
            out += file.read(part.length).splitlines(keepends=True)
    return out


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
    assert "a-1 2 was read before with other content" in found.skipped[0].reason


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
    assert "cut or half written" in found.skipped[1].reason


def test_folders_are_searched_to_any_depth(tmp_path, block):
    (tmp_path / "x" / "y").mkdir(parents=True)
    path = write(tmp_path / "x" / "y" / "blocks-1.jsonl", block())
    assert export_files([tmp_path]) == [path]
