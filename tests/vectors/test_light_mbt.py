import pytest

from conformance.case import run_files
from conformance.vectors import light_mbt

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(vectors_dir):
    results = run_files(vectors_dir / "cometbft/light_mbt", light_mbt.cases_of)
    assert len(results) >= 6
    assert [result for result in results if not result.passed] == []
