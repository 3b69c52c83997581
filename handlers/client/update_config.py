"""Handler of MsgUpdateClientConfig: set the allowed relayers of a client (ICS-2 v2 updateClientConfig)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from pyibc.core.client_v2 import MsgUpdateClientConfig
from pyibc.core.errors import Unauthorized
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedConfig(NamedTuple):
    """A configuration that may be set."""

    client_id: str
    allowed_relayers: tuple[str, ...]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateClientConfig) -> VerifiedConfig:
    """Check that the signer is the client's creator or the chain's authority.

    Raises:
        Unauthorized: the signer is neither.
    """
    if not keepers.authority or msg.signer != keepers.authority:
        signer = keepers.addresses.decode(msg.signer, "signer")
        if keepers.clients.creator(ctx, msg.client_id) != signer.raw:
            raise Unauthorized(f"the authority or the creator of {msg.client_id}", signer.text)
    return VerifiedConfig(msg.client_id, msg.allowed_relayers)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedConfig) -> None:
    """Set the allowed relayers.

    Runs on: either chain. Proves: nothing. Writes: clients/{id}/config. Emits: nothing.
    """
    keepers.v2.clients.set_allowed_relayers(ctx, verified.client_id, verified.allowed_relayers)
