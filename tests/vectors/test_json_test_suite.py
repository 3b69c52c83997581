import pytest

from conformance.vectors import json_test_suite

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = json_test_suite.run(vectors_dir / "JSONTestSuite")
    assert len(results) >= 280
    assert [result for result in results if not result.passed] == []
