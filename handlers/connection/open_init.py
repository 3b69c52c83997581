"""Chain A starts a connection (ICS-3 connOpenInit)."""

from typing import NamedTuple

from handlers.names import check_connection_name
from ibc_core.connection import events as connection_events
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionEnd,
    ConnectionState,
    Version,
    is_supported,
)
from ibc_core.errors import InvalidConnectionVersion
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedOpenInit(NamedTuple):
    """A connection that may be started."""

    msg: MsgConnectionOpenInit
    versions: tuple[Version, ...]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenInit) -> VerifiedOpenInit:
    """Checks the requested version and the client.

    Raises:
        InvalidConnectionVersion: not one of ours.
        ClientNotActive: the client cannot be used.
        InvalidIdentifier, InvalidConnectionIdentifier, ConnectionExists: the chosen one is not available.
    """
    # CONNECTION
    check_connection_name(keepers, ctx, msg.connection_id_on_a)
    versions = COMPATIBLE_VERSIONS
    if msg.version is not None:
        if not is_supported(msg.version):
            raise InvalidConnectionVersion(f"{msg.version.identifier[:64]!a} is not supported")
        versions = (msg.version,)
    keepers.clients.require_active(ctx, msg.client_id_on_a)
    return VerifiedOpenInit(msg, versions)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedOpenInit) -> str:
    """Writes the end as INIT; returns its identifier.

    Runs on: A.
    Proves: nothing.
    Writes: nextConnectionSequence (where no name was chosen), clients/{id}/connections, connections.
    Emits: connection_open_init.
    """
    msg, versions = verified
    # STATE
    connection_id = msg.connection_id_on_a or keepers.connections.next_connection_id(ctx)
    keepers.connections.add_to_client(ctx, msg.client_id_on_a, connection_id)
    end = ConnectionEnd(
        msg.client_id_on_a, versions, ConnectionState.INIT, msg.counterparty, msg.delay_period_ns
    )
    keepers.connections.set(ctx, connection_id, end)
    # EVENTS
    ctx.emit(connection_events.open_init(connection_id, end.client_id, end.counterparty.client_id))
    ctx.emit(connection_events.MODULE)
    return connection_id
