"""Enables and disables transfers (ICS-20 MsgUpdateParams)."""

from ibc_core.errors import UnauthorizedTx
from ibc_core.host.context import WriteContext
from ibc_core.transfer.msg_update_params import MsgUpdateTransferParams
from ibc_module.apps.transfer import state


def execute(ctx: WriteContext, msg: MsgUpdateTransferParams, authority: str) -> None:
    """Writes the parameters.

    Runs on: either chain.
    Proves: nothing.
    Writes: params.
    Emits: nothing.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    if msg.signer != authority:
        raise UnauthorizedTx(f"invalid authority: expected {authority}, got {msg.signer}")
    state.set_params(ctx, state.Params(msg.send_enabled, msg.receive_enabled))
