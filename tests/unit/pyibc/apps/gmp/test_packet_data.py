"""A call's data and its answer: one form in each of three encodings, and nothing else."""

import pytest

from pyibc.apps.gmp.packet_data import (
    VERSION,
    GmpPacketData,
    decode,
    decode_acknowledgement,
    encode,
    encode_acknowledgement,
)
from pyibc.codec.abi import encode_tuple
from pyibc.core.errors import (
    InvalidAddress,
    InvalidCallEncoding,
    InvalidCallMemo,
    InvalidCallPayload,
    InvalidCallVersion,
    InvalidSalt,
    InvalidType,
)
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF

ENCODINGS = (JSON, PROTOBUF, ABI)
FULL = GmpPacketData("cosmos1sender", "0xreceiver", b"\1salt", b"payload\xff", 'm\u00e9mo <>&"\u2028')
CASES = (
    FULL,
    GmpPacketData("", "", b"", b"", ""),
    GmpPacketData("a", "", b"", b"p", ""),
    GmpPacketData("\ufffd", "b", b"s" * 32, b"", "\0"),
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("data", CASES)
def test_both_ways(data, encoding):
    assert decode(encode(data, encoding), VERSION, encoding) == data


def test_the_forms():
    data = GmpPacketData("s", "", b"\1", b"p", "<")
    assert encode(data, JSON) == b'{"sender":"s","salt":"AQ==","payload":"cA==","memo":"\\u003c"}'
    assert encode(data, PROTOBUF) == b"\x0a\x01s\x1a\x01\x01\x22\x01p\x2a\x01<"
    assert encode(data, ABI) == encode_tuple("s", "", b"\1", b"p", "<")
    assert encode_acknowledgement(b"r", JSON) == b'{"result":"cg=="}'
    assert encode_acknowledgement(b"r", PROTOBUF) == b"\x0a\x01r"
    assert encode_acknowledgement(b"r", ABI) == encode_tuple(b"r")


RAW = {encoding: encode(FULL, encoding) for encoding in ENCODINGS}
PLAIN = encode(GmpPacketData("s", "", b"\1", b"p", ""), JSON)
OTHER_FORMS = {
    "a byte more": {encoding: raw + b"\0" for encoding, raw in RAW.items()},
    "a byte less": {encoding: raw[:-1] for encoding, raw in RAW.items()},
    "nothing": {JSON: b"", ABI: b""},
    "a blank": {JSON: b" " + PLAIN},
    "a line more": {JSON: PLAIN + b"\n"},
    "other order": {JSON: b'{"payload":"cA==","sender":"s"}'},
    "another name": {JSON: PLAIN.replace(b"sender", b"Sender")},
    "an unknown field": {JSON: PLAIN[:-1] + b',"x":"1"}', PROTOBUF: RAW[PROTOBUF] + b"\x32\x01x"},
    "a number": {JSON: PLAIN.replace(b'"s"', b"1")},
    "null": {JSON: b'{"sender":"s","memo":null}'},
    "no object": {JSON: b"[]"},
    "what is empty": {JSON: b'{"sender":"s","memo":""}', PROTOBUF: b"\x0a\x01s\x2a\x00"},
    "a field twice": {JSON: b'{"sender":"s","sender":"s"}', PROTOBUF: b"\x0a\x01s\x0a\x01s"},
    "an escape too many": {JSON: PLAIN.replace(b'"s"', b'"\\u0073"')},
    "an escape too few": {JSON: b'{"sender":"<"}'},
    "no base64": {JSON: PLAIN.replace(b"AQ==", b"AQ=")},
    "other padding bits": {JSON: PLAIN.replace(b"AQ==", b"AR==")},
    "other order of fields": {PROTOBUF: b"\x1a\x01\x01\x0a\x01s"},
    "a long varint": {PROTOBUF: b"\x0a\x81\x00s"},
    "a word more": {ABI: RAW[ABI] + bytes(32)},
    "another offset": {ABI: bytes(31) + b"\x40" + bytes(32) + RAW[ABI][32:]},
    "padding that is not zero": {ABI: RAW[ABI][:-1] + b"\1"},
    "no UTF-8": {
        PROTOBUF: b"\x0a\x01\xff",
        ABI: encode_tuple(b"\xff", b"", b"", b"", b""),
        JSON: b'{"sender":"\xff"}',
    },
    "another encoding": {JSON: RAW[ABI], PROTOBUF: RAW[JSON], ABI: RAW[PROTOBUF]},
}


@pytest.mark.parametrize("forms", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_h168_every_other_form_is_refused(forms):
    for encoding, raw in forms.items():
        with pytest.raises(InvalidType):
            decode(raw, VERSION, encoding)


def test_versions_and_encodings():
    with pytest.raises(InvalidCallVersion):
        decode(RAW[JSON], "ics27-1", "application/cbor")
    for encoding in ("", "application/cbor"):
        with pytest.raises(InvalidCallEncoding):
            decode(RAW[JSON], VERSION, encoding)
        with pytest.raises(InvalidCallEncoding):
            encode(FULL, encoding)
        with pytest.raises(InvalidCallEncoding):
            encode_acknowledgement(b"r", encoding)
        with pytest.raises(InvalidCallEncoding):
            decode_acknowledgement(b"r", encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_answer(encoding):
    for result in (b"", b"result\xff" * 9):
        raw = encode_acknowledgement(result, encoding)
        assert decode_acknowledgement(raw, encoding) == result
        with pytest.raises(InvalidType):
            decode_acknowledgement(raw + b"\0", encoding)
    with pytest.raises(InvalidType):
        decode_acknowledgement(b"\xff", encoding)


SIZES = {
    "no sender": (FULL._replace(sender=""), InvalidAddress),
    "a blank sender": (FULL._replace(sender=" \t\u00a0"), InvalidAddress),
    "a long sender": (FULL._replace(sender="\u00e9" * 1025), InvalidAddress),
    "a long receiver": (FULL._replace(receiver="r" * 2049), InvalidAddress),
    "a long payload": (FULL._replace(payload=bytes(32_769)), InvalidCallPayload),
    "a long salt": (FULL._replace(salt=bytes(33)), InvalidSalt),
    "a long memo": (FULL._replace(memo="\u00e9" * 16_385), InvalidCallMemo),
}


@pytest.mark.parametrize(("data", "error"), SIZES.values(), ids=SIZES)
def test_what_cannot_be(data, error):
    with pytest.raises(error):
        data.check()


def test_as_long_as_may_be():
    GmpPacketData("s" * 2048, "r" * 2048, bytes(32), bytes(32_768), "m" * 32_768).check()
    GmpPacketData("s", "", b"", b"", "").check()
