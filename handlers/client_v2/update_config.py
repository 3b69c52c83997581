"""Sets the allowed relayers of a client (ICS-2 v2 updateClientConfig)."""

from typing import NamedTuple

from ibc_core.client_v2.update_config import MsgUpdateClientConfig
from ibc_core.errors import Unauthorized
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedConfig(NamedTuple):
    """A configuration that may be set."""

    client_id: str
    allowed_relayers: tuple[str, ...]


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpdateClientConfig) -> VerifiedConfig:
    """Checks that the signer created the client, or is the chain's authority.

    Raises:
        Unauthorized: it is neither.
    """
    if not keepers.authority or msg.signer != keepers.authority:
        signer = keepers.addresses.decode(msg.signer, "signer")
        if keepers.clients.creator(ctx, msg.client_id) != signer.raw:
            raise Unauthorized(f"the authority or the creator of {msg.client_id}", signer.text)
    return VerifiedConfig(msg.client_id, msg.allowed_relayers)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedConfig) -> None:
    """Sets the allowed relayers.

    Runs on: either chain.
    Proves: nothing.
    Writes: clients/{id}/config.
    Emits: nothing.
    """
    keepers.v2.clients.set_allowed_relayers(ctx, verified.client_id, verified.allowed_relayers)
