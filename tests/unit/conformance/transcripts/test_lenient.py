"""A file may leave out whatever a replay can do without; what it does tell is compared all the same."""

import gzip
import json
from random import Random

import pytest

from conformance.transcripts.replay import Replay
from tests.sampling import sample

NAMES = ["client", "ibc_v2", "ante", "transfer_unordered", "solomachine_localhost"]
OUTCOME = ("code", "codespace")


def only(fields, *names):
    return {name: fields[name] for name in names if fields.get(name) is not None}


def told(messages):
    return [only(message, "type_url", "value_b64") for message in messages]


def least(document):
    """What README's table of required fields names, and the codes."""
    return {
        "chains": [least_chain(chain) for chain in document["chains"]],
        "steps": [least_step(step) for step in document["steps"]],
        "check_tx": [
            {**only(check, "after_step", "chain", "recheck", *OUTCOME), "msgs": told(check["msgs"])}
            for check in document.get("check_tx") or ()
        ],
    }


def least_chain(chain):
    stores = {
        name: {"entries": [only(entry, "key_b64", "value_b64") for entry in store["entries"]]}
        for name, store in chain["stores"].items()
    }
    return {**only(chain, "chain_id", "balances"), "stores": stores}


def least_step(step):
    return {
        **only(step, "chain", "height", "time_ns", "next_validators_hash"),
        "actions": [only(action, "action", "args", "ok") for action in step.get("actions") or ()],
        "txs": [{**only(tx, *OUTCOME), "msgs": told(tx["msgs"])} for tx in step.get("txs") or ()],
    }


def without_codespaces(document):
    document = least(document)
    for step in document["steps"]:
        for tx in step["txs"]:
            tx.pop("codespace", None)
    return document


def without_stores(document):
    """Every chain starts as a new one, which is how these chains started."""
    kept = least(document)
    kept["chains"] = [only(chain, "chain_id", "balances") for chain in kept["chains"]]
    for step, full in zip(kept["steps"], document["steps"], strict=True):
        step["ibc_store_root"] = full["ibc_store_root"].lower()
    return kept


def nulls(document):
    """Everything that may be missing is null."""
    document = least(document)
    step_fields = (
        "n actions txs ibc_store_changes ibc_store_root other_store_changes balance_changes block_events"
    )
    for step in document["steps"]:
        step.update(dict.fromkeys(step_fields.split()) | {name: each for name, each in step.items() if each})
        for outcome in (*(step["txs"] or ()), *(step["actions"] or ())):
            for name in ("codespace", "msg_responses", "result", "events", "note", "log"):
                outcome.setdefault(name, None)
    return document


def effects_only(document):
    """Writes in any order, those that change nothing left out; nothing that only a recorder knows."""
    draw = Random(5)
    for step in document["steps"]:
        for name in ("commit_info", "app_hash", "header_b64", "ibc_store_version", "n"):
            step.pop(name)
        stores = {"ibc": step["ibc_store_changes"], **(step.get("other_store_changes") or {})}
        for writes in stores.values():
            writes[:] = [write for write in writes if not (write.get("same") or write.get("absent"))]
            draw.shuffle(writes)
    return document


def without_sdk_attributes(document):
    """No event of the SDK's own and no `msg_index`."""
    for step in document["steps"]:
        for tx in step.get("txs") or ():
            tx["events"] = [plain(event) for event in tx["events"] if not has(event, "action")]
    return document


def has(event, name):
    return event["type"] == "message" and any(pair["key"] == name for pair in event["attributes"])


def plain(event):
    pairs = [only(pair, "key", "value") for pair in event["attributes"] if pair["key"] != "msg_index"]
    return {"type": event["type"], "attributes": pairs}


LENIENT = [
    least, without_codespaces, without_stores, nulls, effects_only, without_sdk_attributes,
]  # fmt: skip


LESSENED = [(name, lessen) for lessen in LENIENT for name in sample(NAMES, 1, lessen.__name__)]


@pytest.mark.parametrize(("name", "lessen"), LESSENED, ids=lambda each: getattr(each, "__name__", each))
def test_what_is_left_is_followed_to_the_end(recorded, replay, name, lessen):
    document = recorded(name)
    outcomes = sum(len(step.get(kind) or ()) for step in document["steps"] for kind in ("txs", "actions"))
    results = replay(lessen(document))
    assert [r for r in results if not r.passed] == []
    assert len(results) >= outcomes > 40


def test_without_chains_each_begins_as_a_new_one(recorded, replay):
    document = without_stores(recorded("mock_ordered"))
    del document["chains"]
    results = replay(document)
    assert [r for r in results if not r.passed] == []
    assert sum(r.case.endswith("block") for r in results) == len(document["steps"])


def test_blocks_without_anything_may_be_left_out(recorded, replay):
    document = recorded("transfer_unordered")
    steps = [s for s in document["steps"] if s.get("txs") or s.get("actions") or s["ibc_store_changes"]]
    assert len(steps) < len(document["steps"]) - 20
    document["steps"] = steps
    assert [r for r in replay(document) if not r.passed] == []


def test_heights_may_skip_far(replay):
    steps = [{"chain": "x-1", "height": height, "time_ns": height} for height in (5, 10**12)]
    steps[0]["ibc_store_root"] = steps[1]["ibc_store_root"] = "00" * 32
    first, second = replay({"steps": steps})
    assert (first.passed, second.passed) == (False, False)
    assert first.detail == second.detail  # nothing was written: the same tree


@pytest.mark.parametrize("wrap", [gzip.compress, b"\xef\xbb\xbf".__add__], ids=["gzip", "mark"])
def test_a_file_may_be_compressed_or_marked_whatever_its_name(recorded, tmp_path, wrap):
    path = tmp_path / "transcript.json"
    path.write_bytes(wrap(json.dumps(least(recorded("mock_ordered"))).encode()))
    assert all(r.passed for r in Replay(path).run())
