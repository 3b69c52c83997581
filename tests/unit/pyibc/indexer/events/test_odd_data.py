"""Packet data that Go reads and stricter JSON does not, from recordings to tables."""

import json
from base64 import b64encode

from tests.index_results import table
from tests.packet_attributes import attributes

SURROGATE = rb'{"denom":"uatom","amount":"7","sender":"alice","receiver":"bob","memo":"\ud83d"}'
BYTES = b'{"denom":"uatom","amount":"9","sender":"alice","receiver":"bob","memo":"\xff"}'


def recording(*packets):
    """Build responses of Tendermint 0.34, which prints attributes in base64; each packet is (name, data)."""

    def event(sequence, key, data):
        found = attributes(sequence, "channel-0", "channel-7", until=0, packet_timeout_height="0-90")
        pairs = [*((k, v.encode()) for k, v in found.items()), (key, data)]
        coded = [{"key": b64encode(k.encode()).decode(), "value": b64encode(v).decode()} for k, v in pairs]
        return {"type": "send_packet", "attributes": coded}

    header = {"chain_id": "a-1", "height": "7", "time": "2024-01-02T03:04:05Z"}
    txs = [
        {"code": 0, "events": [event(sequence, key, data)]} for sequence, (key, data) in enumerate(packets, 1)
    ]
    return [{"header": header}, {"height": "7", "txs_results": txs}]


def test_coins_that_the_transfer_module_takes_are_in_the_tables(index, tmp_path):
    packets = [("packet_data_hex", data.hex().encode()) for data in (SURROGATE, BYTES)]
    packets += [("packet_data", data) for data in (SURROGATE, BYTES)]
    (tmp_path / "a.json").write_text(json.dumps(recording(*packets)))
    outcome = index(tmp_path / "a.json", tmp_path / "out")
    assert outcome.summary["skipped"] == []
    columns = ["sequence", "denom", "amount", "sender", "receiver", "memo"]
    amounts = enumerate(("7", "9", "7", "9"), 1)
    expected = [(sequence, "uatom", amount, "alice", "bob", "\ufffd") for sequence, amount in amounts]
    for name in ("packets", "transfers"):
        rows = table(tmp_path / "out", name)
        assert sorted(tuple(row[column] for column in columns) for row in rows) == expected
