import pytest

from conformance.vectors import zip215

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = zip215.run(vectors_dir / "zip215")
    assert len(results) >= 24
    assert [result for result in results if not result.passed] == []
