"""Updates a client with a header, or freezes it for misbehaviour (ICS-2 updateClient, submitMisbehaviour)."""

from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.client import events as client_events
from ibc_core.client.update import MsgUpdateClient
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers
from light_client.interface import LightClient
from light_client.views import ReadOnce, Seen, WriteOnce


class VerifiedUpdate(NamedTuple):
    """A client message that the light client verified."""

    client_id: str
    client: LightClient
    message: AnyMessage
    is_misbehaviour: bool
    seen: Seen  # of the client, while the message was verified


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateClient) -> VerifiedUpdate:
    """Has the light client verify the message.

    Raises:
        Unauthorized: the client's configuration names other relayers only (IBC v2).
        InvalidIdentifier, InvalidClientType, ClientRouteNotFound, ClientNotActive: no usable client.
        ...: the light client's own errors.
    """
    keepers.v2.clients.check_relayer(ctx, msg.client_id, msg.signer)
    once = ReadOnce(ctx)
    client = keepers.clients.active(once, msg.client_id)
    # PROOF
    client.verify_client_message(once, msg.client_id, msg.client_message)
    is_misbehaviour = client.check_for_misbehaviour(once, msg.client_id, msg.client_message)
    return VerifiedUpdate(msg.client_id, client, msg.client_message, is_misbehaviour, once.seen)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedUpdate) -> None:  # noqa: ARG001
    """Freezes the client on misbehaviour, else updates its state.

    Runs on: either chain.
    Proves: the header, or the misbehaviour.
    Writes: clients/{id}/ (by the light client).
    Emits: client_misbehaviour | update_client.
    """
    client_id, client, message, is_misbehaviour, seen = verified
    once = WriteOnce(ctx, seen)
    # STATE and EVENTS
    if is_misbehaviour:
        client.update_state_on_misbehaviour(once, client_id, message)
        ctx.emit(client_events.client_misbehaviour(client_id, client.client_type))
    else:
        heights = client.update_state(once, client_id, message)
        ctx.emit(client_events.update_client(client_id, client.client_type, heights))
    ctx.emit(client_events.MODULE)
