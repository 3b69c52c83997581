"""Registers a client's counterparty (ICS-2 v2 registerCounterparty)."""

from typing import NamedTuple

from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.errors import InvalidRequest, Unauthorized
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers


class VerifiedCounterparty(NamedTuple):
    """A counterparty that may be registered."""

    client_id: str
    counterparty: ClientCounterparty


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgRegisterCounterparty) -> VerifiedCounterparty:
    """Checks that the signer created the client, and that it has no counterparty.

    Raises:
        Unauthorized: the signer is not its creator, or the record was deleted.
        InvalidRequest: the client has a counterparty.
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
    """Registers the counterparty and enables packets over the client.

    Runs on: either chain.
    Proves: nothing: the creator of a client chooses whom to trust.
    Writes: clients/{id}/counterparty, nextSequenceSend/{id}.
    Emits: nothing.
    """
    client_id, counterparty = verified
    keepers.v2.clients.set_counterparty(ctx, client_id, counterparty)
    keepers.v2.packets.set_next_send(ctx, client_id, 1)
