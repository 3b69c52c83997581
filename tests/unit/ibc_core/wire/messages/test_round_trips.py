import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_core import messages as core
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.errors import TxDecode
from ibc_core.height import Height
from ibc_core.messages import AnyMessage
from ibc_core.numbers import MAX_I64, MAX_U64
from ibc_core.packet.outcome import Outcome
from ibc_core.packet.types import Packet
from ibc_core.transfer.types import MsgTransfer
from ibc_core.wire import anys
from ibc_core.wire.encoding import encode
from ibc_core.wire.messages import channel, client, connection, packet, responses, transfer, upgrade
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
    core.UpgradePlan,
    TEXT,
    st.integers(upgrade.GO_ZERO_SECONDS * 10**9, 2**62),
    st.integers(-(2**63), MAX_I64),
    TEXT,
    st.just(False),
)

CASES = {
    "create": (
        client.decode_create,
        client.encode_create,
        st.builds(core.MsgCreateClient, CLIENT_STATE, CONSENSUS_STATE, TEXT),
    ),
    "update": (
        client.decode_update,
        client.encode_update,
        st.builds(core.MsgUpdateClient, TEXT, HEADER, TEXT),
    ),
    "upgrade": (
        client.decode_upgrade,
        client.encode_upgrade,
        st.builds(core.MsgUpgradeClient, TEXT, CLIENT_STATE, CONSENSUS_STATE, RAW, RAW, TEXT),
    ),
    "recover": (
        client.decode_recover,
        client.encode_recover,
        st.builds(core.MsgRecoverClient, TEXT, TEXT, TEXT),
    ),
    "software upgrade": (
        upgrade.decode_software_upgrade,
        upgrade.encode_software_upgrade,
        st.builds(core.MsgIbcSoftwareUpgrade, PLAN, CLIENT_STATE, TEXT),
    ),
    "client params": (
        client.decode_update_params,
        client.encode_update_params,
        st.builds(core.MsgUpdateClientParams, st.lists(TEXT, max_size=2).map(tuple), TEXT),
    ),
    "delete creator": (
        client.decode_delete_creator,
        client.encode_delete_creator,
        st.builds(core.MsgDeleteClientCreator, TEXT, TEXT),
    ),
    "connection params": (
        connection.decode_update_params,
        connection.encode_update_params,
        st.builds(core.MsgUpdateConnectionParams, U64, TEXT),
    ),
    "connection init": (
        connection.decode_open_init,
        connection.encode_open_init,
        st.builds(core.MsgConnectionOpenInit, TEXT, COUNTERPARTY, st.none() | VERSION, U64, TEXT),
    ),
    "connection try": (
        connection.decode_open_try,
        connection.encode_open_try,
        st.builds(
            core.MsgConnectionOpenTry,
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
        connection.decode_open_ack,
        connection.encode_open_ack,
        st.builds(core.MsgConnectionOpenAck, TEXT, TEXT, st.none() | VERSION, RAW, HEIGHT, TEXT),
    ),
    "connection confirm": (
        connection.decode_open_confirm,
        connection.encode_open_confirm,
        st.builds(core.MsgConnectionOpenConfirm, TEXT, RAW, HEIGHT, TEXT),
    ),
    "channel init": (
        channel.decode_open_init,
        channel.encode_open_init,
        st.builds(core.MsgChannelOpenInit, TEXT, CHANNEL, TEXT),
    ),
    "channel try": (
        channel.decode_open_try,
        channel.encode_open_try,
        st.builds(core.MsgChannelOpenTry, TEXT, TEXT, CHANNEL, TEXT, RAW, HEIGHT, TEXT),
    ),
    "channel ack": (
        channel.decode_open_ack,
        channel.encode_open_ack,
        st.builds(core.MsgChannelOpenAck, TEXT, TEXT, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    "channel confirm": (
        channel.decode_open_confirm,
        channel.encode_open_confirm,
        st.builds(core.MsgChannelOpenConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    "close init": (
        channel.decode_close_init,
        channel.encode_close_init,
        st.builds(core.MsgChannelCloseInit, TEXT, TEXT, TEXT),
    ),
    "close confirm": (
        channel.decode_close_confirm,
        channel.encode_close_confirm,
        st.builds(core.MsgChannelCloseConfirm, TEXT, TEXT, RAW, HEIGHT, TEXT),
    ),
    "receive": (
        packet.decode_recv_packet,
        packet.encode_recv_packet,
        st.builds(core.MsgRecvPacket, PACKET, RAW, HEIGHT, TEXT),
    ),
    "acknowledge": (
        packet.decode_acknowledgement,
        packet.encode_acknowledgement,
        st.builds(core.MsgAcknowledgement, PACKET, RAW, RAW, HEIGHT, TEXT),
    ),
    "timeout": (
        packet.decode_timeout,
        packet.encode_timeout,
        st.builds(core.MsgTimeout, PACKET, RAW, HEIGHT, U64, TEXT),
    ),
    "timeout on close": (
        packet.decode_timeout_on_close,
        packet.encode_timeout_on_close,
        st.builds(core.MsgTimeoutOnClose, PACKET, RAW, RAW, HEIGHT, U64, TEXT),
    ),
    "transfer": (
        transfer.decode_transfer,
        transfer.encode_transfer,
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
    found = channel.decode_open_init(raw.SerializeToString()).channel
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
    assert connection.decode_open_try(encode(wire)) == core.MsgConnectionOpenTry(
        "c", ConnectionCounterparty("", "", b""), 0, (), b"", Height(0, 0), ""
    )
    wire.client_state.type_url = "/ibc.core.client.v1.Height"
    with pytest.raises(TxDecode):
        connection.decode_open_try(encode(wire))


@pytest.mark.parametrize("amount", ["x", "1.5", "-", str(2**256), "0x"])
def test_an_amount_must_be_a_number(amount):
    msg = MsgTransfer("transfer", "channel-0", "stake", amount, "a", "b", Height(0, 0), 1, "")
    with pytest.raises(TxDecode, match="amount"):
        transfer.decode_transfer(transfer.encode_transfer(msg))


def test_another_kind_of_state_is_refused():
    msg = core.MsgCreateClient(anys.pack(tendermint_pb2.ConsensusState()), anys.EMPTY, "s")
    with pytest.raises(TxDecode, match="no known client state"):
        client.decode_create(client.encode_create(msg))


def plan_of(**fields):
    wire = client_tx.MsgIBCSoftwareUpgrade(plan=upgrade_pb2.Plan(**fields))
    return upgrade.decode_software_upgrade(encode(wire)).plan


def test_a_plan_without_a_time_has_gos_zero_time():
    raw = client_tx.MsgIBCSoftwareUpgrade(plan=upgrade_pb2.Plan(name="v2", height=7)).SerializeToString()
    plan = upgrade.decode_software_upgrade(raw).plan
    assert plan == core.UpgradePlan("v2", -62_135_596_800 * 10**9, 7, "", False)
    assert upgrade.decode_plan_height(upgrade.encode_plan(plan)) == 7
    assert b"\x08\x80\x92\xb8\xc3\x98\xfe\xff\xff\xff\x01" in upgrade.encode_plan(plan)


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
    assert responses.response_type_url(packet.RECV_PACKET) == "/ibc.core.channel.v1.MsgRecvPacketResponse"


def test_an_any_message_is_a_plain_value():
    assert AnyMessage("/a", b"b") == AnyMessage("/a", b"b")
