"""Calls from chain to chain: what is executed, by whom, and what is undone."""

import json

import pytest

from pyibc.apps.gmp.messages import MsgSendCall, cosmos_tx
from pyibc.apps.transfer.messages import MsgUpdateTransferParams
from pyibc.codec.anys import AnyMessage, pack
from pyibc.core.errors import (
    InvalidAddress,
    InvalidCallEncoding,
    InvalidCallMemo,
    InvalidCallPayload,
    InvalidCallTimeout,
    InvalidIdentifier,
    InvalidSalt,
)
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.bank.v1beta1.bank_pb2 import Input, Output
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend, MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin


def bank_send(sender, receiver, amount):
    return pack(
        MsgSend(from_address=sender, to_address=receiver, amount=[Coin(denom="stake", amount=str(amount))])
    )


def as_json(*messages):
    """A CosmosTx of MsgSends in protojson."""
    said = [
        {
            "@type": "/cosmos.bank.v1beta1.MsgSend",
            "from_address": sender,
            "to_address": receiver,
            "amount": [{"denom": "stake", "amount": amount}],
        }
        for sender, receiver, amount in messages
    ]
    return json.dumps({"messages": said}).encode()


def failing(net):
    """Calls that fail, by what is wrong with them."""
    bob, own = net.bob, net.account.text
    to_bob = [Output(address=bob, coins=[Coin(denom="stake", amount="1")])]
    inputs = [Input(address=own, coins=[Coin(denom="stake", amount="1")])]
    return {
        "nothing": b"",
        "garbage": b"garbage",
        "no messages": b'{"messages":[]}',
        "null": b"null",
        "a list": b"[]",
        "messages that are null": b'{"messages":null}',
        "a message without a type": b'{"messages":[{}]}',
        "an unknown type": cosmos_tx([AnyMessage("/no.such.Msg", b"")]),
        "an empty Any": b"\x0a\x00",
        "a header": cosmos_tx([AnyMessage("/ibc.lightclients.tendermint.v1.Header", b"")]),
        "malformed": cosmos_tx([AnyMessage("/cosmos.bank.v1beta1.MsgSend", b"\xff")]),
        "bob's coins": cosmos_tx([net.send(1), bank_send(bob, net.alice, 1)]),
        "too much": cosmos_tx([net.send(1), net.send(10**9)]),
        "the second does not validate": cosmos_tx([net.send(1), net.send(1, to="x")]),
        "two inputs": cosmos_tx([pack(MsgMultiSend(inputs=inputs * 2, outputs=to_bob * 2))]),
        "governance": cosmos_tx([pack_msg(MsgUpdateTransferParams(False, False, own))]),
        "a number": as_json((own, bob, 7)),
        "another number": as_json((own, bob, "07")),
        "another name": as_json((own, bob, "7")).replace(b"from_address", b"fromAddress"),
        "an unknown field": as_json((own, bob, "7")).replace(b'{"messages"', b'{"x":1,"messages"'),
        "a field more": as_json((own, bob, "7")).replace(b'{"@type"', b'{"x":1,"@type"'),
        "no slash": as_json((own, bob, "7")).replace(b'"/cosmos', b'"cosmos'),
        "two values": as_json((own, bob, "7")) * 2,
    }


def test_h166_a_call_that_fails_leaves_nothing(net):
    net.fund(net.account)
    bob = net.b.users["bob"].address
    before = net.balance(bob)
    for name, payload in failing(net).items():
        assert net.call(payload).code == 0, name
        net.relay()
        assert net.answered()["success"] == "false", name
        assert (net.balance(net.account), net.balance(bob)) == (1000, before), name
        assert net.store() == {}, name


def test_spelt_otherwise_but_the_same(net):
    net.fund(net.account)
    one = as_json((net.account.text, net.bob, "1"))
    spelt = (
        b" \n" + one + b"\n",
        one.replace(b'"stake", "amount": "1"', b'"stake", "amount": "9", "amount": "1"'),
        one.replace(b"stake", b"\\u0073take"),
        cosmos_tx([net.send(1)]) + b"\x12\x01\x00",  # a field that a CosmosTx does not have
        cosmos_tx([AnyMessage(net.send(1).type_url, net.send(1).value + b"\x7a\x00")]),  # or a message
    )
    for payload in spelt:
        assert net.call(payload).code == 0
        net.relay()
        assert net.answered()["success"] == "true", payload
    assert net.balance(net.account) == 1000 - len(spelt)


REFUSED = {
    "a client id": ({"source_client": "x"}, InvalidIdentifier),
    "no sender": ({"sender": ""}, InvalidAddress),
    "a sender of another chain": ({"sender": "osmo1wtfsz5s94exrgawtgqanr2qu06vsvrc2qak4ey"}, InvalidAddress),
    "a receiver": ({"receiver": "r" * 2049}, InvalidAddress),
    "a payload": ({"payload": bytes(32_769)}, InvalidCallPayload),
    "a salt": ({"salt": bytes(33)}, InvalidSalt),
    "a memo": ({"memo": "m" * 32_769}, InvalidCallMemo),
    "no timeout": ({"timeout_s_on_b": 0}, InvalidCallTimeout),
    "an encoding": ({"encoding": "text/plain"}, InvalidCallEncoding),
}


@pytest.mark.parametrize(("changes", "error"), REFUSED.values(), ids=REFUSED)
def test_messages_that_cannot_be(net, changes, error):
    given = {
        "source_client": net.path.a.client_id,
        "sender": net.alice,
        "receiver": "",
        "salt": b"",
        "payload": b"p",
        "timeout_s_on_b": 10**10,
        "memo": "",
    } | changes
    route = net.a.chain.app.pipeline.messages()[MsgSendCall.TYPE_URL]
    with pytest.raises(error):
        route.decode(pack_msg(MsgSendCall(**given)).value)
