import pytest

from conformance.vectors import iavl_trees

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = iavl_trees.run(vectors_dir / "iavl")
    assert len(results) >= 100
    assert [result for result in results if not result.passed] == []
