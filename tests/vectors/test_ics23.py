import pytest

from conformance.vectors import ics23

pytestmark = pytest.mark.vectors


def test_every_case_of_ics23_comes_out_as_its_file_says(vectors_dir):
    results = ics23.run(vectors_dir / "ics23")
    assert len(results) >= 57 + 15
    assert [r for r in results if not r.passed] == []
