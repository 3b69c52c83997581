"""Lines removed, duplicated, reordered, modified: intact lines are read, missing heights are reported."""

import pytest

from pyibc.indexer.bronze.files import list_files
from pyibc.indexer.bronze.ranges import records_in, split
from pyibc.indexer.coverage import Heights
from pyibc.indexer.known import known_of
from pyibc.indexer.pushdown import Bounds
from pyibc.indexer.segments.sealing import seal_all, seal_here
from tests.damaged_exports import Damaged


@pytest.mark.parametrize("tens", range(10))
def test_h91_what_is_left_of_an_export_is_known_to_the_height(tmp_path, tens):
    for seed in range(10 * tens, 10 * tens + 10):
        export = Damaged(seed)
        export.write(tmp_path / str(seed))
        coverage, told = sealed(tmp_path / str(seed), tmp_path / "segments" / str(seed))
        assert coverage.keys() == export.left.keys()
        for chain, left in export.left.items():
            known = coverage[chain]
            assert (known.full, known.gaps) == (Heights.of(left.full), Heights.of(left.gaps))
        assert len(told) == sum(left.problems for left in export.left.values())


@pytest.mark.parametrize("size", [100, 5000])
def test_h90_the_data_source_reads_what_sealing_reads_and_names_the_same_lines(tmp_path, size):
    for seed in range(15):
        export = Damaged(seed)
        export.write(tmp_path / str(seed))
        _, told = sealed(tmp_path / str(seed), tmp_path / "segments" / str(seed))
        files = list_files([str(tmp_path / str(seed))])
        records = [
            (part.url, record)
            for file in files
            for part in split(file, size)
            for record in records_in(part, Bounds())
        ]
        assert sorted((url, record.problem) for url, record in records if record.problem) == sorted(told)
        blocks = {(record.block.chain_id, record.block.height) for _, record in records if record.block}
        assert blocks == {(chain, height) for chain, left in export.left.items() for height in left.full}


def sealed(folder, segments):
    """Coverage by chain, and problems as files with reasons, by the segments of an export."""
    found = seal_all(sorted(folder.iterdir()), (), segments, seal_here)
    manifests = [segment.manifest for segment in found.segments]
    problems = [*found.skipped, *(problem for manifest in manifests for problem in manifest.problems)]
    return known_of(manifests, found.chains).coverage, [tuple(problem) for problem in problems]
