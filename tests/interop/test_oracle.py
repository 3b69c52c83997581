"""Generated cases, answered by us and by ibc-go, ics23 and CometBFT (`make oracle` asks more)."""

from pathlib import Path

import pytest

from conformance.oracle.comparison import KINDS, compare
from conformance.oracle.program import Oracle, build
from conformance.walks.replay_program import Missing

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def program():
    try:
        return build(ROOT / ".cache" / "oracle")
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", KINDS)
def test_the_verdicts_are_equal(program, name):
    with Oracle(program) as oracle:
        outcome = compare(oracle, name, 5000, 11)
    assert outcome.differences == []
    assert outcome.accepted > 300
    assert outcome.refused > 300
