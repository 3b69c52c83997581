"""Handler of MsgUpdateParams: set the allowed client types (ibc-go 02-client)."""

from typing import NamedTuple

from handlers.authority import check_authority
from keepers.keepers import Keepers
from pyibc.core.client.messages import MsgUpdateClientParams
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedParams(NamedTuple):
    """Parameters set by the authority."""

    allowed_clients: tuple[str, ...]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateClientParams) -> VerifiedParams:  # noqa: ARG001
    """Check the signer.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    check_authority(keepers, msg.signer)
    return VerifiedParams(msg.allowed_clients)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedParams) -> None:
    """Write the parameters; clients of a type that is no longer allowed become Unauthorized.

    Runs on: either chain. Proves: nothing. Writes: clientParams. Emits: nothing.
    """
    keepers.clients.set_allowed_clients(ctx, verified.allowed_clients)
