"""Handler of MsgConnectionOpenInit: chain A starts a connection (ICS-3 connOpenInit)."""

from typing import NamedTuple

from handlers.identifiers import check_connection_name
from keepers.keepers import Keepers
from pyibc.core.connection import events as connection_events
from pyibc.core.connection.messages import MsgConnectionOpenInit
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionEnd,
    ConnectionState,
    Version,
    is_supported,
)
from pyibc.core.errors import InvalidConnectionVersion
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedOpenInit(NamedTuple):
    """A connection that may be started."""

    msg: MsgConnectionOpenInit
    versions: tuple[Version, ...]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgConnectionOpenInit) -> VerifiedOpenInit:
    """Check the requested version and the client.

    Raises:
        InvalidConnectionVersion: the version is not supported.
        ClientNotActive: the client is not Active.
        InvalidIdentifier, InvalidConnectionIdentifier, ConnectionExists: the requested one is not available.
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
    """Write the end as INIT, and return its identifier.

    Runs on: A. Proves: nothing. Writes: nextConnectionSequence (unless an identifier is requested),
    clients/{id}/connections, connections. Emits: connection_open_init.
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
