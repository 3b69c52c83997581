import pytest

from conformance.vectors import ibc_go_transfer

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = ibc_go_transfer.run(vectors_dir / "ibc-go")
    assert len(results) >= 13
    assert [result for result in results if not result.passed] == []
