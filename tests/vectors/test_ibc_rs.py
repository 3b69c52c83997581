import pytest

from conformance.vectors import ibc_rs

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = ibc_rs.run(vectors_dir / "ibc-rs")
    assert len(results) >= 50
    assert [result for result in results if not result.passed] == []
