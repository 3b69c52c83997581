import pytest

from conformance.vectors import bech32

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = bech32.run(vectors_dir / "bech32")
    assert len(results) >= 40
    assert [result for result in results if not result.passed] == []
