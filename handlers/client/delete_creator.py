"""Handler of MsgDeleteClientCreator: delete the record of a client's creator (ibc-go 02-client)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from pyibc.core.client.messages import MsgDeleteClientCreator
from pyibc.core.errors import NotFound, Unauthorized
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedDeletion(NamedTuple):
    """A creator record that may be deleted."""

    client_id: str


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgDeleteClientCreator) -> VerifiedDeletion:
    """Check that the record exists, and that the signer is the creator or the authority.

    Raises:
        NotFound: the record does not exist.
        Unauthorized: the signer is neither.
    """
    creator = keepers.clients.creator(ctx, msg.client_id)
    if creator is None:
        raise NotFound(f"creator of client {msg.client_id}")
    if msg.signer != keepers.authority and keepers.addresses.decode(msg.signer, "signer").raw != creator:
        expected = f"authority or creator {keepers.addresses.encode(creator).text}"
        raise Unauthorized(expected, msg.signer)
    return VerifiedDeletion(msg.client_id)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedDeletion) -> None:
    """Delete the record, after which the client's counterparty can no longer be registered (IBC v2).

    Runs on: either chain. Proves: nothing. Writes: deletes clients/{id}/creator. Emits: nothing.
    """
    keepers.clients.delete_creator(ctx, verified.client_id)
