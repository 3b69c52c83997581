"""Data of interchain accounts' packets, as ibc-go's jsonpb reads and prints it."""

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    MAX_MEMO_SIZE,
    UNSPECIFIED,
    InterchainAccountPacketData,
    decode_packet_data,
    encode_packet_data,
)
from pyibc.core.errors import InvalidOutgoingData, InvalidType

Data = InterchainAccountPacketData


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"x", b"[]", b'"x"', b'{"Type":1}', b'{"more":1}', b'{"type":"EXECUTE_TX"}', b'{"type":"1"}',
        b'{"type":1.0}', b'{"type":1e0}', b'{"type":2147483648}', b'{"type":true}', b'{"type":[]}',
        b'{"type":"TYPE_EXECUTE\\u005fTX"}', b'{"data":"AQ"}', b'{"data":"A-_="}', b'{"data":1}',
        b'{"data":[256]}', b'{"data":[-0]}', b'{"data":[-1]}', b'{"data":[1.5]}', b'{"data":["1"]}',
        *(b'{"type":"TYPE_EXECUTE_TX","data":"%b","memo":""}' % x for x in (b"A==", b"AQ=", b"AQI", b"=")),
        b'{"data":{}}', b'{"memo":1}', b'{"memo":{}}', b"[" * 100_000, b'{"data":' + b"[" * 9_999,
    ],
)  # fmt: skip
def test_h163_what_is_no_packet_data(raw):
    with pytest.raises(InvalidType):
        decode_packet_data(raw)


@pytest.mark.parametrize(
    "data",
    [
        Data(UNSPECIFIED, b"x", ""),
        Data(EXECUTE_TX, b"", ""),
        Data(EXECUTE_TX, b"x", "m" * (MAX_MEMO_SIZE + 1)),
        Data(EXECUTE_TX, b"x", "é" * (MAX_MEMO_SIZE // 2 + 1)),
    ],
)
def test_what_is_not_sent(data):
    with pytest.raises(InvalidOutgoingData):
        data.check()


def test_what_is_sent():
    for data in (Data(EXECUTE_TX, b"x", "m" * MAX_MEMO_SIZE), Data(7, b"x", "")):
        data.check()


def read(raw):
    with suppress(InvalidType):
        return decode_packet_data(raw)
    return None


TEXTS = st.text(max_size=8) | st.text('\\"<=\x7f\n aA', max_size=8)


@given(
    st.binary(max_size=8), TEXTS, st.lists(st.tuples(st.integers(0, 80), st.binary(max_size=2)), max_size=2)
)
@example(b"x", "", [(33, b"=")])
@example(b"x", "", [(33, b"!")])
@example(b"xyz", "", [(30, b"A")])
@example(b"x", "\x7f", [])
@example(b"x", 'a", "b', [])
def test_a_blank_in_front_changes_nothing(data, memo, spoilt):
    """What is as ibc-go writes it is read in one step, and with a blank in front by the rules of JSON."""
    raw = encode_packet_data(Data(EXECUTE_TX, data, memo))
    assert decode_packet_data(raw) == decode_packet_data(b" " + raw) == Data(EXECUTE_TX, data, memo)
    for at, put in spoilt:
        raw = raw[:at] + put + raw[at + 1 :]
    assert read(raw) == read(b" " + raw)


@pytest.mark.parametrize("last", [b"}", b"x"])
def test_a_long_transaction_costs_no_more_memory_than_it_has_bytes(last):
    """A pattern that could go back would remember each four characters."""
    data = Data(EXECUTE_TX, bytes(10**6), "")
    raw = encode_packet_data(data)[:-1] + last
    tracemalloc.start()
    try:
        assert read(raw) == (data if last == b"}" else None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * len(raw)
