"""Varints; protobuf's own encoder is the other judge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.varint import MalformedVarint, encode_varint, read_varint

EDGES = [0, 1, 127, 128, 16_383, 16_384, 2**32, 2**63, 2**64 - 1]


@given(st.integers(0, 2**64 - 1) | st.sampled_from(EDGES))
def test_what_is_encoded_is_read_and_is_protobufs_own(number):
    encoded = encode_varint(number)
    assert read_varint(b"<" + encoded + b">", 1, 2 + len(encoded)) == (number, 1 + len(encoded))
    assert PageRequest(offset=number).SerializeToString() == (b"\x10" + encoded if number else b"")


def test_ten_bytes_hold_seventy_bits():
    assert read_varint(b"\xff" * 9 + b"\x7f", 0, 10) == (2**70 - 1, 10)
    assert read_varint(bytearray(b"\x80\x00"), 0, 2) == (0, 2)


@pytest.mark.parametrize(
    ("raw", "end"),
    [(b"", 0), (b"\x80", 1), (b"\x80\x01", 1), (b"\x80" * 10, 10), (b"\xff" * 10 + b"\x01", 11)],
)
def test_what_does_not_end_is_refused(raw, end):
    with pytest.raises(MalformedVarint):
        read_varint(raw, 0, end)


@pytest.mark.parametrize("number", [-1, -128, -(2**63)])
def test_nothing_negative_is_encoded(number):
    with pytest.raises(ValueError, match="byte must be in range"):
        encode_varint(number)
