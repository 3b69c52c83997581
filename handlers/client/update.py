"""Handler of MsgUpdateClient: update a client, or freeze it for misbehaviour (ICS-2 updateClient)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from light_client.contexts import CachedReadContext, CachedWriteContext, StoreEntries
from light_client.interface import LightClient
from pyibc.codec.anys import AnyMessage
from pyibc.core.client import events as client_events
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedUpdate(NamedTuple):
    """A verified client message."""

    client_id: str
    client: LightClient
    message: AnyMessage
    is_misbehaviour: bool
    entries: StoreEntries  # entries read during verification


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateClient) -> VerifiedUpdate:
    """Verify the client message, and find out whether it is misbehaviour.

    Raises:
        Unauthorized: the signer is not an allowed relayer (IBC v2).
        InvalidIdentifier, InvalidClientType, ClientRouteNotFound, ClientNotActive: the client is not usable.
        IbcError: the light client's own errors.
    """
    keepers.v2.clients.check_relayer(ctx, msg.client_id, msg.signer)
    once = CachedReadContext(ctx)
    client = keepers.clients.active(once, msg.client_id)
    # PROOF
    client.verify_client_message(once, msg.client_id, msg.client_message)
    is_misbehaviour = client.check_for_misbehaviour(once, msg.client_id, msg.client_message)
    return VerifiedUpdate(msg.client_id, client, msg.client_message, is_misbehaviour, once.entries)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedUpdate) -> None:  # noqa: ARG001
    """Freeze the client on misbehaviour, else update its state.

    Runs on: either chain. Proves: the header, or the misbehaviour. Writes: clients/{id}/ (by the light
    client). Emits: client_misbehaviour | update_client.
    """
    client_id, client, message, is_misbehaviour, entries = verified
    once = CachedWriteContext(ctx, entries)
    # STATE and EVENTS
    if is_misbehaviour:
        client.update_state_on_misbehaviour(once, client_id, message)
        ctx.emit(client_events.client_misbehaviour(client_id, client.client_type))
    else:
        heights = client.update_state(once, client_id, message)
        ctx.emit(client_events.update_client(client_id, client.client_type, heights))
    ctx.emit(client_events.MODULE)
