import pytest

from conformance.vectors import cometbft_literals

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = cometbft_literals.run(vectors_dir / "cometbft-literals")
    assert len(results) >= 18
    assert [result for result in results if not result.passed] == []
