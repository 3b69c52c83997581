import pytest

from conformance.vectors import informal

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = informal.run(vectors_dir / "informal-conformance-tests")
    assert len(results) >= 4
    assert [result for result in results if not result.passed] == []
