"""Sets the allowed client types (ibc-go 02-client MsgUpdateParams)."""

from typing import NamedTuple

from handlers.authority import check_authority
from ibc_core.client.update_params import MsgUpdateClientParams
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedParams(NamedTuple):
    """Parameters set by the authority."""

    allowed_clients: tuple[str, ...]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateClientParams) -> VerifiedParams:  # noqa: ARG001
    """Checks the signer.

    Raises:
        UnauthorizedTx: not the authority.
    """
    check_authority(keepers, msg.signer)
    return VerifiedParams(msg.allowed_clients)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedParams) -> None:
    """Writes the parameters; a client of a type that is no longer allowed is Unauthorized from now on.

    Runs on: either chain.
    Proves: nothing.
    Writes: clientParams.
    Emits: nothing.
    """
    keepers.clients.set_allowed_clients(ctx, verified.allowed_clients)
