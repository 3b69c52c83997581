"""Recorded ibc-go chains, followed block by block: verdicts, responses, events, writes, roots.

The committed transcript needs no foreign folder. The others are read below IBC_VECTORS_DIR. `WHOLE` pass to
the last block today; `UNTIL_UNHANDLED` pass up to the first message that this version has no handler for.
"""

import json
from itertools import takewhile
from pathlib import Path

import pytest

from ibc_module.conformance.transcripts.replay import Replay, load, run

COMMITTED = Path(__file__).parent / "ibcgo-transcripts"

WHOLE = [
    "client",
    "handshake_errors",
    "mock_ordered",
    "packet_errors",
    "solomachine_localhost",
    "timeouts",
    "transfer_unordered",
    *(f"random_{number:02}" for number in range(1, 20, 2)),
]

UNTIL_UNHANDLED = {
    "ante": 76,
    "ibc_v2": 8,
    **{f"random_{number:02}": 60 for number in range(0, 20, 2)},
}
"""File -> cases that pass at least: IBC v2 is missing."""


def test_the_committed_transcript_is_followed_to_its_last_block():
    results = run(COMMITTED)
    assert len(results) == 409
    assert [r for r in results if not r.passed] == []


def spoil_root(step):
    step["ibc_store_root"] = "00" * 32


def spoil_code(step):
    step["txs"][0]["code"] += 1


def spoil_event(step):
    step["txs"][0]["events"][-1]["attributes"][0]["value"] += "x"


def spoil_write(step):
    step["ibc_store_changes"][0]["value_b64"] = "AA=="


@pytest.mark.parametrize("spoil", [spoil_root, spoil_code, spoil_event, spoil_write])
def test_what_differs_from_the_recording_is_noticed_once(tmp_path, spoil):
    document = load(COMMITTED / "transfer_unordered.json.gz")
    spoil(next(s for s in document["steps"] if s.get("txs") and s["txs"][0]["code"] == 0))
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(document))
    failed = [r for r in Replay(path).run() if not r.passed]
    assert len(failed) == 1
    assert failed[0].detail


def transcript(vectors_dir, name):
    return Replay(vectors_dir / "ibcgo-transcripts" / f"{name}.json.gz").run()


@pytest.mark.vectors
@pytest.mark.parametrize("name", WHOLE)
def test_a_transcript_is_followed_to_its_last_block(vectors_dir, name):
    assert [r for r in transcript(vectors_dir, name) if not r.passed] == []


@pytest.mark.vectors
@pytest.mark.parametrize("name", UNTIL_UNHANDLED)
def test_a_transcript_is_followed_up_to_what_is_not_handled_yet(vectors_dir, name):
    results = transcript(vectors_dir, name)
    passed = list(takewhile(lambda r: r.passed, results))
    assert len(passed) >= UNTIL_UNHANDLED[name]
    if len(passed) < len(results):
        assert "no handler for message" in results[len(passed)].detail


@pytest.mark.vectors
def test_every_transcript_is_accounted_for(vectors_dir):
    found = {p.name.removesuffix(".json.gz") for p in (vectors_dir / "ibcgo-transcripts").glob("*.json.gz")}
    assert found == {*WHOLE, *UNTIL_UNHANDLED}
