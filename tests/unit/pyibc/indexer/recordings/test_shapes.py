import json
from base64 import b64encode

import pytest

from pyibc.indexer.blocks.block import tx_hash_text
from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.recordings.records import Header, Results, TxRecord
from pyibc.indexer.recordings.shapes import records

EVENT = {"type": "send_packet", "attributes": [{"key": "packet_sequence", "value": "1"}]}
PARSED = ("send_packet", (("packet_sequence", "1"),))
RAW = b64encode(b"tx one").decode()
HEADER = {"chain_id": "a-1", "height": "7", "time": "2024-01-02T03:04:05.000000006Z"}
BLOCK = {"block_id": {}, "block": {"header": HEADER, "data": {"txs": [RAW]}}}
RESULTS = {
    "height": "7",
    "txs_results": [{"code": 0, "events": [EVENT], "gas_wanted": "5", "gas_used": "4", "log": "l"}],
    "finalize_block_events": [EVENT],
}
TIME = 1_704_164_645_000_000_006


def only(value):
    (found,) = records(value)
    return found


@pytest.mark.parametrize(
    "wrap", [lambda v: v, lambda v: {"jsonrpc": "2.0", "id": -1, "result": v}, lambda v: [v]]
)
def test_block_and_results_with_and_without_envelope(wrap):
    assert only(wrap(BLOCK)) == Header("a-1", 7, TIME, (b"tx one",))
    results = only(wrap(RESULTS))
    assert isinstance(results, Results)
    assert (results.height, results.block_events) == (7, (PARSED,))
    assert (results.txs[0].events, results.txs[0].gas_used, results.txs[0].log) == ((PARSED,), 4, "l")


def test_commit_and_header_name_chain_and_time_but_no_transactions():
    assert only({"signed_header": {"header": HEADER, "commit": {}}, "canonical": True}).txs is None
    assert only({"header": HEADER}) == Header("a-1", 7, TIME, None)


def test_the_block_that_query_block_prints_alone_has_its_transactions():
    assert only(BLOCK["block"] | {"evidence": {}, "last_commit": {}}) == Header("a-1", 7, TIME, (b"tx one",))


def test_items_of_a_kyve_bundle_are_unwrapped():
    items = [{"key": "7", "value": {"block": BLOCK, "block_results": RESULTS}}, {"key": "8", "value": None}]
    header, results, missing = records(items)
    assert (header.chain_id, results.block_events) == ("a-1", (PARSED,))
    assert isinstance(missing, MalformedRecording)
    assert only({"key": "7", "value": BLOCK["block"]}).txs == (b"tx one",)


def test_tendermint_034_has_events_before_and_after():
    old = RESULTS | {"begin_block_events": [EVENT], "end_block_events": [EVENT, EVENT]}
    del old["finalize_block_events"]
    assert only(old).block_events == (PARSED, PARSED, PARSED)


def test_a_log_that_repeats_the_events_is_not_read():
    log = json.dumps([{"events": [EVENT, EVENT]}])
    tx = RESULTS["txs_results"][0] | {"log": log}
    assert only(RESULTS | {"txs_results": [tx]}).txs[0].events == (PARSED,)


def test_failed_transactions_have_no_events():
    tx = RESULTS["txs_results"][0] | {"code": 11}
    failed = only(RESULTS | {"txs_results": [tx]}).txs[0]
    assert (failed.code, failed.events) == (11, ())


def test_dumps_pages_and_logged_calls_are_unwrapped():
    both = {"block": BLOCK, "block_results": RESULTS, "validators": {}}
    assert [type(r) for r in records({"chain_id": "a-1", "blocks": {"7": both}})] == [Header, Results]
    assert [type(r) for r in records({"method": "block", "response": {"result": BLOCK}})] == [Header]
    assert [type(r) for r in records({"blocks": [BLOCK, BLOCK], "total_count": "2"})] == [Header, Header]


def test_a_nodes_transactions():
    tx = {"hash": "aa", "height": "7", "tx_result": {"code": 0, "events": [EVENT]}, "tx": RAW}
    (one, two) = records({"txs": [tx, tx | {"hash": ""}], "total_count": "2"})
    assert isinstance(one, TxRecord)
    assert (one.height, one.time_ns, one.tx.hash, one.tx.events) == (7, None, "AA", (PARSED,))
    assert two.tx.hash == tx_hash_text(b"tx one")


def test_attributes_that_are_not_text_are_counted_beside_what_is_read():
    odd = {"type": "update_client", "attributes": [{"key": "header", "value": {"@type": "/header"}}]}
    tx = RESULTS["txs_results"][0] | {"events": [EVENT, odd]}
    read = (PARSED, ("update_client", ()))
    whole = only(RESULTS | {"txs_results": [tx, tx], "begin_block_events": [odd]})
    assert ([each.events for each in whole.txs], whole.left_out) == ([read, read], 3)
    single = only({"hash": "aa", "height": "7", "tx_result": tx})
    assert (single.tx.events, single.left_out) == (read, 1)
    for found in (only(gateway(events=[EVENT, odd])), only(gateway(logs=[{"events": [EVENT, odd]}]))):
        assert ([kind for kind, _ in found.tx.events], found.left_out) == (
            ["send_packet", "update_client"],
            1,
        )


def gateway(**more):
    message = {
        "@type": "/ibc.core.channel.v1.MsgAcknowledgement",
        "packet": {"sequence": "3", "source_port": "transfer", "source_channel": "channel-1"},
        "acknowledgement": b64encode(b'{"error":"no"}').decode(),
        "signer": "relayer",
    }
    response = {"height": "7", "txhash": "BB", "code": 0, "timestamp": "2024-01-02T03:04:05Z", "logs": []}
    return {"tx": {"body": {"messages": [message]}}, "tx_response": response | more}


def test_the_gateway_prefers_events_then_logs_then_raw_log():
    other = {"type": "other", "attributes": []}
    log = [{"msg_index": 0, "events": [other]}, {"msg_index": 1, "events": [other]}]
    indexed = (("other", (("msg_index", "0"),)), ("other", (("msg_index", "1"),)))
    assert only(gateway(events=[EVENT], logs=log)).tx.events == (PARSED,)
    assert only(gateway(logs=log, raw_log=json.dumps([{"events": [EVENT]}]))).tx.events == indexed
    assert only(gateway(raw_log=json.dumps(log))).tx.events == indexed


def test_the_gateway_tells_acknowledgements_and_the_signer():
    record = only(gateway(events=[EVENT]))
    assert record.time_ns == TIME - 6
    assert record.tx.signer == "relayer"
    assert record.tx.acks[0] == ("transfer", "channel-1", 3, b'{"error":"no"}')


def test_a_page_of_the_gateway():
    page = {"txs": [{}], "tx_responses": [gateway(events=[EVENT])["tx_response"]], "pagination": None}
    assert only(page).tx.hash == "BB"


def test_results_of_a_node_that_leaves_out_zeros():
    txs = [{"code": 32, "codespace": "sdk", "log": "no"}, {"data": "CgA=", "events": [EVENT]}]
    found = only(RESULTS | {"txs_results": txs})
    assert [tx.code for tx in found.txs] == [32, 0]
    assert [len(tx.events) for tx in found.txs] == [0, 1]


def without(value, *path):
    copy = json.loads(json.dumps(value))
    inner = copy
    for part in path[:-1]:
        inner = inner[part]
    del inner[path[-1]]
    return copy


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (without(BLOCK, "block", "header"), "without a header"),
        (without(BLOCK, "block", "header", "chain_id"), "valid chain_id"),
        (without(BLOCK, "block", "header", "height"), "valid height"),
        (without(BLOCK, "block", "header", "time"), "time"),
        (without(BLOCK, "block", "data"), "without a data"),
        (without(RESULTS, "height"), "valid height"),
        (without(RESULTS, "txs_results"), "list txs_results"),
        (without(RESULTS, "txs_results", 0, "events"), "successful transaction without events"),
        (RESULTS | {"txs_results": [{}]}, "successful transaction without events"),
        (RESULTS | {"height": "-7"}, "valid height"),
        (RESULTS | {"height": "\u0667"}, "valid height"),
        (RESULTS | {"height": 7.0}, "valid height"),
        (RESULTS | {"txs_results": {}}, "list txs_results"),
        (RESULTS | {"txs_results": [None]}, "that is not an object"),
        (RESULTS | {"txs_results": [{"code": "x", "events": []}]}, "code that is not a number"),
        (RESULTS | {"finalize_block_events": 3}, "not a list"),
        ({"block": {"header": HEADER | {"time": "2024-13-02T03:04:05Z"}, "data": {}}}, "time"),
        ({"header": HEADER | {"time": "0001-01-01T00:00:00Z"}}, "time"),
        ({"header": HEADER | {"time": "2262-04-12T00:00:00Z"}}, "time"),
        ({"block": {"header": HEADER, "data": {"txs": ["%%"]}}}, "not base64"),
        (
            {"jsonrpc": "2.0", "error": {"code": -32603, "message": "height 9 is not available"}},
            "JSON-RPC error",
        ),
        ({"hash": "aa", "height": "7", "tx_result": {"code": 0}}, "list events"),
        ({"hash": "aa", "tx_result": {"code": 0, "events": []}}, "valid height"),
        (gateway(raw_log=""), "without events, logs or raw_log"),
        (gateway(raw_log="{"), "raw_log that is not JSON"),
        (gateway(logs=[3]), "log is not an object"),
        ({"tx_response": None}, "without a tx_response"),
        ({"some": "thing"}, "neither a known kind of response nor has it chain_registry or chain_lineages"),
        ({}, "neither a known kind of response"),
        (3, "JSON int"),
        ("text", "JSON str"),
        (None, "JSON NoneType"),
        ([[[[[[[[[[[]]]]]]]]]]], "too many envelopes"),
    ],
)
def test_odd_shapes_are_told_with_a_reason(value, reason):
    found = only(value)
    assert isinstance(found, MalformedRecording)
    assert reason in found.reason


def test_one_bad_part_does_not_hide_the_others():
    found = list(records([BLOCK, 3, RESULTS]))
    assert [type(r) for r in found] == [Header, MalformedRecording, Results]
