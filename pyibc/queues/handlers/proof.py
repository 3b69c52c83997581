"""Proof verification for the messages of the queue protocol."""

from typing import NamedTuple

from light_client.interface import Claim, LightClient, ProofEffect, with_effect
from pyibc.core.errors import ConsensusStateNotFound, IbcError
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext
from pyibc.queues.errors import (
    InvalidQueueProof,
    MustBeRecipient,
    MustBeSend,
    MustSubmitHeader,
    SentToDifferentChain,
    UnregisteredSender,
    WrongDestination,
    WrongSender,
)
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.packet import Registration
from pyibc.queues.types import End, QueueKey, Role, parse_key


class ProofContext(NamedTuple):
    """Client that tracks the remote chain, its queue store, and the proof height of a message."""

    client: LightClient
    client_id: str
    store: bytes  # name of the remote chain's store
    height: Height


def proof_context(
    keepers: QueueKeepers, ctx: ReadContext, registration: Registration, height: Height
) -> ProofContext:
    """Look up the registration's client, once per message.

    Raises:
        ClientNotActive: the client is frozen or expired.
    """
    client = keepers.clients.active(ctx, registration.client_id)
    return ProofContext(client, registration.client_id, registration.remote_store, height)


def time_at(ctx: ReadContext, proof_ctx: ProofContext) -> int:
    """Return the remote chain's time at the proof height, in unix nanoseconds.

    Raises:
        MustSubmitHeader: the client has no header of that height.
    """
    try:
        return proof_ctx.client.timestamp_at_height(ctx, proof_ctx.client_id, proof_ctx.height)
    except ConsensusStateNotFound as error:
        raise MustSubmitHeader(str(proof_ctx.height)) from error


def verify(
    ctx: ReadContext,
    proof_ctx: ProofContext,
    key: bytes,
    value: bytes,
    proof: bytes,
    before: ProofEffect | None = None,
) -> ProofEffect | None:
    """Verify that the remote queue store holds `value` at `key`.

    Args:
        ctx: The current block.
        proof_ctx: Client and proof height.
        key: In the remote store.
        value: The expected value.
        proof: MerkleProof bytes.
        before: Effect of an earlier proof in the same message.

    Returns:
        Effect for `ClientKeeper.apply_effect` to write when the message is executed.

    Raises:
        MustSubmitHeader: the client has no header of that height.
        InvalidQueueProof: the proof does not show it.
    """
    client, client_id, store, height = proof_ctx
    block = ctx if before is None else with_effect(ctx, before)
    try:
        effect = client.verify_membership(block, client_id, Claim(height, proof, (store, key), value))
    except IbcError as error:
        raise _refusal(ctx, proof_ctx, error) from error
    return effect or before


def verify_absent(ctx: ReadContext, proof_ctx: ProofContext, key: bytes, proof: bytes) -> ProofEffect | None:
    """Verify that the remote queue store holds nothing at `key`.

    Raises:
        MustSubmitHeader: the client has no header of that height.
        InvalidQueueProof: the proof does not show it.
    """
    client, client_id, store, height = proof_ctx
    try:
        return client.verify_non_membership(ctx, client_id, Claim(height, proof, (store, key)))
    except IbcError as error:
        raise _refusal(ctx, proof_ctx, error) from error


def _refusal(ctx: ReadContext, proof_ctx: ProofContext, error: IbcError) -> InvalidQueueProof:
    """Return the error of a failed proof; this lookup may itself run out of gas.

    Raises:
        MustSubmitHeader: the header is missing; takes precedence over the proof.
    """
    time_at(ctx, proof_ctx)
    return InvalidQueueProof(str(error))


# -- checks of an item's key, for receive and handle_receipt [IBC-packets 3.2]: remote id, role, index


def registered(keepers: QueueKeepers, ctx: ReadContext, sender: End) -> Registration:
    """Return the registration of a remote end.

    Raises:
        UnregisteredSender: there is none.
    """
    found = keepers.registrations.get(ctx, sender)
    if found is None:
        raise UnregisteredSender(sender.text)
    return found


def check_key(key: bytes, role: Role, registration: Registration) -> QueueKey:
    """Parse `key`, which must belong to the remote end's queue of this role for the local end.

    Raises:
        MustBeSend, MustBeRecipient: it belongs to a queue of the other role, or to none.
        SentToDifferentChain: it is for another chain (the local end is a chain).
        WrongDestination: it is for another end (the local end is a channel).
        WrongSender: it belongs to another end than the counterparty.
    """
    found = parse_key(key)
    if found is None or found.name.role is not role:
        raise _wrong_role(role, f"{key[:200]!a}")
    local, remote = registration.local, registration.remote
    if found.name.remote != local:
        raise _elsewhere(local, found.name.remote)
    owner = End(remote.chain, found.name.connection, found.name.channel)
    if owner != remote:
        raise WrongSender(remote.text, owner.text)
    return found


def _wrong_role(asked: Role, key: str) -> IbcError:
    return MustBeSend(key) if asked is Role.SEND else MustBeRecipient(key)


def _elsewhere(ours: End, got: End) -> IbcError:
    if ours.is_channel:
        return WrongDestination(ours.text, got.text)
    return SentToDifferentChain(ours.text, got.text)
