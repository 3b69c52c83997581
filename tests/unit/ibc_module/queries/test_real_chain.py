"""Queries of a chain that runs: its own tree below, a real client and a channel opened by handshake."""

import pytest

from ibc_core.channel.types import Order
from ibc_core.errors import UnknownRequest
from ibc_proto.ibc.core.channel.v1 import query_pb2 as channel_pb
from ibc_proto.ibc.core.client.v1 import query_pb2 as client_pb
from ibc_proto.ibc.core.connection.v1 import query_pb2 as connection_pb
from ibc_testing.two_chains import two_chains

CLIENT = "07-tendermint-0"


@pytest.fixture(scope="module")
def chain():
    """One of two chains with an open channel."""
    both = two_chains()
    both.open("transfer", Order.UNORDERED, "ics20-1")
    yield both.a.chain
    both.close()


@pytest.fixture
def ask(chain):
    def answer(pb, service, method, **fields):
        request = getattr(pb, f"Query{method}Request")(**fields).SerializeToString()
        raw = chain.grpc(f"/ibc.core.{service}.v1.Query/{method}", request)
        return getattr(pb, f"Query{method}Response").FromString(raw)

    return answer


def test_clients(ask):
    (state,) = ask(client_pb, "client", "ClientStates").client_states
    assert (state.client_id, state.client_state.type_url) == (
        CLIENT,
        "/ibc.lightclients.tendermint.v1.ClientState",
    )
    assert ask(client_pb, "client", "ClientStatus", client_id=CLIENT).status == "Active"
    assert ask(client_pb, "client", "ClientCreator", client_id=CLIENT).creator.startswith("cosmos1")
    heights = ask(client_pb, "client", "ConsensusStateHeights", client_id=CLIENT).consensus_state_heights
    newest = ask(client_pb, "client", "ConsensusState", client_id=CLIENT, latest_height=True)
    last = max((each.revision_number, each.revision_height) for each in heights)
    named = dict(zip(("revision_number", "revision_height"), last, strict=True))
    assert ask(client_pb, "client", "ConsensusState", client_id=CLIENT, **named) == newest


def test_connections(ask):
    found = ask(connection_pb, "connection", "Connections")
    assert [each.id for each in found.connections] == ["connection-0", "connection-localhost"]
    paths = ask(connection_pb, "connection", "ClientConnections", client_id=CLIENT)
    assert list(paths.connection_paths) == ["connection-0"]


def test_channels(ask, chain):
    (end,) = ask(channel_pb, "channel", "ConnectionChannels", connection="connection-0").channels
    name = {"port_id": end.port_id, "channel_id": end.channel_id}
    assert name == {"port_id": "transfer", "channel_id": "channel-0"}
    answer = ask(channel_pb, "channel", "Channel", **name)
    assert answer.channel.state == end.state == 3
    assert (answer.proof_height.revision_number, answer.proof_height.revision_height) == (1, chain.height)
    assert ask(channel_pb, "channel", "NextSequenceSend", **name).next_sequence_send == 1
    below = ask(channel_pb, "channel", "ChannelClientState", **name)
    assert below.identified_client_state.client_id == CLIENT


def test_an_unknown_service(chain):
    with pytest.raises(UnknownRequest):
        chain.grpc("/ibc.core.channel.v1.Query/Nothing", b"")
