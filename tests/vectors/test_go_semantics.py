import pytest

from conformance.vectors import go_semantics

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = go_semantics.run(vectors_dir / "go-semantics")
    assert len(results) >= 95
    assert [result for result in results if not result.passed] == []
