"""Every message comes back from its bytes and takes nothing else; its response is the wire's."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.known import MESSAGES
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec import anys
from pyibc.codec.budget import FREE_ELEMENTS, Budget
from pyibc.codec.encoding import encode
from pyibc.core.address import AddressCodec
from pyibc.core.channel.messages import MsgChannelOpenInit, MsgChannelOpenTry
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.client.messages import MsgCreateClient, MsgSubmitMisbehaviour, MsgUpdateClient
from pyibc.core.connection.messages import MsgConnectionOpenTry
from pyibc.core.connection.types import ConnectionCounterparty
from pyibc.core.errors import InvalidAddress, TxDecode
from pyibc.core.height import Height
from pyibc.core.wire.message import decode_msg, encode_msg, pack_msg, route_of
from pyibc.direct.messages import MsgNamedChannelOpenTry
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel_tx
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.ibc.core.connection.v1 import tx_pb2 as connection_tx
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.types import End
from tests.sampling import rounds

CLASSES = pytest.mark.parametrize("cls", MESSAGES.values(), ids=lambda cls: cls.__name__)


@CLASSES
@given(data=st.data())
@settings(max_examples=rounds(5, 15), deadline=None)
def test_messages_come_back(values_of, cls, data):
    msg = data.draw(values_of(cls))
    packed = pack_msg(msg)
    assert packed.type_url == f"/{cls.TABLE.wire.DESCRIPTOR.full_name}"
    assert decode_msg(cls, packed.value) == msg
    assert packed.value == encode(cls.TABLE.wire(**cls.TABLE.fill(msg)))  # with all that Go always writes


@pytest.mark.parametrize("raw", [b"\xff", b"\x0a\x09x", b"\x0a\x01\xff", b"\xda\x06\x01x"])
def test_garbage_is_refused(raw):
    """The last is a critical field that no message has: number 107."""
    assert [cls.__name__ for cls in MESSAGES.values() if is_read(cls, raw)] == []


def is_read(cls, raw):
    try:
        decode_msg(cls, raw)
    except TxDecode:
        return False
    return True


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


def test_a_sequence_of_zero_is_not_none():
    """The first packet's sequence is 0: asked for and left open are two things."""
    msg = MsgQueueSend(End("a"), End("b"), 0, "t", b"", Height(0, 0), 0, "s")
    assert decode_msg(MsgQueueSend, encode_msg(msg)).sequence == 0
    assert decode_msg(MsgQueueSend, encode_msg(replace(msg, sequence=None))).sequence is None


def test_a_timeout_height_of_zero_is_left_out():
    msg = MsgQueueSend(End("a"), End("b"), None, "t", b"", Height(0, 0), 0, "s")
    assert not MsgQueueSend.TABLE.wire.FromString(encode_msg(msg)).HasField("max_height")


def test_evidence_under_its_older_name_stands_in_another_field():
    header = anys.pack(tendermint_pb2.Header())
    old, new = MsgSubmitMisbehaviour("c", header, "s"), MsgUpdateClient("c", header, "s")
    assert MsgSubmitMisbehaviour.TABLE.wire.FromString(encode_msg(old)).misbehaviour.value == header.value
    assert pack_msg(old).type_url != pack_msg(new).type_url


def test_what_is_not_on_the_wire_is_not_written():
    end = MsgChannelOpenTry.TABLE.unpack(channel_tx.MsgChannelOpenTry()).channel
    today = MsgChannelOpenTry("p", "channel-7", end, "v", b"", Height(0, 0), "s", "chosen", True)
    read = decode_msg(MsgChannelOpenTry, encode_msg(today))
    assert (read.previous_channel_id, read.channel_id_on_b, read.named_on_a) == ("channel-7", "", False)
    named = MsgNamedChannelOpenTry("p", "channel-7", end, "v", b"", Height(0, 0), "s", "chosen", True)
    read = decode_msg(MsgNamedChannelOpenTry, encode_msg(named))
    assert (read.previous_channel_id, read.channel_id_on_b, read.named_on_a) == ("", "chosen", True)


class Chain:
    addresses = AddressCodec("cosmos")


def test_a_route_decodes_checks_and_says_who_signs():
    sender = Chain.addresses.encode(b"s" * 20).text
    good = MsgTransfer("transfer", "channel-0", "stake", "1", sender, "b", Height(0, 0), 1, "")
    route = route_of(MsgTransfer, Chain(), lambda ctx, msg: msg.RESPONSE.encode(7))
    assert route.decode(encode_msg(good)) == good
    assert route.signers(good) == (b"s" * 20,)
    assert route.deliver(None, good) == b"\x08\x07"
    assert route.response_type_url == "/ibc.applications.transfer.v1.MsgTransferResponse"
    with pytest.raises(InvalidAddress) as refused:
        route.decode(encode_msg(replace(good, receiver=" ")))
    assert refused.value.field == "receiver"
    with pytest.raises(InvalidAddress) as refused:
        route.signers(replace(good, sender="nobody"))
    assert refused.value.field == "sender"


def test_h60_a_route_spends_the_budget_of_its_transaction():
    sender = Chain.addresses.encode(b"s" * 20).text
    good = MsgTransfer("transfer", "channel-0", "stake", "1", sender, "b", Height(0, 0), 1, "")
    route = route_of(MsgTransfer, Chain(), lambda ctx, msg: b"")
    spoilt = b"\x0a\x00" * 200 + encode_msg(good)
    budget = Budget(0)
    assert route.decode_within(spoilt, budget) == good
    assert FREE_ELEMENTS // 2 < budget.elements <= FREE_ELEMENTS
    with pytest.raises(TxDecode, match="elements"):
        route.decode_within(spoilt, budget)
    assert route.decode_within(encode_msg(good), budget) == good
    assert route.decode(spoilt) == good
