"""The authority sets how long a block is expected to take (ibc-go 03-connection MsgUpdateParams)."""

from typing import NamedTuple

from handlers.authority import check_authority
from ibc_core.connection.update_params import MsgUpdateConnectionParams
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedParams(NamedTuple):
    """Parameters from who may set them."""

    max_expected_time_per_block_ns: int


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateConnectionParams) -> VerifiedParams:  # noqa: ARG001
    """Checks who sends it.

    Raises:
        UnauthorizedTx: not the authority.
    """
    check_authority(keepers, msg.signer)
    return VerifiedParams(msg.max_expected_time_per_block_ns)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedParams) -> None:
    """Writes the parameters; delays in blocks are counted with them from now on.

    Runs on: either chain.
    Proves: nothing.
    Writes: connectionParams.
    Emits: nothing.
    """
    keepers.connections.set_max_expected_time_per_block(ctx, verified.max_expected_time_per_block_ns)
