"""Blocks and problems of lines, as the data source reads them."""

import gzip

import pytest

from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.bronze.ranges import Bounds, range_of, records_in, split
from pyibc.indexer.bronze.records import batches_of
from pyibc.indexer.files import list_files
from tests.damaged_exports import with_carriage_return, with_other_json


@pytest.fixture
def ranges(tmp_path):
    """Write a file and split it."""

    def written(content, name="blocks.jsonl"):
        (tmp_path / name).write_bytes(content)
        (file,) = list_files([str(tmp_path)])
        return list(split(range_of(file), 300))

    return written


@pytest.fixture
def read(ranges):
    """Write a file and read its records."""
    return lambda *content: [each for part in ranges(*content) for each in records_in(part, Bounds())]


@pytest.fixture
def rows(ranges):
    """Write a file and read its rows."""
    return lambda content: [
        row for batch in batches_of(ranges(content), Bounds()) for row in batch.to_pylist()
    ]


def blocks_of(records):
    return [record.block for record in records if record.block]


def problems_of(records):
    return [(record.offset, record.problem) for record in records if record.problem]


def test_cut_and_damaged_lines_are_named_and_the_rest_is_read(read, block):
    blocks = [block(height=height) for height in (1, 2, 3, 4)]
    lines = list(map(encode_line, blocks))
    lines[1] = lines[1].replace(b"AA", b"AB")
    lines[3] = lines[3][:40]
    found = read(b"".join(lines))
    assert blocks_of(found) == [blocks[0], blocks[2]]
    damaged, cut = len(lines[0]), len(b"".join(lines[:3]))
    assert problems_of(found) == [
        (damaged, f"line at byte {damaged}: the checksum does not match"),
        (cut, f"line at byte {cut}: it ends without a newline (truncated or partially written)"),
    ]
    assert [record.head for record in found if record.problem] == [None, None]


@pytest.mark.parametrize("name", ["blocks.txt", "blocks.jsonl.gz", "no-suffix"])
def test_h90_any_name_plain_or_packed_is_read_alike(read, block, name):
    blocks = [block(height=height) for height in range(1, 30)]
    data = b"".join(map(encode_line, blocks))
    found = read(gzip.compress(data) if name.endswith(".gz") else data, name)
    assert (blocks_of(found), problems_of(found)) == (blocks, [])


def test_h90_what_only_begins_like_a_packed_file_is_named(read):
    ((offset, problem),) = problems_of(read(b"\x1f\x8bnonsense", "x.gz"))
    assert offset == 0
    assert problem.startswith("line at byte 0: the rest of the file cannot be decompressed: ")


def test_h90_carriage_returns_end_no_line(read, block):
    found = read(with_carriage_return(encode_line(block(height=1))))
    assert (blocks_of(found), problems_of(found)) == ([block(height=1)], [])


def test_h93_rows_name_the_incarnation_of_their_line(rows, block):
    some = [block(height=1, incarnation="1" * 16), block(height=1, incarnation="2" * 16), block(height=7)]
    found = rows(b"".join(map(encode_line, some)))
    assert [(row["chain"], row["incarnation"], row["height"]) for row in found] == [
        ("a-1", "1" * 16, 1),
        ("a-1", "2" * 16, 1),
        ("a-1", None, 7),
    ]


def test_h114_a_line_whose_json_is_no_block_is_a_problem_beside_the_block_of_its_height(rows, block):
    good = encode_line(block(height=1))
    bad = with_other_json(good)
    first, second = rows(bad + good)
    assert [(row["chain"], row["height"], row["byte_offset"]) for row in (first, second)] == [
        ("a-1", 1, 0),
        ("a-1", 1, len(bad)),
    ]
    assert (first["digest"], second["problems"]) == (None, [])
    assert second["digest"] is not None
    (problem,) = first["problems"]
    assert problem.startswith("line at byte 0: the JSON is not a block: ")
