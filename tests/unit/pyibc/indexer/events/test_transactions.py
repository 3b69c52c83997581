"""Decoding of transactions from bytes and JSON gives the same content; malformed parts are reported."""

import json

import msgspec
import pytest
from google.protobuf import json_format

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import MAX_MEMO, Document, MessageFacts, TxContent, from_document, to_document
from pyibc.indexer.errors import MalformedContent
from pyibc.indexer.events.messages import SHAPES
from pyibc.indexer.events.transactions import claim_of_header, content_of_bytes, content_of_json
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.applications.transfer.v1.tx_pb2 import MsgTransfer
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client
from pyibc.proto.ibc.core.client.v2 import tx_pb2 as client_v2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint

HOUR_NS = 3600 * 10**9


def read_back(document):
    return from_document(msgspec.convert(document, Document))


def packed(message):
    return Any(type_url=f"/{message.DESCRIPTOR.full_name}", value=message.SerializeToString())


def client_state(chain_id="beta-7", seconds=3600):
    state = tendermint.ClientState(chain_id=chain_id)
    state.trusting_period.seconds = seconds
    state.latest_height.revision_number, state.latest_height.revision_height = 7, 41
    return state


def header(chain_id="beta-7", height=55):
    made = tendermint.Header()
    made.signed_header.header.chain_id, made.signed_header.header.height = chain_id, height
    made.signed_header.header.time.FromJsonString("2024-01-02T03:04:05.000000006Z")
    return made


def create(**more):
    consensus = tendermint.ConsensusState()
    consensus.timestamp.seconds = 1000
    return client.MsgCreateClient(
        client_state=packed(client_state(**more)), consensus_state=packed(consensus), signer="rel"
    )


def recv(end="channel-4", port="wasm.x"):
    made = channel.MsgRecvPacket(signer="rel2")
    made.packet.sequence = 2**64 - 1
    made.packet.source_port, made.packet.source_channel = "transfer", "channel-3"
    made.packet.destination_port, made.packet.destination_channel = port, end
    made.proof_height.revision_number, made.proof_height.revision_height = 7, 56
    return made


def opening():
    made = channel.MsgChannelOpenInit(port_id="icacontroller-1", signer="rel")
    made.channel.ordering = 2
    return made


CREATED = MessageFacts(
    "/ibc.core.client.v1.MsgCreateClient",
    "rel",
    chain_id="beta-7",
    revision=7,
    height=41,
    time_ns=1000 * 10**9,
    trusting_ns=HOUR_NS,
)
UPDATED = MessageFacts(
    "/ibc.core.client.v1.MsgUpdateClient",
    "rel",
    "07-tendermint-9",
    chain_id="beta-7",
    revision=7,
    height=55,
    time_ns=1704164645 * 10**9 + 6,
)
RECEIVED = MessageFacts(
    "/ibc.core.channel.v1.MsgRecvPacket",
    "rel2",
    port="wasm.x",
    channel="channel-4",
    sequence=MAX_I64,
    revision=7,
    height=56,
)
CASES = [
    (create(), CREATED),
    (
        client.MsgUpdateClient(client_id="07-tendermint-9", client_message=packed(header()), signer="rel"),
        UPDATED,
    ),
    (recv(), RECEIVED),
    (
        channel.MsgAcknowledgement(packet=recv().packet, signer="rel"),
        MessageFacts(
            "/ibc.core.channel.v1.MsgAcknowledgement",
            "rel",
            port="transfer",
            channel="channel-3",
            sequence=MAX_I64,
        ),
    ),
    (
        channel_v2.MsgTimeout(packet={"source_client": "cl-1", "sequence": 6}, signer="rel"),
        MessageFacts("/ibc.core.channel.v2.MsgTimeout", "rel", "cl-1", sequence=6),
    ),
    (
        client_v2.MsgRegisterCounterparty(client_id="cl-1", counterparty_client_id="cl-2", signer="me"),
        MessageFacts("/ibc.core.client.v2.MsgRegisterCounterparty", "me", "cl-1", other_client="cl-2"),
    ),
    (
        opening(),
        MessageFacts(
            "/ibc.core.channel.v1.MsgChannelOpenInit", "rel", port="icacontroller-1", ordering="ORDER_ORDERED"
        ),
    ),
    (
        MsgTransfer(source_port="transfer", source_channel="channel-3", sender="alice"),
        MessageFacts(
            "/ibc.applications.transfer.v1.MsgTransfer", "alice", port="transfer", channel="channel-3"
        ),
    ),
    (MsgSend(from_address="alice"), MessageFacts("/cosmos.bank.v1beta1.MsgSend")),
]


def printed(message):
    """Convert a message to the JSON of the SDK, in which an `Any` is its message with `@type`."""
    held = {field.name: value for field, value in message.ListFields() if isinstance(value, Any)}
    plain = type(message).FromString(message.SerializeToString())
    for field in held:
        plain.ClearField(field)
    found = {"@type": f"/{message.DESCRIPTOR.full_name}"}
    found |= json_format.MessageToDict(plain, preserving_proto_field_name=True)
    for field, value in held.items():
        kind = getattr(tendermint, value.type_url.rpartition(".")[2])
        found[field] = printed(kind.FromString(value.value))
    return found


@pytest.mark.parametrize(("message", "facts"), CASES)
def test_bytes_and_json_tell_the_same(tx_of, message, facts):
    raw = tx_of(message, memo="hi", coins=[("uatom", "12"), ("uosmo", "3")], payer="pays")
    expected = TxContent("hi", (("uatom", "12"), ("uosmo", "3")), "pays", (facts,))
    assert content_of_bytes(raw) == expected
    coins = [{"denom": "uatom", "amount": "12"}, {"denom": "uosmo", "amount": "3"}]
    tx = {
        "body": {"messages": [printed(message)], "memo": "hi"},
        "auth_info": {"fee": {"amount": coins, "payer": "pays"}},
    }
    assert content_of_json(json.loads(json.dumps(tx))) == expected
    assert read_back(msgspec.to_builtins(to_document(expected))) == expected


def test_a_header_of_older_json_has_another_name():
    message = {
        "@type": "/ibc.core.client.v1.MsgUpdateClient",
        "client_id": "07-tendermint-9",
        "signer": "rel",
    }
    content = content_of_json({"body": {"messages": [{**message, "header": printed(header())}]}})
    assert content.messages == (UPDATED,)


def test_a_header_in_an_event():
    encoded = packed(header()).SerializeToString()
    assert claim_of_header(encoded).chain_id == "beta-7"
    assert claim_of_header(packed(client_state()).SerializeToString()) is None
    with pytest.raises(MalformedContent, match="not an Any"):
        claim_of_header(b"\xff")
    with pytest.raises(MalformedContent, match=r"not a ibc.lightclients.tendermint.v1.Header"):
        claim_of_header(Any(type_url=f"/{header().DESCRIPTOR.full_name}", value=b"\xff").SerializeToString())


@pytest.mark.parametrize("raw", [b"x", b"tx", b"\x0a\x02\x08", b"\x0a\x01\xff"])
def test_other_transactions_have_no_content(raw):
    assert content_of_bytes(raw) is None


@pytest.mark.parametrize("tx", [None, [], "x", {}, {"body": []}, {"body": {"messages": {}}}])
def test_other_json_has_no_content(tx):
    assert content_of_json(tx) is None


def test_an_odd_message_is_named_and_the_others_count(tx_of):
    odd = client.MsgCreateClient(client_state=Any(type_url="/x", value=b"1"), signer="rel")
    odd.client_state.type_url = f"/{client_state().DESCRIPTOR.full_name}"
    odd.client_state.value = b"\xff"
    content = content_of_bytes(tx_of(odd, recv()))
    assert content.messages == (MessageFacts(""), RECEIVED)
    assert content.problems == (
        "message 0: /ibc.core.client.v1.MsgCreateClient: not a ibc.lightclients.tendermint.v1.ClientState",
    )
    assert content.signer == "rel2"


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("client_id", 5, "client_id is not a string"),
        ("client_id", "c" * 257, "client_id has 257 characters"),
        ("client_message", {"signed_header": []}, None),  # without a type, so nothing is decoded
        ("client_message", {"signed_header": [], "@type": 1}, None),
        (
            "client_message",
            {"signed_header": [], "@type": "/ibc.lightclients.tendermint.v1.Header"},
            "the parent of signed_header.header.chain_id is not an object",
        ),
        (
            "client_message",
            {
                "signed_header": {"header": {"height": "-1"}},
                "@type": "/ibc.lightclients.tendermint.v1.Header",
            },
            "signed_header.header.height is not a number",
        ),
        (
            "client_message",
            {"signed_header": {"header": {"time": 3}}, "@type": "/ibc.lightclients.tendermint.v1.Header"},
            "signed_header.header.time is not a time",
        ),
        (
            "client_message",
            {"trusting_period": "1h", "@type": "/ibc.lightclients.tendermint.v1.ClientState"},
            "trusting_period is not a duration",
        ),
    ],
)
def test_odd_json_is_named(field, value, reason):
    message = {"@type": "/ibc.core.client.v1.MsgUpdateClient", field: value}
    content = content_of_json({"body": {"messages": [message]}})
    expected = (f"message 0: /ibc.core.client.v1.MsgUpdateClient: {reason}",) if reason else ()
    assert content.problems == expected


def test_odd_fees_memos_and_messages_are_named():
    fee = {"amount": [{"denom": "uatom", "amount": "1x"}, 5, {"denom": "", "amount": "1"}], "payer": 4}
    content = content_of_json({"body": {"messages": [5, {}], "memo": 7}, "auth_info": {"fee": fee}})
    assert content.fee == ()
    assert content.problems == (
        "message 0: a message without a type",
        "message 1: a message without a type",
        "a fee that is not a list of coins",
        "a memo or a payer that is not a valid string",
    )


def test_long_parts_are_bounded(tx_of, monkeypatch):
    from pyibc.indexer.events import transactions as decode

    monkeypatch.setattr(decode, "MAX_MESSAGES", 2)
    monkeypatch.setattr(decode, "MAX_COINS", 1)
    content = content_of_bytes(tx_of(*[MsgSend()] * 3, memo="é" * 5000, coins=[("ua", "1"), ("ub", "2")]))
    assert (len(content.messages), len(content.memo), content.fee) == (2, MAX_MEMO, (("ua", "1"),))
    assert content.problems == ("more than 2 messages", "a fee that is not a list of coins")


@pytest.mark.parametrize(
    "document",
    [
        5,
        {"memo": 1},
        {"more": 1},
        {"memo": "x" * 1025},
        {"fee": [["a"]]},
        {"fee": [["a", "1"]] * 65},
        {"messages": [{"type_url": 5}]},
        {"messages": [{"type_url": "/x", "height": "5"}]},
        {"messages": [{"type_url": "/x", "height": -1}]},
        {"messages": [{"type_url": "/x", "height": 2**63}]},
        {"messages": [{"type_url": "/x", "height": True}]},
        {"messages": [{"type_url": "/x", "more": "5"}]},
    ],
)
def test_odd_content_of_a_line_is_refused(document):
    with pytest.raises(ValueError, match=r"invalid|outside|too large|Object|Expected"):
        read_back(document)


def test_every_message_of_a_packet_and_handshake_is_known():
    kinds = [kind for module in (channel, channel_v2) for kind in module.DESCRIPTOR.message_types_by_name]
    asked = {kind for kind in kinds if kind.startswith("Msg") and not kind.endswith("Response")}
    known = {url.rpartition(".")[2] for url in SHAPES}
    assert asked <= known
