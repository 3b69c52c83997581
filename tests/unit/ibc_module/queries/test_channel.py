"""ibc.core.channel.v1.Query: channels."""

import pytest

from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    ChannelNotFound,
    ClientNotFound,
    ConnectionNotFound,
    ConsensusStateNotFound,
    InvalidRequest,
    SequenceReceiveNotFound,
    SequenceSendNotFound,
)
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as pb

HERE = {"port_id": "transfer", "channel_id": "channel-0"}
ORDERED = {"port_id": "transfer", "channel_id": "channel-1"}
NOWHERE = {"port_id": "transfer", "channel_id": "channel-99"}
ONE_CHANNEL = [
    "Channel",
    "ChannelClientState",
    "ChannelConsensusState",
    "NextSequenceReceive",
    "PacketCommitments",
    "PacketAcknowledgements",
    "UnreceivedPackets",
    "UnreceivedAcks",
]


@pytest.fixture
def ask(call):
    return lambda method, **fields: call(pb, "ibc.core.channel.v1", method, **fields)


def test_channel(ask):
    answer = ask("Channel", **HERE)
    end = answer.channel
    assert (end.state, end.ordering, end.version) == (3, 1, "ics20-1")
    assert (end.counterparty.port_id, end.counterparty.channel_id) == ("transfer", "channel-8")
    assert list(end.connection_hops) == ["connection-0"]
    assert (answer.proof_height.revision_number, answer.proof_height.revision_height) == (1, 77)


@pytest.mark.parametrize("method", ONE_CHANNEL)
def test_no_channel(ask, method):
    with pytest.raises(ChannelNotFound):
        ask(method, **NOWHERE)


@pytest.mark.parametrize("method", [*ONE_CHANNEL, "NextSequenceSend"])
def test_malformed_names(ask, method):
    for change in ({"port_id": "t"}, {"channel_id": "channel"}, {"port_id": "a/b"}, {"port_id": ""}):
        with pytest.raises(InvalidRequest):
            assert ask(method, **(HERE | change)) is None, change


def names(answer):
    return [(each.port_id, each.channel_id) for each in answer.channels]


def test_channels_of_a_connection(ask, chain):
    chain.add_channel("channel-2", hop="connection-10")
    chain.add_channel("channel-3", hop="connection-1")
    chain.add_channel("channel-4", hop="connection-1")
    found = ask("ConnectionChannels", connection="connection-1")
    assert names(found) == [("transfer", "channel-3"), ("transfer", "channel-4")]
    assert found.pagination.total == 2
    first = ask("ConnectionChannels", connection="connection-1", pagination=PageRequest(limit=1))
    assert names(first) == [("transfer", "channel-3")]
    assert first.pagination.next_key == b"ports/transfer/channels/channel-4"
    assert names(ask("ConnectionChannels", connection="connection-77")) == []
    with pytest.raises(InvalidRequest):
        ask("ConnectionChannels", connection="conn")


def test_channels_refuse_a_key_of_another_list(ask):
    for key in (b"channel-1", b"ports/a/b/c", b"\xff\xff", b"ports/transfer/channels/channel-1/x"):
        with pytest.raises(InvalidRequest, match=r"pagination\.key"):
            ask("Channels", pagination=PageRequest(key=key))


def test_channel_client_state(ask, chain):
    answer = ask("ChannelClientState", **HERE)
    assert answer.identified_client_state.client_id == "99-dictionary-0"
    chain.ctx.ibc.delete(paths.client_state_path("99-dictionary-0"))
    with pytest.raises(ClientNotFound):
        ask("ChannelClientState", **HERE)
    chain.ctx.ibc.delete(paths.connection_path("connection-0"))
    with pytest.raises(ConnectionNotFound):
        ask("ChannelClientState", **HERE)


def test_channel_consensus_state(ask):
    answer = ask("ChannelConsensusState", **HERE, revision_number=1, revision_height=10)
    assert (answer.client_id, answer.consensus_state.value) == ("99-dictionary-0", b"1-10")
    with pytest.raises(ConsensusStateNotFound):
        ask("ChannelConsensusState", **HERE, revision_number=1, revision_height=11)


def test_next_sequence_receive(ask, chain):
    chain.keepers.channels.set_next_recv(chain.ctx, "transfer", "channel-0", 5)
    chain.keepers.channels.set_next_recv(chain.ctx, "transfer", "channel-1", 6)
    assert ask("NextSequenceReceive", **HERE).next_sequence_receive == 0
    assert ask("NextSequenceReceive", **ORDERED).next_sequence_receive == 6
    chain.ctx.ibc.delete(paths.next_sequence_recv_path("transfer", "channel-1"))
    with pytest.raises(SequenceReceiveNotFound):
        ask("NextSequenceReceive", **ORDERED)


def test_next_sequence_send(ask, chain):
    chain.keepers.channels.set_next_send(chain.ctx, "transfer", "channel-0", 2**64 - 1)
    assert ask("NextSequenceSend", **HERE).next_sequence_send == 2**64 - 1
    with pytest.raises(SequenceSendNotFound):
        ask("NextSequenceSend", **NOWHERE)


def test_a_channel_without_an_order(ask, chain):
    chain.add_channel("channel-5", order=Order.NONE)
    with pytest.raises(InvalidRequest, match="ORDER_NONE"):
        ask("UnreceivedPackets", port_id="transfer", channel_id="channel-5")
