from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_core.any_message import AnyMessage
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.client.create import MsgCreateClient
from ibc_core.client.delete_creator import MsgDeleteClientCreator
from ibc_core.client.recover import MsgRecoverClient
from ibc_core.client.software_upgrade import MsgIbcSoftwareUpgrade
from ibc_core.client.update import MsgUpdateClient
from ibc_core.client.update_params import MsgUpdateClientParams
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.client.upgrade_plan import GO_ZERO_SECONDS, UpgradePlan, decode_plan_height, encode_plan
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.connection.update_params import MsgUpdateConnectionParams
from ibc_core.errors import TxDecode
from ibc_core.height import Height
from ibc_core.numbers import MAX_I64, MAX_U64
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.outcome import Outcome
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet.types import Packet
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire import anys
from ibc_core.wire.encoding import encode
from ibc_core.wire.message import decode_msg, encode_msg
from ibc_core.wire.messages import responses
from ibc_proto.cosmos.upgrade.v1beta1 import upgrade_pb2
from ibc_proto.google.protobuf import timestamp_pb2
from ibc_proto.ibc.core.channel.v1 import tx_pb2 as channel_tx
from ibc_proto.ibc.core.client.v1 import client_pb2
from ibc_proto.ibc.core.client.v1 import tx_pb2 as client_tx
from ibc_proto.ibc.core.connection.v1 import tx_pb2 as connection_tx
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2

U64 = st.integers(0, MAX_U64)
TEXT = st.text(max_size=8)
RAW = st.binary(max_size=20)
HEIGHT = st.builds(Height, U64, U64)
PACKET = st.builds(Packet, U64, TEXT, TEXT, TEXT, TEXT, RAW, HEIGHT, U64)
CHANNEL = st.builds(
    ChannelEnd,
    st.sampled_from(ChannelState),
    st.sampled_from(Order),
    st.builds(ChannelCounterparty, TEXT, TEXT),
    st.lists(TEXT, max_size=2).map(tuple),
    TEXT,
)
VERSION = st.builds(Version, TEXT, st.lists(TEXT, max_size=2).map(tuple))
COUNTERPARTY = st.builds(ConnectionCounterparty, TEXT, TEXT, RAW)
CLIENT_STATE = st.sampled_from([anys.EMPTY, anys.pack(tendermint_pb2.ClientState(chain_id="a-1"))])
CONSENSUS_STATE = st.sampled_from([anys.EMPTY, anys.pack(tendermint_pb2.ConsensusState())])
HEADER = st.sampled_from([anys.EMPTY, anys.pack(tendermint_pb2.Header())])
PLAN = st.builds(
    UpgradePlan,
    TEXT,
    st.integers(GO_ZERO_SECONDS * 10**9, 2**62),
    st.integers(-(2**63), MAX_I64),
    TEXT,
    st.just(False),
)

CASES = {
    "create": (
        partial(decode_msg, MsgCreateClient),
        encode_msg,
        st.builds(MsgCreateClient, CLIENT_STATE, CONSENSUS_STATE, TEXT),
    ),
    "update": (
        partial(decode_msg, MsgUpdateClient),
        encode_msg,
        st.builds(MsgUpdateClient, TEXT, HEADER, TEXT),
    ),
    "upgrade": (
        partial(decode_msg, MsgUpgradeClient),
        encode_msg,
        st.builds(MsgUpgradeClient, TEXT, CLIENT_STATE, CONSENSUS_STATE, RAW, RAW, TEXT),
    ),
    "recover": (
        partial(decode_msg, MsgRecoverClient),
        encode_msg,
        st.builds(MsgRecoverClient, TEXT, TEXT, TEXT),
    ),
    "software upgrade": (
        partial(decode_msg, MsgIbcSoftwareUpgrade),
        encode_msg,
        st.builds(MsgIbcSoftwareUpgrade, PLAN, CLIENT_STATE, TEXT),
    ),
    "client params": (
        partial(decode_msg, MsgUpdateClientParams),
        encode_msg,
        st.builds(MsgUpdateClientParams, st.lists(TEXT, max_size=2).map(tuple), TEXT),
    ),
    "delete creator": (
        partial(decode_msg, MsgDeleteClientCreator),
        encode_msg,
        st.builds(MsgDeleteClientCreator, TEXT, TEXT),
    ),
    "connection params": (
        partial(decode_msg, MsgUpdateConnectionParams),
        encode_msg,
        st.builds(MsgUpdateConnectionParams, U64, TEXT),
    ),
    "connection init": (
        partial(decode_msg, MsgConnectionOpenInit),
        encode_msg,
        st.builds(MsgConnectionOpenInit, TEXT, COUNTERPARTY, st.none() | VERSION, U64, TEXT),
    ),
    "connection try": (
        partial(decode_msg, MsgConnectionOpenTry),
        encode_msg,
        st.builds(
            MsgConnectionOpenTry,
            TEXT,
            COUNTERPARTY,
            U64,
            st.lists(VERSION, max_size=2).map(tuple),
            RAW,
            HEIGHT,
            TEXT,
        ),
    ),
    "connection ack": (
        partial(decode_msg, MsgConnectionOpenAck),
        encode_msg,
        st.builds(MsgConnectionOpenAck, TEXT, TEXT, st.none() | VERSION, RAW, HEIGHT, TEXT),
    ),
    "connection confirm": (
        partial(decode_msg, MsgConnectionOpenConfirm),
        encode_msg,
        st.builds(MsgConnectionOpenConfirm, TEXT, RAW, HEIGHT, TEXT),
    ),
    "channel init": (
        partial(decode_msg, MsgChannelOpenInit),
        encode_msg,
        st.builds(MsgChannelOpenInit, TEXT, CHANNEL, TEXT),
    ),
    "channel try": (
        partial(decode_msg, MsgChannelOpenTry),
        encode_msg,
        st.builds(MsgChannelOpenTry, TEXT, TEXT, CHANNEL, TEXT, RAW, HEIGHT, TEXT),
    ),
    "channel ack": (
        partial(decode_msg, MsgChannelOpenAck),
        encode_msg,
        st.builds(MsgChannelOpenAck, TEXT, TEXT, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    "channel confirm": (
        partial(decode_msg, MsgChannelOpenConfirm),
        encode_msg,
        st.builds(MsgChannelOpenConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    "close init": (
        partial(decode_msg, MsgChannelCloseInit),
        encode_msg,
        st.builds(MsgChannelCloseInit, TEXT, TEXT, TEXT),
    ),
    "close confirm": (
        partial(decode_msg, MsgChannelCloseConfirm),
        encode_msg,
        st.builds(MsgChannelCloseConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    "receive": (
        partial(decode_msg, MsgRecvPacket),
        encode_msg,
        st.builds(MsgRecvPacket, PACKET, RAW, HEIGHT, TEXT),
    ),
    "acknowledge": (
        partial(decode_msg, MsgAcknowledgement),
        encode_msg,
        st.builds(MsgAcknowledgement, PACKET, RAW, RAW, HEIGHT, TEXT),
    ),
    "timeout": (
        partial(decode_msg, MsgTimeout),
        encode_msg,
        st.builds(MsgTimeout, PACKET, RAW, HEIGHT, U64, TEXT),
    ),
    "timeout on close": (
        partial(decode_msg, MsgTimeoutOnClose),
        encode_msg,
        st.builds(MsgTimeoutOnClose, PACKET, RAW, RAW, HEIGHT, U64, TEXT),
    ),
    "transfer": (
        partial(decode_msg, MsgTransfer),
        encode_msg,
        st.builds(
            MsgTransfer,
            TEXT,
            TEXT,
            TEXT,
            st.sampled_from(["", "0", "12"]),
            TEXT,
            TEXT,
            HEIGHT,
            U64,
            TEXT,
            TEXT,
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_messages_come_back(case, data):
    decode, encode_value, values = CASES[case]
    value = data.draw(values)
    assert decode(encode_value(value)) == value


@pytest.mark.parametrize("case", CASES)
def test_garbage_is_refused(case):
    decode = CASES[case][0]
    for raw in (b"\xff", b"\x0a\x09x", b"\xba\x01\x00", b"\x0a\x01\xff"):
        with pytest.raises(TxDecode):
            decode(raw)


def test_a_state_and_an_ordering_without_a_name_pass_no_check():
    raw = channel_tx.MsgChannelOpenInit()
    raw.channel.state = 6
    raw.channel.ordering = 9
    found = decode_msg(MsgChannelOpenInit, raw.SerializeToString()).channel
    assert (found.state, found.ordering) == (ChannelState.UNINITIALIZED, Order.NONE)


def test_deprecated_fields_of_a_connection_try_are_read_and_dropped():
    state = anys.pack(tendermint_pb2.ClientState(chain_id="a-1"))
    wire = connection_tx.MsgConnectionOpenTry(
        client_id="c",
        previous_connection_id="connection-9",
        proof_client=b"p",
        proof_consensus=b"q",
        consensus_height=client_pb2.Height(revision_height=3),
        host_consensus_state_proof=b"h",
    )
    wire.client_state.type_url = state.type_url
    wire.client_state.value = state.value
    assert decode_msg(MsgConnectionOpenTry, encode(wire)) == MsgConnectionOpenTry(
        "c", ConnectionCounterparty("", "", b""), 0, (), b"", Height(0, 0), ""
    )
    wire.client_state.type_url = "/ibc.core.client.v1.Height"
    with pytest.raises(TxDecode):
        decode_msg(MsgConnectionOpenTry, encode(wire))


@pytest.mark.parametrize("amount", ["x", "1.5", "-", str(2**256), "0x"])
def test_an_amount_must_be_a_number(amount):
    msg = MsgTransfer("transfer", "channel-0", "stake", amount, "a", "b", Height(0, 0), 1, "")
    with pytest.raises(TxDecode, match="amount"):
        decode_msg(MsgTransfer, encode_msg(msg))


def test_another_kind_of_state_is_refused():
    msg = MsgCreateClient(anys.pack(tendermint_pb2.ConsensusState()), anys.EMPTY, "s")
    with pytest.raises(TxDecode, match="no known client state"):
        decode_msg(MsgCreateClient, encode_msg(msg))


def plan_of(**fields):
    wire = client_tx.MsgIBCSoftwareUpgrade(plan=upgrade_pb2.Plan(**fields))
    return decode_msg(MsgIbcSoftwareUpgrade, encode(wire)).plan


def test_a_plan_without_a_time_has_gos_zero_time():
    raw = client_tx.MsgIBCSoftwareUpgrade(plan=upgrade_pb2.Plan(name="v2", height=7)).SerializeToString()
    plan = decode_msg(MsgIbcSoftwareUpgrade, raw).plan
    assert plan == UpgradePlan("v2", -62_135_596_800 * 10**9, 7, "", False)
    assert decode_plan_height(encode_plan(plan)) == 7
    assert b"\x08\x80\x92\xb8\xc3\x98\xfe\xff\xff\xff\x01" in encode_plan(plan)


@pytest.mark.parametrize(("seconds", "nanos"), [(2**62, 0), (-(2**62), 0), (0, -1), (0, 10**9)])
def test_a_plan_with_an_impossible_time_is_refused(seconds, nanos):
    with pytest.raises(TxDecode, match="timestamp"):
        plan_of(time=timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos))


def test_a_plan_says_whether_it_holds_a_client_state():
    state = anys.pack_any(anys.pack(tendermint_pb2.ClientState(chain_id="a-1")))
    assert plan_of(upgraded_client_state=state).has_client_state
    assert not plan_of(name="v2").has_client_state


def test_responses():
    assert responses.packet_response(Outcome.SUCCESS) == b"\x08\x02"
    assert responses.packet_response(Outcome.NOOP) == b"\x08\x01"
    assert responses.create_client_response("c-1") == b"\x0a\x03c-1"
    assert responses.channel_open_init_response("channel-1", "v") == b"\x0a\x09channel-1\x12\x01v"
    assert responses.channel_open_try_response("channel-1", "v") == b"\x0a\x01v\x12\x09channel-1"
    assert responses.transfer_response(3) == b"\x08\x03"
    assert responses.response_type_url(MsgRecvPacket.TYPE_URL) == "/ibc.core.channel.v1.MsgRecvPacketResponse"


def test_an_any_message_is_a_plain_value():
    assert AnyMessage("/a", b"b") == AnyMessage("/a", b"b")
