"""Chain B accepts a connection (ICS-3 connOpenTry)."""

from typing import NamedTuple

from handlers.names import check_connection_name
from ibc_core import paths
from ibc_core.connection import events as connection_events
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import ConnectionCounterparty, ConnectionEnd, ConnectionState, pick_version
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire.states import encode_connection_end
from keepers.keepers import Keepers
from light_client.interface import ProofEffect


class VerifiedOpenTry(NamedTuple):
    """A connection whose counterparty is INIT."""

    connection_id_on_b: str  # chosen; "": generated
    end_on_b: ConnectionEnd
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenTry) -> VerifiedOpenTry:
    """Checks that A's end is INIT and names our client.

    Raises:
        VersionNegotiationFailed: no version in common.
        InvalidIdentifier, InvalidConnectionIdentifier, ConnectionExists: the chosen one is not available.
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
    """Writes the end as TRYOPEN; returns its identifier.

    Runs on: B.
    Proves: A's connection end.
    Writes: nextConnectionSequence (where no name was chosen), clients/{id}/connections, connections;
        clients/{id}/ (where a proof is used up).
    Emits: connection_open_try.
    """
    end = verified.end_on_b
    # STATE
    keepers.clients.settle(ctx, verified.effect)
    connection_id = verified.connection_id_on_b or keepers.connections.next_connection_id(ctx)
    keepers.connections.add_to_client(ctx, end.client_id, connection_id)
    keepers.connections.set(ctx, connection_id, end)
    # EVENTS
    ctx.emit(connection_events.open_step("open_try", connection_id, end))
    ctx.emit(connection_events.MODULE)
    return connection_id
