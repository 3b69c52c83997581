import pytest

from conformance.vectors import chain_registry

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = chain_registry.run(vectors_dir / "chain-registry")
    assert len(results) >= 60
    assert [result for result in results if not result.passed] == []
