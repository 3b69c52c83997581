"""A CosmosTx as gogoproto reads it; the verdicts are those of ibc-go's generated code."""

import pytest

from ibc_core.any_message import AnyMessage
from ibc_core.errors import TxDecode
from ibc_core.wire.gogo import read_cosmos_tx

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
