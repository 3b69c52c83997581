import pytest

from conformance.vectors import tendermint_rs

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = tendermint_rs.run(vectors_dir / "tendermint-rs")
    assert len(results) >= 99
    assert [result for result in results if not result.passed] == []
