"""Reader of block line files, as sealing and the exporter use it."""

import gzip
import random

from pyibc.indexer.blocks import line_files
from pyibc.indexer.blocks.line_files import Line, read_lines
from pyibc.indexer.blocks.lines import decode_line, encode_line
from tests.damaged_exports import with_carriage_return


def test_a_file_that_goes_away_is_named(tmp_path):
    assert list(read_lines(tmp_path / "gone")) == [
        Line(0, b"", "the rest of the file cannot be read: No such file or directory")
    ]


def test_h90_a_line_too_long_to_be_kept_is_named_and_the_next_is_read(tmp_path, block, monkeypatch):
    monkeypatch.setattr(line_files, "MAX_LINE", 400)
    one, two = encode_line(block(height=1)), encode_line(block(height=2))
    long = encode_line(block(height=3, raw=b"x" * 500))
    (tmp_path / "a.jsonl").write_bytes(one + long + two)
    assert list(read_lines(tmp_path / "a.jsonl")) == [
        Line(0, one),
        Line(len(one), b"", "the line is longer than 400 bytes", len(long)),
        Line(len(one + long), two),
    ]


def test_h90_carriage_returns_end_no_line(tmp_path, block):
    line = with_carriage_return(encode_line(block(height=1)))
    (tmp_path / "a.jsonl").write_bytes(line)
    (found,) = read_lines(tmp_path / "a.jsonl")
    assert decode_line(found.data) == block(height=1)


def test_h90_a_packed_file_that_is_cut_keeps_its_whole_lines_and_says_what_lacks(tmp_path, block):
    random.seed(5)
    lines = [encode_line(block(height=height, raw=random.randbytes(3000))) for height in range(1, 40)]
    packed = gzip.compress(b"".join(lines))
    (tmp_path / "x.gz").write_bytes(packed[: len(packed) // 2])
    *kept, last = read_lines(tmp_path / "x.gz")
    assert 10 < len(kept) < 39
    assert [line.data for line in kept] == lines[: len(kept)]
    assert (last.offset, last.data) == (len(b"".join(lines[: len(kept)])), b"")
    assert last.problem.startswith("the rest of the file cannot be decompressed: ")
    (tmp_path / "x.gz").write_bytes(packed[:-4])
    assert [line.data for line in read_lines(tmp_path / "x.gz")] == [*lines, b""]
