"""Handler of MsgCreateClient: create a client (ICS-2 createClient)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from light_client.interface import LightClient
from pyibc.core.address import Address
from pyibc.core.client import events as client_events
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.client.types import LOCALHOST, Status
from pyibc.core.errors import ClientNotActive, InvalidClientType
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedCreate(NamedTuple):
    """A client that may be created."""

    msg: MsgCreateClient
    client: LightClient
    creator: Address


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgCreateClient) -> VerifiedCreate:
    """Check that clients of this type may be created.

    Raises:
        InvalidClientType: the type is the localhost's, or not allowed by the parameters.
        ClientRouteNotFound: no light client of the type is registered.
    """
    client_type = keepers.clients.registry.by_client_state(msg.client_state.type_url).client_type
    if client_type == LOCALHOST:
        raise InvalidClientType(f"a client of type {client_type} cannot be created")
    client = keepers.clients.by_type(ctx, client_type)
    return VerifiedCreate(msg, client, keepers.addresses.decode(msg.signer, "signer"))


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedCreate) -> str:
    """Write the client's initial states, and return its identifier.

    Runs on: either chain. Proves: nothing; trust in the initial state is the user's choice. Writes:
    nextClientSequence, clients/{id}/ (by the light client), clients/{id}/creator. Emits: create_client.
    """
    msg, client, creator = verified
    # STATE
    client_id = keepers.clients.next_client_id(ctx, client.client_type)
    client.initialize(ctx, client_id, msg.client_state.value, msg.consensus_state.value)
    status = client.status(ctx, client_id)
    if status is not Status.ACTIVE:
        raise ClientNotActive(client_id, status.value)
    keepers.clients.set_creator(ctx, client_id, creator.raw)
    # EVENTS
    height = client.latest_height(ctx, client_id)
    ctx.emit(client_events.create_client(client_id, client.client_type, height))
    ctx.emit(client_events.MODULE)
    return client_id
