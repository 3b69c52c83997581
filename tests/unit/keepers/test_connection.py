"""The connection keeper."""

from dataclasses import replace

import pytest

from ibc_core import paths
from ibc_core.client.types import Status
from ibc_core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from ibc_core.errors import ClientNotActive, ConnectionNotFound, InvalidConnectionState, LogicFault
from ibc_core.height import Height
from ibc_core.wire import states
from keepers.connection.keeper import ConnectionKeeper
from light_client.interface import Claim

AT = Height(1, 20)
OTHER = ConnectionCounterparty("07-tendermint-3", "connection-8", b"their-store")
END = ConnectionEnd("99-noting-4", COMPATIBLE_VERSIONS, ConnectionState.OPEN, OTHER, 0)


@pytest.fixture
def connections(ctx, clients):
    keeper = ConnectionKeeper(clients)
    keeper.set_max_expected_time_per_block(ctx, 30)
    return keeper


def test_an_end_there_and_back(ctx, connections, written):
    for state in ConnectionState:
        end = replace(END, state=state, delay_period_ns=7)
        connections.set(ctx, "connection-0", end)
        assert connections.get(ctx, "connection-0") == end
    assert written(lambda: connections.set(ctx, "connection-1", END)) == ["connections/connection-1"]


def test_no_connection(ctx, connections):
    for call in (connections.get, connections.get_open):
        with pytest.raises(ConnectionNotFound):
            call(ctx, "connection-0")


@pytest.mark.parametrize("state", list(ConnectionState))
def test_only_open_connections_are_open(ctx, connections, state):
    connections.set(ctx, "connection-0", END.in_state(state))
    if state is ConnectionState.OPEN:
        assert connections.get_open(ctx, "connection-0") == END
        return
    with pytest.raises(InvalidConnectionState) as refused:
        connections.get_open(ctx, "connection-0")
    assert (refused.value.expected, refused.value.got) == ("OPEN", state.name)


def test_names(ctx, connections):
    assert [connections.next_connection_id(ctx) for _ in range(2)] == ["connection-0", "connection-1"]


def test_connections_of_a_client_keep_their_order(ctx, connections, written):
    for n in (5, 3, 9):
        connections.add_to_client(ctx, "99-noting-4", f"connection-{n}")
    assert written(lambda: connections.add_to_client(ctx, "99-noting-5", "connection-1")) == [
        "clients/99-noting-5/connections"
    ]
    raw = ctx.ibc.get(paths.client_connections_path("99-noting-4"))
    assert states.decode_client_paths(raw) == ("connection-5", "connection-3", "connection-9")


def test_params(ctx, connections):
    assert connections.max_expected_time_per_block(ctx) == 30
    ctx.ibc.delete(paths.CONNECTION_PARAMS)
    with pytest.raises(LogicFault):
        connections.max_expected_time_per_block(ctx)


def test_a_handshakes_proof_waits_for_nothing(ctx, connections, light_client):
    connections.verify(ctx, replace(END, delay_period_ns=100), AT, b"proof", b"path", b"value")
    path = (b"their-store", b"path")
    assert light_client.asked == [("member", "99-noting-4", Claim(AT, b"proof", path, b"value"))]


@pytest.mark.parametrize(
    ("delay", "time_per_block", "blocks"),
    [(0, 30, 0), (1, 30, 1), (30, 30, 1), (31, 30, 2), (60, 30, 2), (2**64 - 1, 1, 2**64 - 1), (100, 0, 0)],
)
def test_a_packets_proof_waits_for_the_delay(ctx, connections, light_client, delay, time_per_block, blocks):
    """The delay in blocks is rounded up; without an expected time per block there is none."""
    connections.set_max_expected_time_per_block(ctx, time_per_block)
    end, path = replace(END, delay_period_ns=delay), (b"their-store", b"path")
    connections.verify_packet(ctx, end, AT, b"proof", b"path", b"value")
    connections.verify_packet_absent(ctx, end, AT, b"proof", b"path")
    assert light_client.asked == [
        ("member", "99-noting-4", Claim(AT, b"proof", path, b"value", delay, blocks)),
        ("absent", "99-noting-4", Claim(AT, b"proof", path, b"", delay, blocks)),
    ]


@pytest.mark.parametrize("status", [Status.FROZEN, Status.EXPIRED, Status.UNKNOWN, Status.UNAUTHORIZED])
def test_a_client_that_is_not_active_is_not_asked(ctx, connections, light_client, status):
    light_client.current = status
    for call in (
        lambda: connections.verify(ctx, END, AT, b"p", b"k", b"v"),
        lambda: connections.verify_packet(ctx, END, AT, b"p", b"k", b"v"),
        lambda: connections.verify_packet_absent(ctx, END, AT, b"p", b"k"),
    ):
        with pytest.raises(ClientNotActive):
            call()
    assert light_client.asked == []
