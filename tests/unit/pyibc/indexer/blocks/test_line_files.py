"""Reader of block line files, as sealing and the exporter use it."""

import gzip
import random

from pyibc.indexer.blocks.line_files import Line, read_lines
from pyibc.indexer.blocks.lines import encode_line


def test_a_file_that_goes_away_is_named(tmp_path):
    assert list(read_lines(tmp_path / "gone")) == [Line(0, b"", "cannot be read: No such file or directory")]


def test_h90_a_packed_file_that_is_cut_keeps_its_whole_lines_and_says_what_lacks(tmp_path, block):
    random.seed(5)
    lines = [encode_line(block(height=height, raw=random.randbytes(3000))) for height in range(1, 40)]
    packed = gzip.compress(b"".join(lines))
    (tmp_path / "x.gz").write_bytes(packed[: len(packed) // 2])
    *kept, last = read_lines(tmp_path / "x.gz")
    assert 10 < len(kept) < 39
    assert [line.data for line in kept] == lines[: len(kept)]
    assert (last.offset, last.data) == (len(b"".join(lines[: len(kept)])), b"")
    assert last.problem == "the gzip file is cut off here"
    (tmp_path / "x.gz").write_bytes(packed[:-4])
    assert [line.data for line in read_lines(tmp_path / "x.gz")] == [*lines, b""]
