import pytest

from conformance.case import run_files
from conformance.vectors import ics23

pytestmark = pytest.mark.vectors


def test_every_case_of_ics23_comes_out_as_its_file_says(vectors_dir):
    results = run_files(vectors_dir / "ics23", ics23.cases_of)
    assert len(results) >= 57 + 15
    assert [r for r in results if not r.passed] == []
