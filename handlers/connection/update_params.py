"""Handler of MsgUpdateParams: set the maximum expected time per block (ibc-go 03-connection)."""

from typing import NamedTuple

from handlers.authority import check_authority
from keepers.keepers import Keepers
from pyibc.core.connection.messages import MsgUpdateConnectionParams
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedParams(NamedTuple):
    """Parameters set by the authority."""

    max_expected_time_per_block_ns: int


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateConnectionParams) -> VerifiedParams:  # noqa: ARG001
    """Check the signer.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    check_authority(keepers, msg.signer)
    return VerifiedParams(msg.max_expected_time_per_block_ns)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedParams) -> None:
    """Write the parameter, which converts delay periods to numbers of blocks.

    Runs on: either chain. Proves: nothing. Writes: connectionParams. Emits: nothing.
    """
    keepers.connections.set_max_expected_time_per_block(ctx, verified.max_expected_time_per_block_ns)
