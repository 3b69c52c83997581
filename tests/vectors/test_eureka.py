import pytest

from conformance.vectors import eureka

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = eureka.run(vectors_dir / "solidity-ibc-eureka")
    assert len(results) >= 3
    assert [result for result in results if not result.passed] == []
