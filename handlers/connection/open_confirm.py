"""Chain B opens its end (ICS-3 connOpenConfirm)."""

from typing import NamedTuple

from ibc_core import paths
from ibc_core.connection import events as connection_events
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.types import ALLOWED, ConnectionCounterparty, ConnectionEnd, ConnectionState
from ibc_core.errors import InvalidConnectionState
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire.states import encode_connection_end
from keepers.keepers import Keepers
from light_client.interface import ProofEffect


class VerifiedOpenConfirm(NamedTuple):
    """Our end as OPEN; its counterparty is OPEN."""

    connection_id_on_b: str
    end_on_b: ConnectionEnd
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenConfirm) -> VerifiedOpenConfirm:
    """Checks that our end is TRYOPEN, and that A's end is OPEN and names ours.

    Raises:
        ConnectionNotFound, InvalidConnectionState: no such connection, or not TRYOPEN.
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
    """Writes the end as OPEN.

    Runs on: B.
    Proves: A's connection end.
    Writes: connections; clients/{id}/ (where a proof is used up).
    Emits: connection_open_confirm.
    """
    # STATE
    keepers.clients.settle(ctx, verified.effect)
    keepers.connections.set(ctx, verified.connection_id_on_b, verified.end_on_b)
    # EVENTS
    ctx.emit(connection_events.open_step("open_confirm", verified.connection_id_on_b, verified.end_on_b))
    ctx.emit(connection_events.MODULE)
