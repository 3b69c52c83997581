"""Recorded ibc-go chains, followed block by block: verdicts, responses, events, writes, roots.

The committed transcript needs no foreign folder. The others are read below IBC_VECTORS_DIR.
"""

import json
from pathlib import Path

import pytest

from ibc_module.conformance.transcripts.replay import Replay, load, run

COMMITTED = Path(__file__).parent / "ibcgo-transcripts"

NAMES = [
    "ante",
    "client",
    "handshake_errors",
    "ibc_v2",
    "mock_ordered",
    "packet_errors",
    "solomachine_localhost",
    "timeouts",
    "transfer_unordered",
    *(f"random_{number:02}" for number in range(20)),
]


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


@pytest.mark.vectors
@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_is_followed_to_its_last_block(vectors_dir, name):
    results = Replay(vectors_dir / "ibcgo-transcripts" / f"{name}.json.gz").run()
    assert [r for r in results if not r.passed] == []


@pytest.mark.vectors
def test_every_transcript_is_followed(vectors_dir):
    found = {p.name.removesuffix(".json.gz") for p in (vectors_dir / "ibcgo-transcripts").glob("*.json.gz")}
    assert found == set(NAMES)
