"""ibc-go judges a few walks (`make interop-go` judges as many as wanted)."""

from pathlib import Path

import pytest

from benchmarks.app_transcripts import Traffic
from conformance.walks.replay_program import Missing, build
from conformance.walks.verification import verify
from conformance.walks.walk import walk

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def program():
    try:
        return build(ROOT / ".cache" / "interop-go")
    except Missing as missing:
        pytest.skip(str(missing))


def test_walks_pass(program, tmp_path):
    verdict = verify(program, {tmp_path / f"walk-{seed}.json": walk(seed) for seed in range(10)})
    assert verdict.failed == []
    assert verdict.passed > 1000


def test_the_traffic_of_the_benchmark_passes(program, tmp_path):
    verdict = verify(program, {tmp_path / "traffic.json": Traffic(keys=20).document(blocks=1)})
    assert verdict.failed == []
    assert verdict.passed > 1000


def test_a_root_that_is_not_ours_fails(program, tmp_path):
    document = walk(1)
    document["steps"][-1]["ibc_store_root"] = "00" * 32
    verdict = verify(program, {tmp_path / "walk.json": document})
    assert len(verdict.failed) == 1
    assert "root" in verdict.failed[0]
