"""Recorded ibc-go chains, followed block by block: verdicts, responses, events, writes, roots.

The recordings are committed: a clone alone proves its parity.
"""

import json
from pathlib import Path

import pytest

from conformance.transcripts.replay import Replay, load
from tests.sampling import sample

COMMITTED = Path(__file__).parent / "ibcgo-transcripts"

NAMES = sorted(path.name for path in COMMITTED.glob("*.json.gz"))


def test_all_families_and_walks_are_here():
    walks = [f"random_{number:02}.json.gz" for number in range(20)]
    applications = [f"random_apps_{number:02}.json.gz" for number in range(6)]
    assert [name for name in NAMES if name.startswith("random_")] == walks + applications
    assert len([name for name in NAMES if name.startswith("min_")]) == 7
    assert len(NAMES) == 54


SMALL = [name for name in NAMES if name.startswith("min_")]
FAMILIES = [name for name in NAMES if not name.startswith(("random_", "min_"))]
WALKS = [name for name in NAMES if name.startswith("random_")]


@pytest.mark.parametrize("name", [*FAMILIES, *sample(WALKS, 2, "recorded walks")])
def test_a_transcript_is_followed_to_its_last_block(name):
    results = Replay(COMMITTED / name).run()
    assert [r for r in results if not r.passed] == []
    assert len(results) > 50


@pytest.mark.parametrize("name", SMALL)
def test_a_smallest_recording_of_a_difference_is_followed(name):
    results = Replay(COMMITTED / name).run()
    assert [r for r in results if not r.passed] == []
    assert len(results) >= 7


def spoil_root(step):
    step["ibc_store_root"] = "00" * 32


def spoil_code(step):
    step["txs"][0]["code"] += 1


def spoil_event(step):
    step["txs"][0]["events"][-1]["attributes"][0]["value"] += "x"


def spoil_write(step):
    step["ibc_store_changes"][0]["value_b64"] = "AA=="


SPOIL = [spoil_root, spoil_code, spoil_event, spoil_write]


@pytest.mark.parametrize("spoil", sample(SPOIL, 1, "noticed once"))
def test_what_differs_from_the_recording_is_noticed_once(tmp_path, spoil):
    document = load(COMMITTED / "transfer_unordered.json.gz")
    spoil(next(s for s in document["steps"] if s.get("txs") and s["txs"][0]["code"] == 0))
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(document))
    failed = [r for r in Replay(path).run() if not r.passed]
    assert len(failed) == 1
    assert failed[0].detail


@pytest.mark.vectors
def test_the_folder_of_vectors_has_no_other_transcript(vectors_dir):
    """Those that are committed are followed above: the same bytes need not be followed again."""
    given = {path.name: path.read_bytes() for path in (vectors_dir / "ibcgo-transcripts").glob("*.json.gz")}
    assert given.keys() >= {"packet_errors.json.gz"}
    assert given == {name: (COMMITTED / name).read_bytes() for name in given.keys() & set(NAMES)}
