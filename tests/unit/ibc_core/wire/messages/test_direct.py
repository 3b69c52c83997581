"""Messages of `pyibc.channel.v1` and `.connection.v1` come back from their bytes and take nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.direct.dispatch import HANDLERS_DIRECT
from ibc_core import messages as core
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.errors import TxDecode
from ibc_core.height import Height
from ibc_core.numbers import MAX_U64
from ibc_core.packet.types import Packet
from ibc_core.wire.messages import channel_direct as channel
from ibc_core.wire.messages import connection_direct as connection
from ibc_proto.pool import message_class

U64 = st.integers(0, MAX_U64)
TEXT = st.text(max_size=8)
RAW = st.binary(max_size=20)
HEIGHT = st.builds(Height, U64, U64)
PACKET = st.builds(Packet, U64, TEXT, TEXT, TEXT, TEXT, RAW, HEIGHT, U64)
END = st.builds(
    ChannelEnd,
    st.sampled_from(ChannelState),
    st.sampled_from(Order),
    st.builds(ChannelCounterparty, TEXT, TEXT),
    st.lists(TEXT, max_size=2).map(tuple),
    TEXT,
)
VERSION = st.builds(Version, TEXT, st.lists(TEXT, max_size=2).map(tuple))
FAR = st.builds(ConnectionCounterparty, TEXT, TEXT, RAW)
VERSIONS = st.lists(VERSION, max_size=2).map(tuple)
NAMED = st.booleans()

CASES = {
    connection.OPEN_INIT: (
        connection.encode_open_init,
        st.builds(core.MsgConnectionOpenInit, TEXT, FAR, st.none() | VERSION, U64, TEXT, TEXT),
    ),
    connection.OPEN_TRY: (
        connection.encode_open_try,
        st.builds(core.MsgConnectionOpenTry, TEXT, FAR, U64, VERSIONS, RAW, HEIGHT, TEXT, TEXT, NAMED),
    ),
    connection.OPEN_ACK: (
        connection.encode_open_ack,
        st.builds(core.MsgConnectionOpenAck, TEXT, TEXT, st.none() | VERSION, RAW, HEIGHT, TEXT),
    ),
    connection.OPEN_CONFIRM: (
        connection.encode_open_confirm,
        st.builds(core.MsgConnectionOpenConfirm, TEXT, RAW, HEIGHT, TEXT),
    ),
    channel.OPEN_INIT: (
        channel.encode_open_init,
        st.builds(core.MsgChannelOpenInit, TEXT, END, TEXT, TEXT),
    ),
    channel.OPEN_TRY: (
        channel.encode_open_try,
        st.builds(core.MsgChannelOpenTry, TEXT, st.just(""), END, TEXT, RAW, HEIGHT, TEXT, TEXT, NAMED),
    ),
    channel.OPEN_ACK: (
        channel.encode_open_ack,
        st.builds(core.MsgChannelOpenAck, TEXT, TEXT, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    channel.OPEN_CONFIRM: (
        channel.encode_open_confirm,
        st.builds(core.MsgChannelOpenConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    channel.CLOSE_INIT: (
        channel.encode_close_init,
        st.builds(core.MsgChannelCloseInit, TEXT, TEXT, TEXT),
    ),
    channel.CLOSE_CONFIRM: (
        channel.encode_close_confirm,
        st.builds(core.MsgChannelCloseConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    channel.TIMEOUT: (
        channel.encode_timeout,
        st.builds(core.MsgTimeout, PACKET, RAW, HEIGHT, U64, TEXT),
    ),
    channel.CLEANUP_PACKET: (
        channel.encode_cleanup_packet,
        st.builds(core.MsgCleanupPacket, PACKET, RAW, HEIGHT, U64, RAW, TEXT),
    ),
}


def test_every_message_is_looked_at():
    assert set(CASES) == set(HANDLERS_DIRECT)


@pytest.mark.parametrize("type_url", CASES)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_messages_come_back(type_url, data):
    encode, values = CASES[type_url]
    value = data.draw(values)
    raw = encode(value)
    assert HANDLERS_DIRECT[type_url].decode(raw) == value


@pytest.mark.parametrize("type_url", CASES)
def test_what_is_none_is_refused(type_url):
    decode = HANDLERS_DIRECT[type_url].decode
    unknown_field = b"\xda\x06\x01x"  # number 107, critical
    for raw in (b"\xff", b"\x0a\x05ab", unknown_field):
        with pytest.raises(TxDecode):
            decode(raw)


@pytest.mark.parametrize("type_url", CASES)
def test_a_response_has_a_type(type_url):
    assert message_class(f"{type_url[1:]}Response")
