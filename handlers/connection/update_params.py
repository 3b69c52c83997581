"""Sets the expected time per block (ibc-go 03-connection MsgUpdateParams)."""

from typing import NamedTuple

from handlers.authority import check_authority
from ibc_core.connection.update_params import MsgUpdateConnectionParams
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedParams(NamedTuple):
    """Parameters set by the authority."""

    max_expected_time_per_block_ns: int


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateConnectionParams) -> VerifiedParams:  # noqa: ARG001
    """Checks the signer.

    Raises:
        UnauthorizedTx: not the authority.
    """
    check_authority(keepers, msg.signer)
    return VerifiedParams(msg.max_expected_time_per_block_ns)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedParams) -> None:
    """Writes the parameters, which convert delay periods into blocks.

    Runs on: either chain.
    Proves: nothing.
    Writes: connectionParams.
    Emits: nothing.
    """
    keepers.connections.set_max_expected_time_per_block(ctx, verified.max_expected_time_per_block_ns)
