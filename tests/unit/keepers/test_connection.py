"""The connection keeper."""

from dataclasses import replace

import pytest

from keepers.connection import ConnectionKeeper
from light_client.interface import Claim
from pyibc.core import paths
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.errors import InvalidConnectionState, LogicFault
from pyibc.core.height import Height

AT = Height(1, 20)
OTHER = ConnectionCounterparty("07-tendermint-3", "connection-8", b"their-store")
END = ConnectionEnd("99-noting-4", COMPATIBLE_VERSIONS, ConnectionState.OPEN, OTHER, 0)


@pytest.fixture
def connections(ctx, clients):
    keeper = ConnectionKeeper(clients)
    keeper.set_max_expected_time_per_block(ctx, 30)
    return keeper


@pytest.mark.parametrize("state", list(ConnectionState))
def test_only_open_connections_are_open(ctx, connections, state):
    connections.set(ctx, "connection-0", END.in_state(state))
    if state is ConnectionState.OPEN:
        assert connections.get_open(ctx, "connection-0") == END
        return
    with pytest.raises(InvalidConnectionState) as refused:
        connections.get_open(ctx, "connection-0")
    assert (refused.value.expected, refused.value.got) == ("OPEN", state.name)


def test_params(ctx, connections):
    assert connections.max_expected_time_per_block(ctx) == 30
    ctx.ibc.delete(paths.CONNECTION_PARAMS)
    with pytest.raises(LogicFault):
        connections.max_expected_time_per_block(ctx)


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
