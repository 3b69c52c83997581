"""A CosmosTx as gogoproto reads it; the verdicts are those of ibc-go's generated code."""

import pytest

from ibc_core.any_message import AnyMessage
from ibc_core.errors import TxDecode
from ibc_core.wire.gogo import read_cosmos_tx, without_unknown
from ibc_proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from ibc_proto.ibc.core.channel.v1.channel_pb2 import Channel
from ibc_proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient

ONE = AnyMessage("/a.B", b"\x08\x01")
ANY = b"\x0a\x04/a.B\x12\x02\x08\x01"
FIELD = b"\x0a" + bytes((len(ANY),)) + ANY

READ = {
    "nothing": (b"", []),
    "one": (FIELD, [ONE]),
    "two": (FIELD * 2, [ONE, ONE]),
    "an empty one": (b"\x0a\x00", [AnyMessage("", b"")]),
    "an unknown field": (b"\x10\x05" + FIELD, [ONE]),
    "an unknown field in an Any": (b"\x0a\x0c\x18\x01" + ANY, [ONE]),
    "a type twice": (b"\x0a\x0e\x0a\x02/x" + ANY, [ONE]),
    "fixed sizes": (b"\x11" + bytes(8) + b"\x15" + bytes(4) + FIELD, [ONE]),
    "a group": (b"\x13\x08\x01\x14" + FIELD, [ONE]),
    "a group that another number ends": (b"\x13\x08\x01\x7c" + FIELD, [ONE]),
    "groups in each other": (b"\x13\x1b\x24\x14" + FIELD, [ONE]),
    "a tag of ten bytes": (b"\x8a\x80\x80\x80\x80\x80\x80\x80\x80\x00" + FIELD[1:], [ONE]),
    "a field number of which 32 bits count": (b"\x8a\x80\x80\x80\x80\x01" + FIELD[1:], [ONE]),
    "JSON that is protobuf": (b'{"' + b"m" + b"m" * 109 + b"t", []),
    "no text": (b"\x0a\x04\x0a\x02/\xff", [AnyMessage("/\ufffd", b"")]),
}


@pytest.mark.parametrize(("raw", "messages"), READ.values(), ids=READ)
def test_h169_what_gogoproto_takes(raw, messages):
    assert read_cosmos_tx(raw) == messages


REFUSED = {
    "a message of another wire type": b"\x08\x00",
    "a type of another wire type": b"\x0a\x02\x08\x00",
    "cut off": FIELD[:-1],
    "a tag cut off": b"\x80",
    "a size cut off": b"\x0a",
    "fixed, cut off": b"\x11" + bytes(7),
    "a size beyond 63 bits": b"\x0a" + b"\xff" * 9 + b"\x01",
    "an unknown field's size beyond 63 bits": b"\x12" + b"\xff" * 9 + b"\x01",
    "a tag of eleven bytes": b"\x8a" + b"\x80" * 9 + b"\x00" + FIELD[1:],
    "field 0": b"\x00\x00",
    "a negative field": b"\xf8\xff\xff\xff\x7f\x00",
    "the end of no group": b"\x14",
    "a group without an end": b"\x13\x08\x01",
    "wire type 6": b"\x16",
    "wire type 7 in a group": b"\x13\x17\x14",
    "JSON": b'{"messages":[]}',
}


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
def test_h169_what_gogoproto_refuses(raw):
    with pytest.raises(TxDecode):
        read_cosmos_tx(raw)


UNKNOWN = b"\x7a\x01x"
COIN = b"\x1a\x03\x0a\x01d"


@pytest.mark.parametrize(
    "raw", [b"\x0a\x01a" + UNKNOWN, UNKNOWN + b"\x0a\x01a", b"\x0a\x01z\x0a\x01a", b"\x0a\x01a"]
)
def test_h163_unknown_fields_are_dropped_and_the_last_of_two_counts(raw):
    assert without_unknown(MsgSend, raw) == b"\x0a\x01a"
    inside = b"\x1a" + bytes((3 + len(UNKNOWN),)) + b"\x0a\x01d" + UNKNOWN
    assert without_unknown(MsgSend, inside) == COIN


def test_h163_they_are_dropped_inside_of_anys_too():
    def update(value, type_url="/cosmos.bank.v1beta1.MsgSend"):
        message = MsgUpdateClient(client_id="c")
        message.client_message.type_url, message.client_message.value = type_url, value
        return message.SerializeToString()

    assert without_unknown(MsgUpdateClient, update(b"\x0a\x01a" + UNKNOWN)) == update(b"\x0a\x01a")
    for type_url in ("/nobody.Msg", "cosmos.bank.v1beta1.MsgSend", ""):
        kept = update(b"\x0a\x01a" + UNKNOWN, type_url)
        assert without_unknown(MsgUpdateClient, kept) == kept
    with pytest.raises(TxDecode):
        without_unknown(MsgUpdateClient, update(b"\xff"))


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\x08\x01", b"\x0d1234", b"\x1a\x02\x08\x01", b"\x0a\x01a\x10\x01"]
)
def test_h163_a_known_field_of_another_wire_type_is_an_error(raw):
    with pytest.raises(TxDecode):
        without_unknown(MsgSend, raw)


def test_a_wrong_wire_type_does_not_hide_behind_what_grows_when_it_is_written_again():
    """An order of -1 in five bytes is ten when written: more by what a wrong field had, which is dropped."""
    short = b"\x10\xff\xff\xff\xff\x0f"
    wrong = b"\x0d\0\0\0\0"  # the state as 32 bits
    bare = without_unknown(Channel, short)
    assert len(bare) == len(short + wrong)
    with pytest.raises(TxDecode):
        without_unknown(Channel, short + wrong)
