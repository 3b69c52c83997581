"""Walks: the same for the same seed, every message good and bad in them, and our own replayer follows."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.transcripts.replay import Replay
from conformance.walks.choices import Choices
from conformance.walks.coverage import KINDS, Coverage
from conformance.walks.verification import write
from conformance.walks.walk import SHAPES, Shape, Walk, walk
from tests.missing import nothing_missing
from tests.sampling import rounds

SEEDS = range(len(SHAPES))
"""One walk a shape."""


@pytest.fixture(scope="module")
def walks():
    return {seed: walk(seed) for seed in SEEDS}


def test_a_seed_gives_the_same_bytes(walks):
    assert json.dumps(walk(3)) == json.dumps(walks[3])
    assert len({json.dumps(document) for document in walks.values()}) == len(walks)


@pytest.mark.registry
def test_every_message_goes_well_and_fails(walks):
    coverage = Coverage()
    for document in walks.values():
        coverage.add(document)
    nothing_missing(
        f"no walk sends a {how} {kind}: add a move to conformance/walks/moves"
        for how, counts in (("good", coverage.passed), ("bad", coverage.failed))
        for kind in KINDS
        if not counts[kind]
    )
    assert coverage.corrupted > 200
    assert coverage.checks > 5
    assert len(coverage.codes) > 50


def follow(tmp_path, document):
    path = tmp_path / "walk.json"
    write(path, document)
    results = Replay(path).run()
    assert [result for result in results if not result.passed] == []
    return results


@pytest.mark.parametrize("seed", [0, 2, 8])
def test_our_own_replayer_follows_a_walk(walks, tmp_path, seed):
    assert len(follow(tmp_path, walks[seed])) > 200


def test_our_own_replayer_sees_what_was_changed(walks, tmp_path):
    document = json.loads(json.dumps(walks[1]))
    step = next(step for step in document["steps"] if step["ibc_store_changes"])
    step["ibc_store_root"] = "00" * 32
    path = tmp_path / "walk.json"
    write(path, document)
    assert len([result for result in Replay(path).run() if not result.passed]) == 1


@settings(max_examples=rounds(1, 4), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_is_chosen_can_be_followed(tmp_path_factory, data):
    choices = Choices(lambda limit: data.draw(st.integers(0, limit - 1)))
    shape = Shape("drawn", 50, 40, 5, "")
    follow(tmp_path_factory.mktemp("walk"), Walk(choices, shape, "drawn").run())
