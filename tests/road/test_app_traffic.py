"""Blocks of applications' packets that the benchmark takes: what comes of each, replayed from the start."""

import json

from conformance.transcripts.replay import Replay


def test_each_message_of_the_benchmark_does_what_its_row_says(tmp_path):
    from benchmarks import app_transcripts as traffic

    document = traffic.Traffic(keys=20).document(blocks=1)
    file = tmp_path / "traffic.json"
    file.write_text(json.dumps(document))
    assert [each for each in Replay(file).run() if not each.passed] == []
    txs = [tx for step in document["steps"] for tx in step["txs"] if "label" in tx]
    told = {}
    for tx in txs:
        events = {event["type"] for event in tx["events"]}
        told.setdefault(tx["label"], []).append(events)
    assert {len(each) for each in told.values()} == {traffic.PER_BLOCK}
    both = {"write_acknowledgement", "send_packet"}
    assert {label for label, each in told.items() if all("send_packet" in events for events in each)} == {
        f"{kind}, sent" for kind in traffic.KINDS
    } | {f"{traffic.FORWARDED}, received and sent on"}
    forwarded = told[f"{traffic.FORWARDED}, received and sent on"]
    assert all(not both <= events for events in forwarded)  # its answer waits for the next hop's
    assert all("write_acknowledgement" in events for events in told[f"{traffic.FORWARDED}, answered"])
    for kind in (traffic.ACCOUNT, traffic.CALL):
        executed = told[f"{kind}, executed"]
        assert all({"write_acknowledgement", "coin_spent"} <= events for events in executed)
