"""JSON of messages that must print again as it was written, as interchain accounts and GMP read it."""

import json

import pytest

from pyibc.codec import exact_json
from pyibc.codec.anys import AnyMessage
from pyibc.codec.exact_json import read_exactly, read_messages
from pyibc.core.errors import TxDecode, UnknownMessage
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx
from pyibc.proto.pool import message_class

SEND = {
    "@type": "/cosmos.bank.v1beta1.MsgSend",
    "from_address": "a",
    "to_address": "b",
    "amount": [{"denom": "stake", "amount": "5"}],
}


def sent(**changes):
    return {"messages": [{**SEND, **changes}]}


def test_what_prints_alike_is_read():
    texts = [
        json.dumps(sent()),
        json.dumps(sent(), indent=3),
        json.dumps({"messages": [dict(reversed(SEND.items()))]}),
        json.dumps(sent()).replace('"a"', '"\\u0061"'),
        json.dumps(sent()).replace('"from_address": "a"', '"from_address": "z", "from_address": "a"'),
    ]
    for text in texts:
        [packed] = read_exactly(CosmosTx, text.encode()).messages
        read = MsgSend.FromString(packed.value)
        assert (packed.type_url, read.from_address, read.amount[0].amount) == (SEND["@type"], "a", "5")
    assert read_exactly(CosmosTx, b'{"messages":[]}') == CosmosTx()


COIN = {"denom": "stake", "amount": "5"}


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"messages": None},
        None,
        [],
        sent(amount=[{"denom": "stake"}]),
        sent(amount=[{**COIN, "amount": "05"}]),
        sent(amount=[{**COIN, "amount": ""}]),
        sent(amount=[{**COIN, "amount": "-0"}]),
        sent(amount=[{**COIN, "amount": str(2**256)}]),
        sent(amount=[{**COIN, "amount": "+5"}]),
        sent(amount=[{**COIN, "amount": 5}]),
        sent(amount=[{**COIN, "more": None}]),
        sent(amount=None),
        sent(memo="unknown"),
        sent(memo=None),
        sent(**{"@type": "/nobody.MsgSend"}),
        sent(**{"@type": "cosmos.bank.v1beta1.MsgSend"}),
        {"messages": [{**{k: v for k, v in SEND.items() if k != "from_address"}, "fromAddress": "a"}]},
        {"messages": [SEND], "more": 1},
        {"Messages": [SEND]},
    ],
)
def test_what_prints_otherwise_is_refused(content):
    with pytest.raises(TxDecode):
        read_exactly(CosmosTx, json.dumps(content).encode())


@pytest.mark.parametrize("raw", [b"", b"{", b'{"messages":[]} {}', b"\xef\xbb\xbf{}", b'{"messages":[]},'])
def test_what_is_no_json(raw):
    with pytest.raises(TxDecode):
        read_exactly(CosmosTx, raw)


def test_deep_input_costs_no_recursion():
    with pytest.raises(TxDecode):
        read_exactly(CosmosTx, b'{"messages":' + b"[" * 9_000 + b"]" * 9_000 + b"}")


MESSAGES = "cosmos.bank.v1beta1.MsgSend", "ibc.applications.gmp.v1.MsgSendCall"
CALL = {
    "@type": f"/{MESSAGES[1]}",
    "source_client": "c",
    "sender": "s",
    "receiver": "",
    "salt": None,
    "payload": "AQ==",
    "timeout_timestamp": "5",
    "memo": "",
    "encoding": "",
}


def wire(url):
    if url[1:] not in MESSAGES:
        raise UnknownMessage(url)
    return message_class(url[1:])


def test_messages_by_the_classes_that_are_given():
    for spelt in (CALL, dict(reversed(CALL.items()))):
        (found,) = read_messages(json.dumps({"messages": [spelt]}).encode(), wire)
        assert found == AnyMessage(CALL["@type"], b"\x0a\x01c\x12\x01s\x2a\x01\x01\x30\x05")
    assert read_messages(b'{"messages":[]}', wire) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"messages":null}',
        b'{"messages":{}}',
        b'{"messages":[],"x":1}',
        b'{"messages":[null]}',
        b'{"messages":[{}]}',
        b'{"messages":[{"@type":5}]}',
        *[
            json.dumps({"messages": [changed]}).encode()
            for changed in (
                CALL | {"salt": ""},  # as Go holds nothing it prints null
                CALL | {"payload": None, "x": 1},
                {name: each for name, each in CALL.items() if name != "memo"},
            )
        ],
    ],
)
def test_what_is_no_cosmos_tx(content):
    with pytest.raises(TxDecode):
        read_messages(content, wire)


def test_messages_of_no_class():
    with pytest.raises(UnknownMessage):
        read_messages(b'{"messages":[{"@type":"/no.such.Msg"}]}', wire)


def test_h253_a_text_has_so_many_values_for_its_size():
    """Three values a coin: thirty bytes pay for them, the shortest coins of all do not."""
    coins = [{"denom": "ustake", "amount": "1000000"}] * 500
    assert len(read_exactly(CosmosTx, json.dumps(sent(amount=coins)).encode()).messages) == 1
    for text in (
        json.dumps(sent(amount=[{"denom": "a", "amount": "1"}] * 500), separators=(",", ":")),
        f'{{"messages":{json.dumps([{}] * 500)}}}',
        f'{{"messages":{"[" * 500 + "]" * 500}}}',
    ):
        with pytest.raises(TxDecode, match="too many values"):
            read_exactly(CosmosTx, text.encode())
    in_a_text = sent(from_address=json.dumps([[], {}] * 500))
    assert len(read_exactly(CosmosTx, json.dumps(in_a_text).encode()).messages) == 1


@pytest.mark.parametrize("coin", [{}, {"denom": "a"}, {"amount": "1", "x": 1}, {**COIN, "x": 1}])
def test_h253_an_object_without_its_fields_is_no_message(coin, monkeypatch):
    """It is refused before a message is made."""
    monkeypatch.setattr(exact_json, "read_message", lambda *_: pytest.fail("a message was made"))
    [fields] = sent(amount=[COIN, coin])["messages"]
    text = json.dumps({name: content for name, content in fields.items() if name != "@type"})
    with pytest.raises(TxDecode, match="MsgSend prints otherwise"):
        read_exactly(MsgSend, text.encode())
