"""Messages as CometBFT 0.34, 0.37 and 0.38 send them to subscribers of its WebSocket."""

from base64 import b64encode

import pytest

from pyibc.indexer.blocks.block import tx_hash_text
from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.recordings.assemble import Found, assemble
from pyibc.indexer.recordings.records import Header, Results
from pyibc.indexer.recordings.shapes import records

TIME = 1_704_164_645_000_000_006
TXS = (b"tx one", b"tx two")


def coded(raw):
    return b64encode(raw).decode()


def plain(kind, number):
    return {"type": kind, "attributes": [{"key": "packet_sequence", "value": number, "index": True}]}


def packed(kind, number):
    pair = {"key": coded(b"packet_sequence"), "value": coded(number.encode()), "index": True}
    return {"type": kind, "attributes": [pair]}


def parsed(kind, number):
    return (kind, (("packet_sequence", number),))


def message(kind, value):
    told = {"tm.event": [kind], "tx.height": ["7"]}
    data = {"type": f"tendermint/event/{kind}", "value": value}
    return {
        "jsonrpc": "2.0",
        "id": 3,
        "result": {"query": f"tm.event='{kind}'", "data": data, "events": told},
    }


def block(txs=TXS, **results):
    header = {"chain_id": "a-1", "height": "7", "time": "2024-01-02T03:04:05.000000006Z"}
    data = {"txs": [coded(tx) for tx in txs] or None}
    return message("NewBlock", {"block": {"header": header, "data": data, "last_commit": {}}, **results})


def older_block(event, txs=TXS):
    begin = {"events": [event("coinbase", "5")]}
    return block(txs, result_begin_block=begin, result_end_block={"validator_updates": None})


def tx(event, raw, index, **result):
    """Build a Tx message; Go omits an index, code and list that is empty."""
    answer = {"gas_wanted": "9", "gas_used": "8", "log": "[]", "events": [event("send_packet", str(index))]}
    place = {"height": "7"} | ({"index": index} if index else {})
    return message("Tx", {"TxResult": place | {"tx": coded(raw), "result": answer | result}})


def assembled(*messages):
    found = [record for each in messages for record in records(each)]
    assert not [each for each in found if isinstance(each, MalformedRecording)]
    return assemble([Found("ws.jsonl", record) for record in found])


def test_a_new_block_since_038_has_the_results_of_its_transactions():
    results = {
        "events": [plain("coinbase", "5")],
        "tx_results": [
            {
                "code": 0,
                "data": None,
                "gas_wanted": "9",
                "gas_used": "8",
                "events": [plain("send_packet", "1")],
            },
            {"code": 11, "codespace": "sdk", "log": "out of gas", "events": [plain("tx", "2")]},
        ],
        "app_hash": "AA==",
    }
    (found,) = assembled(block(result_finalize_block=results)).blocks
    assert (found.chain_id, found.height, found.time_ns, found.partial) == ("a-1", 7, TIME, False)
    assert [(each.hash, each.code, each.events) for each in found.txs] == [
        (tx_hash_text(TXS[0]), 0, (parsed("send_packet", "1"),)),
        (tx_hash_text(TXS[1]), 11, ()),
    ]
    assert found.block_events == (parsed("coinbase", "5"),)


def test_a_new_block_since_038_may_be_empty():
    (found,) = assembled(block((), result_finalize_block={"validator_updates": []})).blocks
    assert (found.partial, found.txs, found.block_events) == (False, (), ())


@pytest.mark.parametrize("event", [packed, plain])
def test_before_038_a_block_is_complete_with_the_messages_of_its_transactions(event):
    one, two = tx(event, TXS[0], 0), tx(event, TXS[1], 1, code=5, codespace="sdk", events=None)
    for messages in ([one, two], [two, one, two]):
        (found,) = assembled(*messages, older_block(event)).blocks
        assert (found.chain_id, found.time_ns, found.partial) == ("a-1", TIME, False)
        assert [(each.hash, each.raw, each.code) for each in found.txs] == [
            (tx_hash_text(TXS[0]), TXS[0], 0),
            (tx_hash_text(TXS[1]), TXS[1], 5),
        ]
        assert [each.events for each in found.txs] == [(parsed("send_packet", "0"),), ()]
        assert found.block_events == (parsed("coinbase", "5"),)


def test_before_038_a_block_whose_transactions_lack_is_a_part_of_it():
    (found,) = assembled(older_block(packed), tx(packed, TXS[1], 1)).blocks
    assert (found.partial, [each.hash for each in found.txs]) == (True, [tx_hash_text(TXS[1])])
    (empty,) = assembled(older_block(packed, ())).blocks
    assert (empty.partial, empty.block_events) == (False, (parsed("coinbase", "5"),))
    (twice,) = assembled(older_block(packed, (TXS[0], TXS[0])), tx(packed, TXS[0], 0)).blocks
    assert (twice.partial, len(twice.txs)) == (True, 1)
    two = [older_block(packed, TXS), older_block(packed, (TXS[0], b"other"))]
    (differing,) = assembled(*two, tx(packed, TXS[0], 0), tx(packed, b"other", 1)).blocks
    assert (differing.partial, [each.raw for each in differing.txs]) == (True, [TXS[0], b"other"])
    (bare,) = assembled(block(), tx(packed, TXS[0], 0), tx(packed, TXS[1], 1)).blocks
    assert (bare.partial, len(bare.txs)) == (True, 2)


def test_results_of_the_block_count_before_its_messages():
    events = [packed("send_packet", "1")]
    results = {"height": "7", "txs_results": [{"code": 0, "events": events}] * 2, "end_block_events": None}
    for messages in ([results, older_block(packed)], [older_block(packed), results]):
        found = assembled(*messages, tx(packed, TXS[0], 0, gas_used="1"))
        assert found.skipped == []
        assert [(each.partial, len(each.txs), each.block_events) for each in found.blocks] == [(False, 2, ())]


def test_blocks_of_two_chains_in_one_recording_keep_their_results():
    other = block((), result_finalize_block={"events": [plain("coinbase", "6")]})
    other["result"]["data"]["value"]["block"]["header"]["chain_id"] = "b-1"
    found = assembled(block((), result_finalize_block={"events": [plain("coinbase", "5")]}), other).blocks
    assert [(each.chain_id, each.block_events) for each in found] == [
        ("a-1", (parsed("coinbase", "5"),)),
        ("b-1", (parsed("coinbase", "6"),)),
    ]


def test_a_confirmed_subscription_is_no_record():
    assert list(records({"jsonrpc": "2.0", "id": 3, "result": {}})) == []
    assert [type(found) for found in records({"result": {}})] == [MalformedRecording]


def test_attributes_that_are_not_text_are_counted():
    odd = {"type": "coinbase", "attributes": [{"key": "amount", "value": {"x": 1}}]}
    for part in (
        block(result_finalize_block={"events": [odd], "tx_results": [{"events": [odd]}, {}]}),
        block(result_begin_block={"events": [odd]}, result_end_block={"events": [odd]}),
    ):
        header, results = records(part)
        assert isinstance(header, Header)
        assert isinstance(results, Results)
        assert (results.left_out, results.header) == (2, header)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (message("Vote", {"Vote": {}}), "a subscription message of type 'Vote', not NewBlock or Tx"),
        (message("NewBlock", None), "a subscription message without a value"),
        (message("NewBlock", {}), "a NewBlock message without a block"),
        (message("Tx", {}), "a Tx message without a TxResult"),
        (message("Tx", {"TxResult": {"height": "7", "tx": "AA=="}}), "a Tx message without a result"),
        (message("Tx", {"TxResult": {"height": "7", "result": {}}}), "a transaction is not base64"),
        (message("Tx", {"TxResult": {"tx": "AA==", "result": {}}}), "without a valid height"),
    ],
)
def test_odd_messages_are_told_with_a_reason(value, reason):
    (found,) = records(value)
    assert isinstance(found, MalformedRecording)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ({"result_finalize_block": None}, "without a result_finalize_block"),
        ({"result_finalize_block": {"tx_results": {}}}, "without a list tx_results"),
        ({"result_finalize_block": {"tx_results": [3, 3]}}, "without a result for each"),
        ({"result_finalize_block": {"tx_results": [{}]}}, "without a result for each"),
        ({"result_finalize_block": {}}, "without a result for each"),
        ({"result_begin_block": 3}, "without a result_begin_block"),
        ({"result_end_block": {"events": 3}}, "events are of type int"),
    ],
)
def test_the_header_of_a_message_counts_without_its_results(results, reason):
    header, error = records(block(**results))
    assert isinstance(header, Header)
    assert isinstance(error, MalformedRecording)
    assert reason in error.reason
