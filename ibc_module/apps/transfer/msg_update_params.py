"""MsgUpdateParams: the host's authority opens and closes transfers (ICS-20)."""

from typing import NamedTuple

from ibc_core.address import AddressCodec
from ibc_core.errors import UnauthorizedTx
from ibc_core.host.context import WriteContext
from ibc_core.wire.strict import parse
from ibc_module.apps.transfer import state
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2

UPDATE_PARAMS = "/ibc.applications.transfer.v1.MsgUpdateParams"


class MsgUpdateParams(NamedTuple):
    """New parameters, whole."""

    signer: str
    params: state.Params


def decode(raw: bytes) -> MsgUpdateParams:
    """`MsgUpdateParams`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgUpdateParams, raw)
    return MsgUpdateParams(wire.signer, state.Params(wire.params.send_enabled, wire.params.receive_enabled))


def check(msg: MsgUpdateParams, addresses: AddressCodec) -> None:
    """Checks that need no state.

    Raises:
        InvalidAddress: the signer is no address.
    """
    addresses.decode(msg.signer, "signer")


def execute(ctx: WriteContext, msg: MsgUpdateParams, authority: str) -> None:
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
    state.set_params(ctx, msg.params)
