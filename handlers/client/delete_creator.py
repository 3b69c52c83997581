"""Deletes the record of a client's creator (ibc-go 02-client MsgDeleteClientCreator)."""

from typing import NamedTuple

from ibc_core.client.delete_creator import MsgDeleteClientCreator
from ibc_core.errors import NotFound, Unauthorized
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedDeletion(NamedTuple):
    """A record that may be deleted."""

    client_id: str


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgDeleteClientCreator) -> VerifiedDeletion:
    """Checks that there is a record, and that the signer is the creator or the authority.

    Raises:
        NotFound: there is no record.
        Unauthorized: the signer is neither.
    """
    creator = keepers.clients.find_creator(ctx, msg.client_id)
    if creator is None:
        raise NotFound(f"creator of client {msg.client_id}")
    if msg.signer != keepers.authority and keepers.addresses.decode(msg.signer, "signer").raw != creator:
        expected = f"authority or creator {keepers.addresses.encode(creator).text}"
        raise Unauthorized(expected, msg.signer)
    return VerifiedDeletion(msg.client_id)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedDeletion) -> None:
    """Deletes the record: from now on nobody can register the client's counterparty (IBC v2).

    Runs on: either chain.
    Proves: nothing.
    Writes: deletes clients/{id}/creator.
    Emits: nothing.
    """
    keepers.clients.delete_creator(ctx, verified.client_id)
