"""Lines removed, duplicated, reordered, modified: intact lines are read, missing heights are reported."""

import pytest

from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.bronze.ranges import Bounds, records_in, split
from pyibc.indexer.files import list_files
from tests.damaged_exports import Damaged
from tests.sampling import sample

LOWEST_UNREADABLE = 27
"""Seed of an export whose lowest height is that of a line which cannot be read."""


@pytest.mark.parametrize("seed", sorted({*sample(range(100), 5, "h91"), LOWEST_UNREADABLE}))
def test_h91_what_is_left_of_an_export_is_known_to_the_height(tmp_path, index, seed):
    export = Damaged(seed)
    export.write(tmp_path / "in")
    found = index(tmp_path / "in", tmp_path / "out")
    assert found.coverage.keys() == export.left.keys()
    for chain, left in export.left.items():
        known = found.coverage[chain]
        assert (known.full, known.gaps) == (Heights.of(left.full), Heights.of(left.gaps))
    assert len(found.summary["skipped"]) == sum(left.problems for left in export.left.values())


@pytest.mark.parametrize("size", [100, 5000])
def test_h90_a_range_of_any_size_names_the_same_lines(tmp_path, size):
    for seed in range(15):
        export = Damaged(seed)
        export.write(tmp_path / str(seed))
        found, whole = (records(tmp_path / str(seed), each) for each in (size, 1 << 30))
        assert [record.problem for record in found] == [record.problem for record in whole]
        assert sum(record.problem != "" for record in found) == sum(
            left.problems for left in export.left.values()
        )
        blocks = {(record.block.chain_id, record.block.height) for record in found if record.block}
        assert blocks == {(chain, height) for chain, left in export.left.items() for height in left.full}


def records(folder, size):
    return [
        record
        for file in list_files([str(folder)])
        for part in split(file, size)
        for record in records_in(part, Bounds())
    ]
