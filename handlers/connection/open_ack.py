"""Handler of MsgConnectionOpenAck: chain A opens its end (ICS-3 connOpenAck)."""

from typing import NamedTuple

from handlers.identifiers import check_connection_counterparty
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.connection import events as connection_events
from pyibc.core.connection.messages import MsgConnectionOpenAck
from pyibc.core.connection.types import (
    ALLOWED,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
    is_supported,
)
from pyibc.core.errors import InvalidConnectionState, InvalidConnectionVersion
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_connection_end


class VerifiedOpenAck(NamedTuple):
    """Chain A's end as OPEN, whose counterparty is TRYOPEN."""

    connection_id_on_a: str
    end_on_a: ConnectionEnd
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenAck) -> VerifiedOpenAck:
    """Check that chain A's end is INIT, and that chain B's end is TRYOPEN with A's end as counterparty.

    Raises:
        ConnectionNotFound, InvalidConnectionVersion: there is no such connection or no version.
        InvalidConnectionState: A's end is not INIT, or the version was not proposed.
        InvalidConnectionCounterparty: A's end has another counterparty connection.
        ClientNotActive, InvalidProof, ...: B's end is not proven.
    """
    # CONNECTION
    end = keepers.connections.get(ctx, msg.connection_id_on_a)
    if msg.version is None:
        raise InvalidConnectionVersion("no version")
    state = ALLOWED.get((end.state, "open_ack"))
    if state is None or not is_supported(msg.version, end.versions):
        expected = f"INIT with version {msg.version.identifier[:64]!a}"
        raise InvalidConnectionState(msg.connection_id_on_a, expected, end.state.name)
    check_connection_counterparty(end.counterparty.connection_id, msg.connection_id_on_b)
    # PROOF
    ours = ConnectionCounterparty(end.client_id, msg.connection_id_on_a, paths.COMMITMENT_PREFIX)
    end_on_b = ConnectionEnd(
        end.counterparty.client_id, (msg.version,), ConnectionState.TRYOPEN, ours, end.delay_period_ns
    )
    # guard: h23-connection-ack-under-the-own-name other:connection_id_on_b
    #   test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    path = paths.connection_path(msg.connection_id_on_b)
    value = encode_connection_end(end_on_b)
    effect = keepers.connections.verify(ctx, end, msg.proof_height, msg.proof_try, path, value)
    theirs = ConnectionCounterparty(
        end.counterparty.client_id, msg.connection_id_on_b, end.counterparty.prefix
    )
    opened = ConnectionEnd(end.client_id, (msg.version,), state, theirs, end.delay_period_ns)
    return VerifiedOpenAck(msg.connection_id_on_a, opened, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenAck) -> None:
    """Write the end as OPEN.

    Runs on: A. Proves: B's connection end. Writes: connections; clients/{id}/ (by a single-use proof). Emits:
    connection_open_ack.
    """
    # STATE
    keepers.clients.apply_effect(ctx, verified.effect)
    keepers.connections.set(ctx, verified.connection_id_on_a, verified.end_on_a)
    # EVENTS
    ctx.emit(connection_events.open_step("open_ack", verified.connection_id_on_a, verified.end_on_a))
    ctx.emit(connection_events.MODULE)
