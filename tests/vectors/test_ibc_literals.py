import pytest

from conformance.vectors import ibc_literals

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = ibc_literals.run(vectors_dir / "ibc-literals")
    assert len(results) >= 18
    assert [result for result in results if not result.passed] == []
