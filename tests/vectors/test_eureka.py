import pytest

from conformance.case import run_files
from conformance.vectors import eureka

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = run_files(vectors_dir / "solidity-ibc-eureka", eureka.cases_of)
    assert len(results) >= 3
    assert [result for result in results if not result.passed] == []
