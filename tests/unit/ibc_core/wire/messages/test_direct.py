"""Messages of `pyibc.channel.v1` and `.connection.v1` come back from their bytes and take nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.direct.dispatch import HANDLERS_DIRECT
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.direct.channel_close_confirm import MsgNamedChannelCloseConfirm
from ibc_core.direct.channel_close_init import MsgNamedChannelCloseInit
from ibc_core.direct.channel_open_ack import MsgNamedChannelOpenAck
from ibc_core.direct.channel_open_confirm import MsgNamedChannelOpenConfirm
from ibc_core.direct.channel_open_init import MsgNamedChannelOpenInit
from ibc_core.direct.channel_open_try import MsgNamedChannelOpenTry
from ibc_core.direct.connection_open_ack import MsgNamedConnectionOpenAck
from ibc_core.direct.connection_open_confirm import MsgNamedConnectionOpenConfirm
from ibc_core.direct.connection_open_init import MsgNamedConnectionOpenInit
from ibc_core.direct.connection_open_try import MsgNamedConnectionOpenTry
from ibc_core.direct.timeout import MsgNamedTimeout
from ibc_core.errors import TxDecode
from ibc_core.height import Height
from ibc_core.numbers import MAX_U64
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.types import Packet
from ibc_core.wire.message import encode_msg
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
    MsgNamedConnectionOpenInit.TYPE_URL: (
        encode_msg,
        st.builds(MsgConnectionOpenInit, TEXT, FAR, st.none() | VERSION, U64, TEXT, TEXT),
    ),
    MsgNamedConnectionOpenTry.TYPE_URL: (
        encode_msg,
        st.builds(MsgConnectionOpenTry, TEXT, FAR, U64, VERSIONS, RAW, HEIGHT, TEXT, TEXT, NAMED),
    ),
    MsgNamedConnectionOpenAck.TYPE_URL: (
        encode_msg,
        st.builds(MsgConnectionOpenAck, TEXT, TEXT, st.none() | VERSION, RAW, HEIGHT, TEXT),
    ),
    MsgNamedConnectionOpenConfirm.TYPE_URL: (
        encode_msg,
        st.builds(MsgConnectionOpenConfirm, TEXT, RAW, HEIGHT, TEXT),
    ),
    MsgNamedChannelOpenInit.TYPE_URL: (
        encode_msg,
        st.builds(MsgChannelOpenInit, TEXT, END, TEXT, TEXT),
    ),
    MsgNamedChannelOpenTry.TYPE_URL: (
        encode_msg,
        st.builds(MsgChannelOpenTry, TEXT, st.just(""), END, TEXT, RAW, HEIGHT, TEXT, TEXT, NAMED),
    ),
    MsgNamedChannelOpenAck.TYPE_URL: (
        encode_msg,
        st.builds(MsgChannelOpenAck, TEXT, TEXT, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    MsgNamedChannelOpenConfirm.TYPE_URL: (
        encode_msg,
        st.builds(MsgChannelOpenConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    MsgNamedChannelCloseInit.TYPE_URL: (
        encode_msg,
        st.builds(MsgChannelCloseInit, TEXT, TEXT, TEXT),
    ),
    MsgNamedChannelCloseConfirm.TYPE_URL: (
        encode_msg,
        st.builds(MsgChannelCloseConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    MsgNamedTimeout.TYPE_URL: (
        encode_msg,
        st.builds(MsgTimeout, PACKET, RAW, HEIGHT, U64, TEXT),
    ),
    MsgCleanupPacket.TYPE_URL: (
        encode_msg,
        st.builds(MsgCleanupPacket, PACKET, RAW, HEIGHT, U64, RAW, TEXT),
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
