import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.types import (
    DEFAULT_VERSION,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
    Version,
)
from ibc_core.errors import IbcError
from ibc_core.numbers import MAX_U64
from ibc_core.wire import states

TEXT = st.text(max_size=10)
U64 = st.integers(0, MAX_U64)
CONNECTIONS = st.builds(
    ConnectionEnd,
    TEXT,
    st.lists(st.builds(Version, TEXT, st.lists(TEXT, max_size=3).map(tuple)), max_size=2).map(tuple),
    st.sampled_from(ConnectionState),
    st.builds(ConnectionCounterparty, TEXT, TEXT, st.binary(max_size=8)),
    U64,
)
CHANNELS = st.builds(
    ChannelEnd,
    st.sampled_from(ChannelState),
    st.sampled_from(Order),
    st.builds(ChannelCounterparty, TEXT, TEXT),
    st.lists(TEXT, max_size=2).map(tuple),
    TEXT,
)


@given(CONNECTIONS)
@settings(max_examples=60, deadline=None)
def test_connection_ends_come_back(end):
    assert states.decode_connection_end(states.encode_connection_end(end)) == end


@given(CHANNELS)
@settings(max_examples=60, deadline=None)
def test_channel_ends_come_back(end):
    assert states.decode_channel_end(states.encode_channel_end(end)) == end


@given(st.lists(TEXT, max_size=4).map(tuple), U64)
@settings(max_examples=30, deadline=None)
def test_paths_and_parameters_come_back(names, number):
    assert states.decode_client_paths(states.encode_client_paths(names)) == names
    assert states.decode_client_params(states.encode_client_params(names)) == names
    assert states.decode_connection_params(states.encode_connection_params(number)) == number


def test_a_connection_end_is_written_as_ibc_go_writes_it():
    end = ConnectionEnd(
        "07-tendermint-0",
        (DEFAULT_VERSION,),
        ConnectionState.INIT,
        ConnectionCounterparty("07-tendermint-1", "", b"ibc"),
        0,
    )
    assert states.encode_connection_end(end) == (
        b"\x0a\x0f07-tendermint-0\x12\x23\x0a\x011\x12\x0dORDER_ORDERED\x12\x0fORDER_UNORDERED"
        b"\x18\x01\x22\x18\x0a\x0f07-tendermint-1\x1a\x05\x0a\x03ibc"
    )


@pytest.mark.parametrize(
    ("decode", "raw"),
    [
        (states.decode_connection_end, b"\x0a"),
        (states.decode_connection_end, b"\x18\x04"),
        (states.decode_channel_end, b"\xff"),
        (states.decode_channel_end, b"\x08\x05"),
        (states.decode_channel_end, b"\x10\x03"),
        (states.decode_client_paths, b"\x0a\x05a"),
        (states.decode_client_params, b"\x0a\x01\xff"),
        (states.decode_connection_params, b"\x08"),
    ],
)
def test_a_damaged_value_stops_the_node(decode, raw):
    with pytest.raises(states.CorruptState) as caught:
        decode(raw)
    assert not isinstance(caught.value, IbcError)


def test_decoding_is_remembered():
    raw = states.encode_client_paths(["connection-7"])
    assert states.decode_client_paths(raw) is states.decode_client_paths(bytes(bytearray(raw)))
