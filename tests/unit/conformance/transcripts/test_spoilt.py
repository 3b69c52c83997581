"""Whatever a file tells wrongly is one failed case; a file that tells it in another form is a failed file."""

import base64
import copy

import pytest

NAMES = ["ibc_v2", "transfer_unordered"]


def spent(step, kind):
    return [each for each in step.get(kind) or () if not each.get("code")]


def other(text):
    raw = bytearray(base64.b64decode(text))
    raw[-1] ^= 1
    return base64.b64encode(bytes(raw)).decode()


def write(step):
    step["ibc_store_changes"][-1]["value_b64"] = "AA=="


def write_too_many(step):
    step["ibc_store_changes"].append({"key_b64": "eng=", "value_b64": "AA=="})


def write_too_few(step):
    step["ibc_store_changes"].pop()


def other_store(step):
    step["other_store_changes"]["transfer"].append({"key_b64": "eng=", "value_b64": "AA=="})


def other_store_not_told(step):
    del step["other_store_changes"]
    step["commit_info"].pop("transfer")


def balance(step):
    step["balance_changes"][0]["amount"] += "0"


def root(step):
    step["ibc_store_root"] = "00" * 32


def root_in_commit(step):
    step["commit_info"]["ibc"] = "00" * 32


def other_root(step):
    step["commit_info"] |= {"transfer": step["commit_info"]["transfer"][::-1]}


def other_root_not_told(step):
    del step["commit_info"]["transfer"]


def root_of_a_store_that_is_not_replayed(step):
    step["commit_info"]["bank"] = "00" * 32


def app_hash(step):
    step["app_hash"] = "00" * 32


def block_event(step):
    step["block_events"] = [{"type": "upgrade_chain", "attributes": []}]


def sequence(step):
    spent(step, "actions")[0]["result"]["sequence"] += 1


def action_event(step):
    spent(step, "actions")[0]["events"].pop()


def action_refused(step):
    spent(step, "actions")[0]["ok"] = False


def code(step):
    spent(step, "txs")[0] |= {"code": 3, "codespace": "client"}


def code_without_codespace(step):
    spent(step, "txs")[0]["code"] = 3


def accepted(step):
    next(tx for tx in step["txs"] if tx["code"])["code"] = 0


def codespace(step):
    next(tx for tx in step["txs"] if tx["code"])["codespace"] = "x"


def event_of_failure(step):
    next(tx for tx in step["txs"] if tx["code"])["events"].append({"type": "x", "attributes": []})


def response(step):
    found = spent(step, "txs")[0]["msg_responses"][0]
    found["type_url"] += "x"


def no_response(step):
    spent(step, "txs")[0]["msg_responses"] = []


def event_key(step):
    spent(step, "txs")[0]["events"][-1]["attributes"][0]["key"] += "x"


def event_value(step):
    spent(step, "txs")[0]["events"][-1]["attributes"][0]["value"] += "x"


def event_index(step):
    spent(step, "txs")[0]["events"][-1]["attributes"][-1]["value"] += "1"


def event_order(step):
    spent(step, "txs")[0]["events"].reverse()


def no_events(step):
    spent(step, "txs")[0]["events"] = []


SPOIL = [
    write, write_too_many, write_too_few, other_store, other_store_not_told, balance, root, root_in_commit,
    other_root, other_root_not_told, root_of_a_store_that_is_not_replayed, app_hash, block_event,
    sequence, action_event, action_refused, code, code_without_codespace, accepted, codespace,
    event_of_failure, response, no_response, event_key, event_value, event_index, event_order, no_events,
]  # fmt: skip


def spoilt(document, spoil):
    """The document up to the first step that can be spoilt so: nothing follows from it."""
    for at, told in enumerate(document["steps"]):
        step = copy.deepcopy(told)
        try:
            spoil(step)
        except (IndexError, KeyError, StopIteration, TypeError):
            continue
        if step != told:
            steps = [*document["steps"][:at], step]
            return document | {"steps": steps, "check_tx": []}
    return None


WRONG_ROOT = {
    root: "root of store ibc: ",
    root_in_commit: "root of store ibc: ",
    other_root: "root of store transfer: ",
    other_root_not_told: "recorded as unchanged: ",
    root_of_a_store_that_is_not_replayed: "app hash: ",
    app_hash: "app hash: ",
}
"""What a failure says: whose root is another."""


@pytest.mark.parametrize("spoil", SPOIL, ids=lambda spoil: spoil.__name__)
def test_each_thing_told_wrongly_is_one_failure(recorded, replay, spoil):
    document = next(found for name in NAMES if (found := spoilt(recorded(name), spoil)))
    failed = [r for r in replay(document) if not r.passed]
    assert len(failed) == 1
    assert failed[0].detail
    assert WRONG_ROOT.get(spoil, "") in failed[0].detail
    assert f"step {document['steps'][-1]['n']} " in failed[0].case


@pytest.mark.parametrize(
    "spoil", [write, write_too_many, write_too_few, other_store], ids=lambda spoil: spoil.__name__
)
def test_where_only_effects_are_told_they_are_compared(recorded, replay, spoil):
    document = next(found for name in NAMES if (found := spoilt(recorded(name), spoil)))
    for step in document["steps"]:
        del step["commit_info"]
    assert len([r for r in replay(document) if not r.passed]) == 1


def test_what_a_mempool_said_is_compared(recorded, replay):
    document = recorded("ante")
    for check in document["check_tx"]:
        check["code"] = 0 if check["code"] else 22
    failed = [r for r in replay(document) if not r.passed]
    assert len(failed) == len(document["check_tx"]) > 80


def test_a_root_at_the_start_is_compared(recorded, replay):
    document = recorded("ibc_v2")
    document["chains"][0]["stores"]["ibc"]["root"] = "00" * 32
    assert [r.case for r in replay(document) if not r.passed] == ["testchain1-1 start"]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda chain: chain["commit_info"].update(transfer="00" * 32), "root of store transfer: "),
        (lambda chain: chain.update(app_hash="00" * 32), "app hash: "),
    ],
)
def test_what_a_chain_starts_from_is_compared(recorded, replay, spoil, says):
    document = recorded("ibc_v2")
    spoil(document["chains"][1])
    (failed,) = [r for r in replay(document) if not r.passed]
    assert failed.case == "testchain2-1 start"
    assert says in failed.detail


def test_an_app_hash_is_not_compared_where_a_root_is_unknown(recorded, replay):
    """It cannot be computed then; the roots that are known count still."""
    document = recorded("ibc_v2")
    for chain in document["chains"]:
        del chain["commit_info"]
    document["steps"][-1]["app_hash"] = "00" * 32
    assert [r for r in replay(document) if not r.passed] == []
    document["steps"][-1]["commit_info"]["ibc"] = "00" * 32
    assert len([r for r in replay(document) if not r.passed]) == 1


STEP = {"chain": "x-1", "height": 2, "time_ns": 5}
CHAIN = {"chain_id": "x-1"}
TX = {"msgs": [], "code": 0}
ACTION = {"action": "send_packet", "args": {}, "ok": False}


def with_step(**fields):
    return {"steps": [{name: value for name, value in {**STEP, **fields}.items() if value != "absent"}]}


MALFORMED = {
    "no steps": ({"chains": []}, "nobody understands it"),
    "steps of another type": ({"steps": {}}, "file.steps is no list"),
    "no step": ({"steps": []}, "no case in it"),
    "a step of another type": ({"steps": [5]}, "file.steps[0] is not an object"),
    "a step without a chain": (with_step(chain="absent"), "file.steps[0].chain is missing"),
    "a step without a height": (with_step(height="absent"), "file.steps[0].height is missing"),
    "a height in a text": (with_step(height="2"), "file.steps[0].height is no int"),
    "a height that is true": (with_step(height=True), "file.steps[0].height is no int"),
    "a height of none": (with_step(height=0), "file.steps[0].height is below 1"),
    "a step without a time": (with_step(time_ns="absent"), "file.steps[0].time_ns is missing"),
    "a time with a fraction": (with_step(time_ns=5.0), "file.steps[0].time_ns is no int"),
    "a hash of no bytes": (with_step(next_validators_hash="x"), "next_validators_hash is no hexadecimal"),
    "a transaction without a code": (with_step(txs=[{"msgs": []}]), "file.steps[0].txs[0].code is missing"),
    "a transaction without messages": (with_step(txs=[{"code": 0}]), "file.steps[0].txs[0].msgs is missing"),
    "a message without a type": (with_step(txs=[{"msgs": [{}], "code": 0}]), "msgs[0].type_url is missing"),
    "a message of no bytes": (
        with_step(txs=[{"msgs": [{"type_url": "/x", "value_b64": "AA"}], "code": 0}]),
        "msgs[0].value_b64 is no base64",
    ),
    "an action without a verdict": (
        with_step(actions=[{"action": "x", "args": {}}]),
        "actions[0].ok is missing",
    ),
    "an action without a name": (with_step(actions=[{"ok": True}]), "actions[0].action is missing"),
    "an argument of another type": (
        with_step(actions=[ACTION | {"args": {"port": 5}}]),
        "file.steps[0].actions[0].args.port is no str",
    ),
    "a write without a key": (with_step(ibc_store_changes=[{}]), "ibc_store_changes[0].key_b64 is missing"),
    "a balance of no amount": (
        with_step(balance_changes=[{"address": "x", "denom": "y", "amount": "-1"}]),
        "balance_changes[0].amount is no amount",
    ),
    "a balance of no address": (
        {"chains": [CHAIN | {"balances": [{"address": "x", "denom": "y", "amount": "1"}]}], "steps": [STEP]},
        "InvalidAddress",
    ),
    "an event without a type": (with_step(txs=[TX | {"events": [{}]}]), "events[0].type is missing"),
    "a chain without a name": ({"chains": [{}], "steps": [STEP]}, "file.chains[0].chain_id is missing"),
    "a chain twice": ({"chains": [CHAIN, CHAIN], "steps": [STEP]}, "file.chains have one name twice"),
    "an entry without a value": (
        {"chains": [CHAIN | {"stores": {"ibc": {"entries": [{"key_b64": "AA=="}]}}}], "steps": [STEP]},
        "file.chains[0].stores.ibc.entries have one without a value",
    ),
    "a question after no step": (
        {"steps": [STEP], "check_tx": [{"after_step": 7, "chain": "x-1", "msgs": [], "code": 0}]},
        "there is no step 7",
    ),
    "a question without an answer": (
        {"steps": [STEP], "check_tx": [{"after_step": 0, "chain": "x-1", "msgs": []}]},
        "file.check_tx[0].code is missing",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_one_failed_case(replay, name):
    document, reason = MALFORMED[name]
    (failed,) = [r for r in replay(document) if not r.passed]
    assert reason in failed.detail


def test_an_empty_transaction_and_an_unknown_action_are_refused(replay):
    unknown = {"action": "dance", "args": {}, "ok": False, "codespace": "ibc", "code": 4}
    callback = {"action": "app_behaviour", "args": {"callback": "x", "error": "y"}, "ok": False}
    empty = {"msgs": [], "code": 18, "codespace": "sdk"}
    results = replay(with_step(actions=[unknown, callback, ACTION], txs=[empty]))
    assert [r for r in results if not r.passed] == []
    assert len(results) == 4
