"""Handler of MsgConnectionOpenConfirm: chain B opens its end (ICS-3 connOpenConfirm)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.connection import events as connection_events
from pyibc.core.connection.messages import MsgConnectionOpenConfirm
from pyibc.core.connection.types import ALLOWED, ConnectionCounterparty, ConnectionEnd, ConnectionState
from pyibc.core.errors import InvalidConnectionState
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.states import encode_connection_end


class VerifiedOpenConfirm(NamedTuple):
    """Chain B's end as OPEN, whose counterparty is OPEN."""

    connection_id_on_b: str
    end_on_b: ConnectionEnd
    effect: ProofEffect | None  # of the proof


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenConfirm) -> VerifiedOpenConfirm:
    """Check that chain B's end is TRYOPEN, and that chain A's end is OPEN with B's end as counterparty.

    Raises:
        ConnectionNotFound, InvalidConnectionState: there is no such connection, or it is not TRYOPEN.
        ClientNotActive, InvalidProof, ...: A's end is not proven.
    """
    # CONNECTION
    end = keepers.connections.get(ctx, msg.connection_id_on_b)
    state = ALLOWED.get((end.state, "open_confirm"))
    if state is None:
        expected = ConnectionState.TRYOPEN.name
        raise InvalidConnectionState(msg.connection_id_on_b, expected, end.state.name)
    # PROOF
    ours = ConnectionCounterparty(end.client_id, msg.connection_id_on_b, paths.COMMITMENT_PREFIX)
    end_on_a = ConnectionEnd(
        end.counterparty.client_id, end.versions, ConnectionState.OPEN, ours, end.delay_period_ns
    )
    # guard: h23-connection-confirm-under-the-own-name {end.counterparty.connection_id =>
    #   msg.connection_id_on_b} test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end
    path = paths.connection_path(end.counterparty.connection_id)
    value = encode_connection_end(end_on_a)
    effect = keepers.connections.verify(ctx, end, msg.proof_height, msg.proof_ack, path, value)
    return VerifiedOpenConfirm(msg.connection_id_on_b, end.in_state(state), effect)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenConfirm) -> None:
    """Write the end as OPEN.

    Runs on: B. Proves: A's connection end. Writes: connections; clients/{id}/ (by a single-use proof). Emits:
    connection_open_confirm.
    """
    # STATE
    keepers.clients.apply_effect(ctx, verified.effect)
    keepers.connections.set(ctx, verified.connection_id_on_b, verified.end_on_b)
    # EVENTS
    ctx.emit(connection_events.open_step("open_confirm", verified.connection_id_on_b, verified.end_on_b))
    ctx.emit(connection_events.MODULE)
