import pytest

from conformance.vectors import wycheproof

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = wycheproof.run(vectors_dir / "wycheproof")
    assert len(results) >= 151
    assert [result for result in results if not result.passed] == []
