"""Handler of MsgConnectionOpenTry: chain B accepts a connection (ICS-3 connOpenTry)."""

from typing import NamedTuple

from handlers.identifiers import check_connection_name
from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.connection import events as connection_events
from pyibc.core.connection.messages import MsgConnectionOpenTry
from pyibc.core.connection.types import ConnectionCounterparty, ConnectionEnd, ConnectionState, pick_version
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_connection_end


class VerifiedOpenTry(NamedTuple):
    """A connection whose counterparty is INIT."""

    connection_id_on_b: str  # requested; "": generated
    end_on_b: ConnectionEnd
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenTry) -> VerifiedOpenTry:
    """Check that chain A's end is INIT with chain B's client as counterparty.

    Raises:
        VersionNegotiationFailed: there is no common version.
        InvalidIdentifier, InvalidConnectionIdentifier, ConnectionExists: the requested one is not available.
        ClientNotActive, InvalidProof, ...: A's end is not proven.
    """
    # CONNECTION
    check_connection_name(keepers, ctx, msg.connection_id_on_b)
    version = pick_version(msg.versions_on_a)
    end_on_b = ConnectionEnd(
        msg.client_id_on_b, (version,), ConnectionState.TRYOPEN, msg.counterparty, msg.delay_period_ns
    )
    # PROOF
    end_on_a = ConnectionEnd(
        msg.counterparty.client_id,
        msg.versions_on_a,
        ConnectionState.INIT,
        ConnectionCounterparty(
            msg.client_id_on_b, msg.connection_id_on_b if msg.named_on_a else "", paths.COMMITMENT_PREFIX
        ),
        msg.delay_period_ns,
    )
    path = paths.connection_path(msg.counterparty.connection_id)
    value = encode_connection_end(end_on_a)
    effect = keepers.connections.verify(ctx, end_on_b, msg.proof_height, msg.proof_init, path, value)
    return VerifiedOpenTry(msg.connection_id_on_b, end_on_b, effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenTry) -> str:
    """Write the end as TRYOPEN, and return its identifier.

    Runs on: B.
    Proves: A's connection end.
    Writes: nextConnectionSequence (unless an identifier is requested), clients/{id}/connections, connections;
        clients/{id}/ (by a single-use proof).
    Emits: connection_open_try.
    """
    end = verified.end_on_b
    # STATE
    keepers.clients.apply_effect(ctx, verified.effect)
    connection_id = verified.connection_id_on_b or keepers.connections.next_connection_id(ctx)
    keepers.connections.add_to_client(ctx, end.client_id, connection_id)
    keepers.connections.set(ctx, connection_id, end)
    # EVENTS
    ctx.emit(connection_events.open_step("open_try", connection_id, end))
    ctx.emit(connection_events.MODULE)
    return connection_id
