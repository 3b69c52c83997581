import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibc_indexer import protobuf
from ibc_indexer.errors import MalformedProtobuf


def test_fields_in_order():
    data = b"\x08\x96\x01\x12\x02hi\x1d\x01\x00\x00\x00\x21\x02" + b"\x00" * 7
    assert list(protobuf.fields(data)) == [(1, 150), (2, b"hi"), (3, 1), (4, 2)]
    found = protobuf.message(data)
    assert (protobuf.number_of(found, 1), protobuf.text(found, 2), protobuf.octets(found, 9)) == (
        150,
        "hi",
        b"",
    )


@pytest.mark.parametrize(
    "data",
    [b"\x08", b"\x12\x05hi", b"\x0b", b"\x08" + b"\xff" * 10, b"\x08" + b"\xff" * 9 + b"\x7f", b"\x1d\x01"],
)
def test_broken_bytes_are_a_typed_error(data):
    with pytest.raises(MalformedProtobuf):
        list(protobuf.fields(data))


@given(st.binary(max_size=80))
def test_any_bytes_end_in_fields_or_the_typed_error(data):
    with contextlib.suppress(MalformedProtobuf):
        assert all(isinstance(value, int | bytes) for _, value in protobuf.fields(data))


def test_wrong_kinds_are_a_typed_error():
    found = protobuf.message(b"\x08\x01\x12\x01\xff")
    for read in (
        lambda: protobuf.octets(found, 1),
        lambda: protobuf.text(found, 2),
        lambda: protobuf.number_of(found, 2),
    ):
        with pytest.raises(MalformedProtobuf):
            read()
