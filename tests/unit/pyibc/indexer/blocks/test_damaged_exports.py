"""Lines removed, duplicated, reordered, modified: ranges of any size read the intact ones."""

import pytest

from pyibc.indexer.bronze.ranges import Bounds, range_of, records_in, split
from pyibc.indexer.files import list_files
from tests.damaged_exports import Damaged


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
        for part in split(range_of(file), size)
        for record in records_in(part, Bounds())
    ]
