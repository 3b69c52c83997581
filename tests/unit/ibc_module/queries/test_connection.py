"""ibc.core.connection.v1.Query."""

import pytest

from pyibc.core.errors import (
    ClientConnectionPathsNotFound,
    ClientNotFound,
    ConnectionNotFound,
    ConsensusStateNotFound,
    InvalidRequest,
)
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.core.connection.v1 import query_pb2 as pb

CLIENT = "99-dictionary-0"
CONNECTION = "connection-0"


@pytest.fixture
def ask(call):
    return lambda method, **fields: call(pb, "ibc.core.connection.v1", method, **fields)


def test_connection(ask):
    answer = ask("Connection", connection_id=CONNECTION)
    end = answer.connection
    assert (end.client_id, end.state, end.delay_period) == (CLIENT, 3, 0)
    assert (end.counterparty.connection_id, end.counterparty.prefix.key_prefix) == ("connection-9", b"ibc")
    assert [each.identifier for each in end.versions] == ["1"]
    assert (answer.proof_height.revision_number, answer.proof_height.revision_height) == (1, 77)
    assert answer.proof == b""


@pytest.mark.parametrize("method", ["Connection", "ConnectionClientState", "ConnectionConsensusState"])
def test_no_connection(ask, method):
    with pytest.raises(ConnectionNotFound):
        ask(method, connection_id="connection-5")
    for malformed in ("", "connectio", "connection/0", "c" * 65):
        with pytest.raises(InvalidRequest):
            ask(method, connection_id=malformed)


def test_connections_refuse_a_key_of_another_list(ask):
    with pytest.raises(InvalidRequest, match=r"pagination\.key"):
        ask("Connections", pagination=PageRequest(key=b"ports/a"))


def test_client_connections(ask, chain):
    chain.add_connection("connection-7")
    answer = ask("ClientConnections", client_id=CLIENT)
    assert list(answer.connection_paths) == [CONNECTION, "connection-7"]
    with pytest.raises(ClientConnectionPathsNotFound):
        ask("ClientConnections", client_id="07-tendermint-1")
    with pytest.raises(InvalidRequest):
        ask("ClientConnections", client_id="a b c d")


def test_connection_client_state(ask, chain):
    answer = ask("ConnectionClientState", connection_id=CONNECTION)
    assert answer.identified_client_state.client_id == CLIENT
    assert answer.identified_client_state.client_state.value == CLIENT.encode()
    chain.add_connection("connection-1", "99-dictionary-8")
    with pytest.raises(ClientNotFound):
        ask("ConnectionClientState", connection_id="connection-1")


def test_connection_consensus_state(ask):
    fields = {"connection_id": CONNECTION, "revision_number": 1}
    answer = ask("ConnectionConsensusState", **fields, revision_height=10)
    assert (answer.client_id, answer.consensus_state.value) == (CLIENT, b"1-10")
    with pytest.raises(ConsensusStateNotFound):
        ask("ConnectionConsensusState", **fields, revision_height=9)


def test_connection_params(ask):
    assert ask("ConnectionParams").params.max_expected_time_per_block == 30_000_000_000
