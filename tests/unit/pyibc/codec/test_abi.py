"""Solidity's ABI: its one form, and what go-ethereum reads besides."""

import pytest

from pyibc.codec.abi import WORD, AbiReader, encode_tuple
from pyibc.core.errors import InvalidType


def word(number):
    return number.to_bytes(WORD, "big")


def reader(raw):
    return AbiReader(raw, "test")


def test_the_one_form():
    raw = encode_tuple("ab", 7, b"\1" * 33)
    assert raw == (
        word(32) + word(96) + word(7) + word(160)
        + word(2) + b"ab".ljust(32, b"\0")
        + word(33) + b"\1" * 33 + bytes(31)
    )  # fmt: skip
    body = reader(raw).inner(0)
    assert (body.text(0), body.word(32), body.data(64)) == ("ab", 7, b"\1" * 33)


def test_nothing_has_no_padding():
    assert encode_tuple(b"") == word(32) + word(32) + word(0)


def test_h168_parts_may_overlap_and_stand_anywhere():
    body = reader(word(32) + word(0) + b"\0" * 31 + b"\2" + b"xy")
    assert body.data(0) == b""  # at the offset 32 stands another offset, 0
    assert body.word(64) == 2
    assert reader(word(64) + b"?" * 32 + word(2) + b"xy").data(0) == b"xy"  # no padding behind it


BAD = {
    "cut off": lambda: reader(b"\0" * 31).word(0),
    "beyond the end": lambda: reader(word(0)).word(1),
    "an offset at the end": lambda: reader(word(32)).data(0),
    "an offset beyond": lambda: reader(word(2**255)).data(0),
    "a tuple beyond": lambda: reader(word(33)).inner(0).word(0),
    "a size beyond": lambda: reader(word(32) + word(33) + bytes(32)).data(0),
    "a size of 256 bits": lambda: reader(word(32) + word(2**256 - 1) + bytes(32)).data(0),
    "more than 64 bits": lambda: reader(word(2**64)).u64(0),
    "no UTF-8": lambda: reader(word(32) + word(1) + b"\xff").text(0),
    "too many records": lambda: reader(word(32) + word(2) + bytes(127)).records(0, 2),
    "a billion records": lambda: reader(word(32) + word(2**200)).records(0, 2),
}


@pytest.mark.parametrize("read", BAD.values(), ids=BAD)
def test_h168_what_leads_outside_is_refused(read):
    with pytest.raises(InvalidType):
        read()


def test_records():
    assert reader(word(32) + word(2) + b"a" * 64 + b"b" * 64 + b"?").records(0, 2) == b"a" * 64 + b"b" * 64
    assert reader(word(32) + word(0)).records(0, 2) == b""
    assert reader(word(2**64 - 1)).u64(0) == 2**64 - 1
