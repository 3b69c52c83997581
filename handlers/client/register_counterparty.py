"""Handler of MsgRegisterCounterparty: register a client's counterparty (ICS-2 v2 registerCounterparty)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from pyibc.core.client_v2 import ClientCounterparty, MsgRegisterCounterparty
from pyibc.core.errors import InvalidRequest, Unauthorized
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedCounterparty(NamedTuple):
    """A counterparty that may be registered."""

    client_id: str
    counterparty: ClientCounterparty


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgRegisterCounterparty) -> VerifiedCounterparty:
    """Check that the signer created the client, and that the client has no counterparty.

    Raises:
        Unauthorized: the signer is not the creator, or the record of the creator was deleted.
        InvalidRequest: the client already has a counterparty.
    """
    signer = keepers.addresses.decode(msg.signer, "signer")
    creator = keepers.clients.creator(ctx, msg.client_id)
    if creator != signer.raw:
        raise Unauthorized(f"the creator of {msg.client_id}", signer.text)
    if keepers.v2.clients.has_counterparty(ctx, msg.client_id):
        raise InvalidRequest(f"{msg.client_id} has a counterparty already")
    counterparty = ClientCounterparty(msg.counterparty_merkle_prefix, msg.counterparty_client_id)
    return VerifiedCounterparty(msg.client_id, counterparty)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedCounterparty) -> None:
    """Register the counterparty and enable packets over the client.

    Runs on: either chain. Proves: nothing; trust in the counterparty is the user's choice. Writes:
    clients/{id}/counterparty, nextSequenceSend/{id}. Emits: nothing.
    """
    client_id, counterparty = verified
    keepers.v2.clients.set_counterparty(ctx, client_id, counterparty)
    keepers.v2.packets.set_next_send(ctx, client_id, 1)
