"""Calls in packets are decoded as the application decodes them, and never guessed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.apps.gmp import packet_data as gmp_data
from pyibc.apps.gmp.packet_data import AccountIdentifier, GmpPacketData
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3,
    PROTO3_JSON,
    UNSPECIFIED,
    InterchainAccountPacketData,
    encode_packet_data,
)
from pyibc.codec.anys import AnyMessage
from pyibc.codec.gogoproto import read_cosmos_tx
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, Payload
from pyibc.indexer.events.calls import (
    GMP,
    INTERCHAIN_ACCOUNTS,
    MAX_MESSAGES,
    account_call,
    gmp_call,
)
from pyibc.indexer.events.packet_facts import facts_of
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.ibc.applications.transfer.v1.tx_pb2 import MsgTransfer
from pyibc.proto.ibc.core.channel.v2.packet_pb2 import Packet as Packet2
from pyibc.relayer.interchain_tx import write_messages

SEND = AnyMessage(
    "/cosmos.bank.v1beta1.MsgSend", MsgSend(from_address="a", to_address="b").SerializeToString()
)
TRANSFER = AnyMessage(
    "/ibc.applications.transfer.v1.MsgTransfer",
    MsgTransfer(source_port="transfer", source_channel="channel-7", sender="acc").SerializeToString(),
)
IN_PROTO = write_messages([SEND, TRANSFER], PROTO3)
IN_JSON = write_messages([SEND, TRANSFER], PROTO3_JSON)


def packet(data, src="icacontroller-alice", dst="icahost"):
    return Packet(1, src, "channel-1", dst, "channel-2", data, ZERO_HEIGHT, 9)


def asked(tx, memo="", kind=EXECUTE_TX, **ends):
    return account_call(packet(encode_packet_data(InterchainAccountPacketData(kind, tx, memo)), **ends))


def called(payload, encoding=ABI, version="ics27-2", src="gmpport", dst="gmpport", **more):
    told = {"sender": "alice", "receiver": "", "salt": b"s", "payload": payload, "memo": ""} | more
    value = gmp_data.encode(GmpPacketData(**told), encoding)
    return gmp_call(Payload(src, dst, version, encoding, value), "cl-2")


@pytest.mark.parametrize(("tx", "encoding"), [(IN_PROTO, PROTO3), (IN_JSON, PROTO3_JSON)])
def test_an_accounts_transaction_in_either_encoding(tx, encoding):
    call = asked(tx, memo="m")
    assert (call.application, call.owner, call.memo, call.data) == (INTERCHAIN_ACCOUNTS, "alice", "m", tx)
    assert (call.carried.encoding, call.carried.total) == (encoding, 2)
    bank, transfer = call.carried.messages
    assert (bank.type_url, bank.signer) == (SEND.type_url, "")
    assert (transfer.type_url, transfer.signer, transfer.channel) == (TRANSFER.type_url, "acc", "channel-7")


@pytest.mark.parametrize("encoding", [ABI, JSON, PROTOBUF])
@pytest.mark.parametrize(("tx", "inner"), [(IN_PROTO, PROTO3), (IN_JSON, PROTO3_JSON)])
def test_a_call_of_gmp_in_every_encoding(encoding, tx, inner):
    call = called(tx, encoding, memo="m")
    assert (call.application, call.owner, call.receiver, call.salt, call.memo) == (
        GMP,
        "alice",
        "",
        b"s",
        "m",
    )
    assert (call.carried.encoding, call.carried.total) == (inner, 2)
    assert call.account == AccountIdentifier("cl-2", "alice", b"s").address


def test_a_call_to_another_kind_of_chain_has_no_messages_and_no_account():
    call = called(
        bytes.fromhex("a9059cbb") + bytes(64), receiver="0xdac17f958d2ee523a2206206994597c13d831ec7"
    )
    assert (call.carried, call.account) == (None, b"")
    assert call.receiver.startswith("0xdac")


@pytest.mark.parametrize(
    "nobodys",
    [
        lambda: asked(IN_PROTO, src="icacontroller", dst="icahost"),
        lambda: asked(IN_PROTO, dst="icacontroller-bob"),
        lambda: asked(IN_PROTO, kind=UNSPECIFIED),
        lambda: account_call(packet(b"{}")),
        lambda: account_call(packet(b"[" * 100_000)),
        lambda: account_call(packet(b'{"type":1,"data":"?"}')),
        lambda: called(IN_PROTO, version="ics27-1"),
        lambda: called(IN_PROTO, src="transfer"),
        lambda: called(IN_PROTO, dst="transfer"),
        lambda: called(IN_PROTO, sender=" "),
        lambda: called(IN_PROTO, salt=bytes(33)),
        lambda: gmp_call(Payload("gmpport", "gmpport", "ics27-2", "text/plain", b""), "cl-2"),
        lambda: gmp_call(Payload("gmpport", "gmpport", "ics27-2", PROTOBUF, b"\x0a\x01a\x30\x01"), "cl-2"),
    ],
)
def test_what_no_module_would_execute_is_no_call(nobodys):
    assert nobodys() is None


def test_h210_data_that_can_be_read_in_two_ways_is_not_read():
    """A line break is the tag of `messages`, a brace a length of 123, a quote and `m` a field of 109 bytes.

    Spaces follow: fields that an `Any` does not have. Only one of the two readings is executed.
    """
    head = b'\n{"messages":[{"@type":"/cosmos.bank.v1beta1.MsgSend","y":"'
    both = head.ljust(4 + 109 - 4, b"z") + b'"}]}' + b" " * 12
    assert json.loads(both)["messages"][0]["@type"] == SEND.type_url
    assert len(read_cosmos_tx(both)) == 1
    assert asked(both).carried is None
    assert called(both).carried is None
    assert asked(both.strip()).carried.encoding == PROTO3_JSON


def test_messages_that_cannot_be_read_have_no_type():
    tx = write_messages([AnyMessage("no type", b""), AnyMessage("/a.b" + "c" * 300, b""), SEND], PROTO3)
    assert [each.type_url for each in asked(tx).carried.messages] == ["", "", SEND.type_url]
    listed = asked(json.dumps({"messages": [1, {"@type": 2}, {"@type": "/a.B"}]}).encode()).carried
    assert (listed.total, [each.type_url for each in listed.messages]) == (3, ["", "", "/a.B"])
    broken = AnyMessage(TRANSFER.type_url, b"\x0a\xff")
    (message,) = asked(write_messages([broken], PROTO3)).carried.messages
    assert (message.type_url, message.signer) == (TRANSFER.type_url, "")


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"messages":{}}', b'{"messages":[],"x":1}', b"\x10\x01"]
)
def test_what_is_no_transaction_has_no_messages(data):
    carried = asked(data).carried
    assert carried is None or (data, carried.total) == (b"", 0)


def test_h211_of_many_messages_the_first_have_rows():
    call = asked(b"\x0a\x13\x0a\x11/nobody.MsgOfOurs" * 10_000)
    assert (call.carried.total, len(call.carried.messages)) == (10_000, MAX_MESSAGES)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading(data):
    asked(data)
    account_call(packet(data))
    called(data)
    for encoding in (ABI, JSON, PROTOBUF):
        gmp_call(Payload("gmpport", "gmpport", "ics27-2", encoding, data), "cl-2")


@given(st.lists(st.sampled_from([SEND, TRANSFER]), max_size=5), st.sampled_from([PROTO3, PROTO3_JSON]))
def test_what_was_written_is_read(messages, encoding):
    carried = asked(write_messages(messages, encoding)).carried
    assert [each.type_url for each in carried.messages] == [each.type_url for each in messages]
    assert carried.encoding == encoding or not messages


def test_h212_a_call_is_no_transfer():
    """In ABI its offsets look like an amount, in protobuf its receiver does."""
    found = Packet2(sequence=3, source_client="cl-1", destination_client="cl-2", timeout_timestamp=9)
    data = GmpPacketData("alice", "5", b"s", b"bob", "")
    for encoding in (ABI, PROTOBUF):
        found.payloads.add(
            source_port="gmpport",
            destination_port="gmpport",
            version="ics27-2",
            encoding=encoding,
            value=gmp_data.encode(data, encoding),
        )
    told = {
        "packet_source_client": "cl-1",
        "packet_dest_client": "cl-2",
        "packet_sequence": "3",
        "packet_timeout_timestamp": "9",
        "encoded_packet_hex": found.SerializeToString().hex(),
    }
    facts = facts_of("send_packet", told)
    assert facts.transfers == ()
    assert [(each.payload, each.call.owner) for each in facts.calls] == [(0, "alice"), (1, "alice")]
