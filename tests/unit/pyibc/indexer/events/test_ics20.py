import json

import pytest

from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.packet_data import AbiTransfer, encode_abi
from pyibc.core.errors import InvalidAmount, InvalidType
from pyibc.indexer.events.ics20 import Transfer, refund_of, transfer_of, transfer_of_payload

GOOD = {"denom": "transfer/channel-0/uatom", "amount": "12", "sender": "a", "receiver": "b", "memo": ""}


def test_the_json_of_ics20():
    whole = Transfer("transfer/channel-0/uatom", "12", "a", "b")
    assert transfer_of(json.dumps(GOOD).encode()) == whole
    assert transfer_of(json.dumps(GOOD | {"amount": 20}).encode()) == whole._replace(amount="20")
    assert transfer_of(json.dumps(GOOD | {"memo": "for you"}).encode()).memo == "for you"
    assert transfer_of(json.dumps(GOOD | {"memo": 5}).encode()) == whole
    top = str(2**256 - 1)
    assert transfer_of(json.dumps(GOOD | {"amount": top}).encode()).amount == top
    assert transfer_of(json.dumps(GOOD | {"amount": "000"}).encode()).amount == "0"


@pytest.mark.parametrize(
    "amount", ["", "-1", "1.0", "1e3", " 1", "0x", "\u0661", "08", "9" * 79, 1.5, None, True, [], -4]
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
    encoded = b"\x0a\x01u\x12\x011\x1a\x01s\x22\x01r\x2a\x01m"
    assert transfer_of_payload("application/x-protobuf", encoded) == Transfer("u", "1", "s", "r", "m")
    assert transfer_of_payload("application/x-protobuf", b"\x0a") is None
    assert transfer_of_payload("application/cbor", encoded) is None


def test_the_abi_of_solidity():
    whole = AbiTransfer("transfer/cl-1/uatom", "0xA1", "cosmos1b", 2**256 - 1, "m")
    found = transfer_of_payload("application/x-solidity-abi", encode_abi(whole))
    assert found == Transfer(whole.denom, str(2**256 - 1), "0xA1", "cosmos1b", "m")


@pytest.mark.parametrize("cut", range(0, 416, 31))
def test_abi_that_is_cut_or_leads_outside_is_no_transfer(cut):
    raw = encode_abi(AbiTransfer("uatom", "s", "r", 5, ""))
    assert len(raw) == 416
    assert transfer_of_payload("application/x-solidity-abi", raw[:cut]) is None
    far = raw[:32] + (2**255).to_bytes(32, "big") + raw[64:]
    assert transfer_of_payload("application/x-solidity-abi", far) is None
    odd = raw.replace(b"uatom", b"\xff\xfe\xff\xfe\xff")
    assert transfer_of_payload("application/x-solidity-abi", odd) is None


@pytest.mark.parametrize(("amount", "digits"), [("0x10", "16"), ("010", "8"), ("+7", "7"), ("1_000", "1000")])
def test_amounts_are_read_as_ibc_go_reads_them(amount, digits):
    assert transfer_of(json.dumps(GOOD | {"amount": amount}).encode()).amount == digits


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (rb'"amount":"7","memo":"half \ud83d"', Transfer("uatom", "7", "a", "b", "half \ufffd")),
        (rb'"amount":"7","memo":"\ud83d\ude00"', Transfer("uatom", "7", "a", "b", "\U0001f600")),
        (b'"amount":"7","memo":"\xff\xc3"', Transfer("uatom", "7", "a", "b", "\ufffd\ufffd")),
        (b'"amount":"7","\xff":""', None),
        (b'"amount":"1","Amount":"7","MEMO":null', Transfer("uatom", "7", "a", "b")),
        (rb'"amount":"1\ud83d"', None),
    ],
)
def test_packet_data_is_read_as_the_transfer_module_reads_it(data, expected):
    raw = b'{"denom":"uatom","sender":"a","receiver":"b",%b}' % data
    assert transfer_of(raw) == expected
    assert transfer_of_payload("application/json", raw) == expected
    try:
        module = packet_data.decode(raw)
    except (InvalidType, InvalidAmount):
        module = None
    found = module and Transfer(
        module.denom.path, str(module.amount), module.sender, module.receiver, module.memo
    )
    assert found == expected


@pytest.mark.parametrize("field", ["sender", "receiver"])
def test_people_must_be_texts(field):
    assert transfer_of(json.dumps(GOOD | {field: 5}).encode()) is None


def test_refunds_of_every_age():
    assert refund_of({"refund_denom": "u", "refund_amount": "3"}) == Transfer("u", "3")
    told = {"refund_denom": "u", "refund_amount": "3", "refund_receiver": "alice"}
    assert refund_of(told) == Transfer("u", "3", "alice")
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
