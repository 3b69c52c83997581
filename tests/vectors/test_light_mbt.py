import pytest

from conformance.vectors import light_mbt

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = light_mbt.run(vectors_dir / "cometbft/light_mbt")
    assert len(results) >= 6
    assert [result for result in results if not result.passed] == []
