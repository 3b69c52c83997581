"""Proof verification shared by the messages of the queue protocol."""

from typing import NamedTuple

from ibc_core.errors import ConsensusStateNotFound, IbcError
from ibc_core.errors.queue import InvalidQueueProof, MustSubmitHeader
from ibc_core.height import Height
from ibc_core.host.context import ReadContext
from ibc_core.queue.packet import Registration
from keepers.queue.keepers import QueueKeepers
from light_client.interface import Claim, LightClient, ProofEffect
from light_client.settled import settled


class Witness(NamedTuple):
    """The client that tracks the remote chain, and a message's proof height."""

    client: LightClient
    client_id: str
    store: bytes  # name of the remote chain's store
    height: Height


def witness(keepers: QueueKeepers, ctx: ReadContext, registration: Registration, height: Height) -> Witness:
    """The registration's client, looked up once per message.

    Raises:
        ClientNotActive: the client is frozen or expired.
    """
    client = keepers.clients.active(ctx, registration.client_id)
    return Witness(client, registration.client_id, registration.remote_store, height)


def time_at(ctx: ReadContext, seen: Witness) -> int:
    """The remote chain's time in H_h, unix nanoseconds.

    Raises:
        MustSubmitHeader: the client has no header of that height.
    """
    try:
        return seen.client.timestamp_at_height(ctx, seen.client_id, seen.height)
    except ConsensusStateNotFound as error:
        raise MustSubmitHeader(str(seen.height)) from error


def verify(
    ctx: ReadContext,
    seen: Witness,
    key: bytes,
    value: bytes,
    proof: bytes,
    before: ProofEffect | None = None,
) -> ProofEffect | None:
    """Checks that the remote queue store holds `value` at `key`.

    Args:
        ctx: The current block.
        seen: Client and proof height.
        key: In the remote store.
        value: The expected value.
        proof: MerkleProof bytes.
        before: What an earlier proof of the same message returned.

    Returns:
        What `ClientKeeper.settle` must write when the message is executed.

    Raises:
        MustSubmitHeader: there is no header of that height.
        InvalidQueueProof: the proof does not show it.
    """
    client, client_id, store, height = seen
    block = ctx if before is None else settled(ctx, before)
    try:
        effect = client.verify_membership(block, client_id, Claim(height, proof, (store, key), value))
    except IbcError as error:
        raise _refusal(ctx, seen, error) from error
    return effect or before


def verify_absent(ctx: ReadContext, seen: Witness, key: bytes, proof: bytes) -> ProofEffect | None:
    """Checks that the remote queue store holds nothing at `key`.

    Raises:
        MustSubmitHeader: there is no header of that height.
        InvalidQueueProof: the proof does not show it.
    """
    client, client_id, store, height = seen
    try:
        return client.verify_non_membership(ctx, client_id, Claim(height, proof, (store, key)))
    except IbcError as error:
        raise _refusal(ctx, seen, error) from error


def _refusal(ctx: ReadContext, seen: Witness, error: IbcError) -> InvalidQueueProof:
    """The error of a bad proof. The lookup itself may run out of gas.

    Raises:
        MustSubmitHeader: the header is missing, which takes precedence over the proof.
    """
    time_at(ctx, seen)
    return InvalidQueueProof(str(error))
