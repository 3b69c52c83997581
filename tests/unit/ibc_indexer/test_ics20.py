import json

import pytest

from ibc_indexer.ics20 import Transfer, refund_of, transfer_of, transfer_of_payload

GOOD = {"denom": "transfer/channel-0/uatom", "amount": "12", "sender": "a", "receiver": "b", "memo": ""}


def test_the_json_of_ics20():
    assert transfer_of(json.dumps(GOOD).encode()) == Transfer("transfer/channel-0/uatom", "12")
    assert transfer_of(json.dumps(GOOD | {"amount": 20}).encode()) == Transfer(
        "transfer/channel-0/uatom", "20"
    )
    top = str(2**256 - 1)
    assert transfer_of(json.dumps(GOOD | {"amount": top}).encode()).amount == top
    assert transfer_of(json.dumps(GOOD | {"amount": "000"}).encode()).amount == "0"


@pytest.mark.parametrize(
    "amount", ["", "-1", "+1", "1.0", "1e3", " 1", "0x10", "\u0661", "9" * 79, 1.5, None, True, [], -4]
)
def test_amounts_that_are_none(amount):
    assert transfer_of(json.dumps(GOOD | {"amount": amount}).encode()) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"denom":1,"amount":"1","sender":"","receiver":""}',
    ],
)
def test_other_data_is_no_transfer(data):
    assert transfer_of(data) is None


def test_payloads_of_ibc_v2():
    assert transfer_of_payload("application/json", json.dumps(GOOD).encode()).amount == "12"
    assert transfer_of_payload("application/x-protobuf", b"\x0a\x01u\x12\x011") == Transfer("u", "1")
    assert transfer_of_payload("application/x-protobuf", b"\x0a") is None
    assert transfer_of_payload("application/x-solidity-abi", b"") is None


def test_refunds_of_every_age():
    assert refund_of({"refund_denom": "u", "refund_amount": "3"}) == Transfer("u", "3")
    token = {
        "denom": {"base": "u", "trace": [{"port_id": "transfer", "channel_id": "channel-9"}]},
        "amount": "4",
    }
    assert refund_of({"refund_tokens": json.dumps(token)}) == Transfer("transfer/channel-9/u", "4")
    token["denom"]["trace"] = None
    assert refund_of({"refund_tokens": json.dumps([token])}) == Transfer("u", "4")
    for odd in (
        "",
        "{",
        "[]",
        "3",
        '{"denom":3,"amount":"1"}',
        '{"denom":{"trace":[3],"base":"u"},"amount":"1"}',
    ):
        assert refund_of({"refund_tokens": odd}) is None
    assert refund_of({}) is None
