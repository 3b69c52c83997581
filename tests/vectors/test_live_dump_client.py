import pytest

from ibc_module.conformance import live_dump

pytestmark = pytest.mark.vectors


def test_every_case_comes_out_as_its_file_says(live_dir):
    results = live_dump.run(live_dir / "dump")
    assert len(results) >= 900
    assert [result for result in results if not result.passed] == []
