"""Recovers a client with the state of a substitute (ibc-go 02-client MsgRecoverClient)."""

from typing import NamedTuple

from handlers.authority import check_authority
from ibc_core.client import events as client_events
from ibc_core.client.recover import MsgRecoverClient
from ibc_core.client.types import Status
from ibc_core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    InvalidClientHeight,
    InvalidClientType,
    InvalidIdentifier,
    InvalidRecoveryClient,
)
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers
from light_client.interface import LightClient


class VerifiedRecovery(NamedTuple):
    """A subject that is not Active, and an Active substitute of a greater height."""

    subject_client_id: str
    substitute_client_id: str
    client: LightClient


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgRecoverClient) -> VerifiedRecovery:
    """Checks the signer, that the subject is not Active, and that the substitute is.

    Raises:
        UnauthorizedTx: not the authority.
        ClientRouteNotFound: no light client is registered for the subject.
        InvalidRecoveryClient: the subject is Active.
        ClientNotActive: the substitute is not.
        InvalidClientHeight: the subject's latest height is not below the substitute's.
    """
    check_authority(keepers, msg.signer)
    subject, substitute = msg.subject_client_id, msg.substitute_client_id
    client = _route(keepers, ctx, subject)
    if client.status(ctx, subject) is Status.ACTIVE:
        raise InvalidRecoveryClient(subject, "it is Active")
    # Asked of the subject's light client, which cannot read clients of other types.
    status = client.status(ctx, substitute)
    if status is not Status.ACTIVE:
        raise ClientNotActive(substitute, status.value)
    height, above = client.latest_height(ctx, subject), client.latest_height(ctx, substitute)
    if height >= above:
        raise InvalidClientHeight(f"subject is at {height}, substitute at {above}, not above it")
    return VerifiedRecovery(subject, substitute, client)


def _route(keepers: Keepers, ctx: ReadContext, client_id: str) -> LightClient:
    try:
        return keepers.clients.route(ctx, client_id)
    except (InvalidIdentifier, InvalidClientType):
        raise ClientRouteNotFound(client_id) from None


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedRecovery) -> None:  # noqa: ARG001
    """Has the light client copy the substitute's latest state.

    Runs on: either chain.
    Proves: nothing: the authority vouches for it.
    Writes: clients/{id}/ (by the light client).
    Emits: recover_client.
    """
    client_id, substitute, client = verified
    # STATE
    client.recover(ctx, client_id, substitute)
    # EVENTS
    ctx.emit(client_events.recover_client(client_id, client.client_type))
    ctx.emit(client_events.MODULE)
