"""Lines removed, duplicated, reordered, modified: intact lines are read, missing heights are reported."""

from pathlib import Path

import pytest

from pyibc.indexer.block_files import read_lines
from pyibc.indexer.coverage import Heights
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.lines import decode_line
from pyibc.indexer.scan import scan_paths
from tests.damaged_exports import Damaged


@pytest.mark.parametrize("tens", range(10))
def test_h91_what_is_left_of_an_export_is_known_to_the_height(tmp_path, tens):
    for seed in range(10 * tens, 10 * tens + 10):
        export = Damaged(seed)
        export.write(tmp_path / str(seed))
        found = scan_paths([tmp_path / str(seed)])
        lost = {}
        for part in found.ranges:
            for line in read_lines(Path(part.file), part.offset, part.length):
                try:
                    decode_line(line.data)
                except MalformedLine:
                    lost.setdefault(part.chain_id, []).append(line.head().height)
        for chain, left in export.left.items():
            known = found.coverage[chain].without(Heights.of(lost.get(chain, ())))
            assert (known.full, known.gaps) == (Heights.of(left.full), Heights.of(left.gaps))
        told = len(found.skipped) + sum(map(len, lost.values()))
        assert told == sum(left.problems for left in export.left.values())
