"""The recordings of two live ibc-go chains; what is there is counted here by other means."""

import base64
import gzip
import json
import re

import pytest

from conformance.case import Mismatch, run_files
from conformance.vectors import live_dump, live_proofs
from light_client.tendermint.comet_json import read_signed_header

pytestmark = pytest.mark.vectors


@pytest.fixture(scope="module")
def results(live_dir, reports):
    report = reports(live_dir / "dump")
    assert report.failed == []
    return [result for result in report.results if not result.left_out]


def raw(live_dir, name):
    with gzip.open(live_dir / "dump" / name) as file:
        return json.load(file)


def cases(results, file, pattern):
    return [r.case for r in results if r.file == file and re.search(pattern, r.case)]


@pytest.mark.parametrize("chain", ["ibc-0", "ibc-1"])
def test_every_header_is_checked_and_followed(live_dir, results, chain):
    heights = {int(height) for height in raw(live_dir, f"chain-{chain}.json.gz")["blocks"]}
    assert heights == set(range(1, len(heights) + 1))
    assert len(heights) >= 224
    file = f"chain-{chain}.json.gz"
    hashed = {int(case.split()[1]) for case in cases(results, file, "^hashes ")}
    followed = {int(case.split()[-1]) for case in cases(results, file, "^client one by one ")}
    assert hashed == heights
    assert followed == heights - {1, 2}  # the client is made of the second: the first commits to no state
    assert len(cases(results, file, "^results ")) == len(heights) - 1
    for seed in range(3):
        steps = [case.split() for case in cases(results, file, f"^client skips {seed} ")]
        assert [step[-3] for step in steps] == ["2", *(step[-1] for step in steps[:-1])]
        assert steps[-1][-1] == str(max(heights))
        assert max(int(step[-1]) - int(step[-3]) for step in steps) > 20


def presence_of(answers):
    shown = ["presence" if base64.b64decode(answer.get("value") or "") else "absence" for answer in answers]
    return {kind: shown.count(kind) for kind in ("presence", "absence")}


def test_every_proof_of_the_chains_is_verified(live_dir, results):
    total = {"presence": 0, "absence": 0}
    for chain in ("ibc-0", "ibc-1"):
        file = f"chain-{chain}.json.gz"
        proofs = [p["answer"].get("response", p["answer"]) for p in raw(live_dir, file)["proofs"]]
        for kind, count in presence_of(proofs).items():
            assert len(cases(results, file, f"^proof .* {kind}$")) == count
            total[kind] += count
    assert total == {"presence": 27, "absence": 7}


def test_every_proof_that_the_relayer_asked_for_is_verified(live_dir, results):
    asked = [
        call["response"]["result"]["response"]
        for call in raw(live_dir, "rpc.json.gz")
        if call["method"] == "abci_query" and call["params"]["prove"]
    ]
    found = {kind: len(cases(results, "rpc.json.gz", f" {kind}$")) for kind in ("presence", "absence")}
    assert found == {"presence": 132, "absence": 39}
    assert sum(found.values()) == len(asked) - 1  # of one height no header was recorded


def test_every_grpc_message_is_read_and_written_again(live_dir, results):
    assert len(cases(results, "grpc.json.gz", "re")) == 2 * len(raw(live_dir, "grpc.json.gz")) == 382


def test_what_proves_nothing_is_left_out_by_name(live_dir, reports):
    left_out = [r for r in reports(live_dir / "dump").results if r.left_out]
    assert {r.file for r in left_out} == {"rpc.json.gz", "calls-ibc-0.jsonl.gz", "calls-ibc-1.jsonl.gz"}
    assert not [r for r in left_out if "header 226" not in r.detail and " proof" in r.case]


def test_a_spoilt_recording_is_noticed(live_dir, tmp_path):
    data = raw(live_dir, "chain-ibc-1.json.gz")
    data["blocks"] = {height: block for height, block in data["blocks"].items() if int(height) < 40}
    data["blocks"]["20"]["block"]["block"]["header"]["app_hash"] = "00" * 32
    data["blocks"]["30"]["commit"]["signed_header"]["commit"]["signatures"][0]["signature"] = "AA" * 43 + "=="
    answer = data["proofs"][0]["answer"]["response"]
    answer["value"] = base64.b64encode(b"x" + base64.b64decode(answer["value"])).decode()
    (tmp_path / "chain-spoilt.json").write_text(json.dumps(data))
    failed = {r.case for r in run_files(tmp_path, live_dump.cases_of) if not r.passed}
    assert {"hashes 20", "hashes 30", "client one by one 29 to 30"} <= failed
    assert {case for case in failed if case.endswith("presence")} == {
        f"proof 0 {data['proofs'][0]['key']} presence"
    }


def test_a_proof_that_shows_what_it_must_not_is_noticed(live_dir):
    proof = raw(live_dir, "chain-ibc-0.json.gz")["proofs"][0]
    signed = read_signed_header(proof["commit"]["signed_header"])
    checks = dict(live_proofs.of_record("proof 0", proof, signed, signed))
    for case, check in checks.items():
        if case.endswith("other height"):
            with pytest.raises(Mismatch):
                check()
        else:
            check()
    assert len(checks) == 5
