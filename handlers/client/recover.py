"""Handler of MsgRecoverClient: recover a client with a substitute's state (ibc-go 02-client)."""

from typing import NamedTuple

from handlers.authority import check_authority
from keepers.keepers import Keepers
from light_client.interface import LightClient
from pyibc.core.client import events as client_events
from pyibc.core.client.messages import MsgRecoverClient
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    InvalidClientHeight,
    InvalidClientType,
    InvalidIdentifier,
    InvalidRecoveryClient,
)
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedRecovery(NamedTuple):
    """A subject that is not Active, and an Active substitute of a greater height."""

    subject_client_id: str
    substitute_client_id: str
    client: LightClient


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgRecoverClient) -> VerifiedRecovery:
    """Check the signer, and that the subject is not Active and the substitute is.

    Raises:
        UnauthorizedTx: the signer is not the authority.
        ClientRouteNotFound: no light client is registered for the subject.
        InvalidRecoveryClient: the subject is Active.
        ClientNotActive: the substitute is not Active.
        InvalidClientHeight: the subject's latest height is not below the substitute's.
    """
    check_authority(keepers, msg.signer)
    subject, substitute = msg.subject_client_id, msg.substitute_client_id
    client = _route(keepers, ctx, subject)
    if client.status(ctx, subject) is Status.ACTIVE:
        raise InvalidRecoveryClient(subject, "it is Active")
    # The subject's light client is called, which cannot decode clients of other types.
    status = client.status(ctx, substitute)
    if status is not Status.ACTIVE:
        raise ClientNotActive(substitute, status.value)
    height, above = client.latest_height(ctx, subject), client.latest_height(ctx, substitute)
    if height >= above:
        raise InvalidClientHeight(f"substitute's height {above} is not above the subject's {height}")
    return VerifiedRecovery(subject, substitute, client)


def _route(keepers: Keepers, ctx: ReadContext, client_id: str) -> LightClient:
    try:
        return keepers.clients.route(ctx, client_id)
    except (InvalidIdentifier, InvalidClientType):
        raise ClientRouteNotFound(client_id) from None


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedRecovery) -> None:  # noqa: ARG001
    """Copy the substitute's latest state, by the light client.

    Runs on: either chain. Proves: nothing; the authority is trusted. Writes: clients/{id}/ (by the light
    client). Emits: recover_client.
    """
    client_id, substitute, client = verified
    # STATE
    client.recover(ctx, client_id, substitute)
    # EVENTS
    ctx.emit(client_events.recover_client(client_id, client.client_type))
    ctx.emit(client_events.MODULE)
