"""What every proving message of the queue protocol shares: a header that we trust, and what it shows."""

from typing import NamedTuple

from ibc_module.core.context import ReadContext
from ibc_module.core.height import Height
from ibc_module.core.queue_packet import Registration
from ibc_module.errors import (
    ConsensusStateNotFound,
    IbcError,
    InvalidQueueProof,
    MustSubmitHeader,
    OutOfGas,
)
from keepers.queue_keepers import QueueKeepers
from light_client.effects import settled
from light_client.interface import LightClient, ProofEffect


class TrustedHeader(NamedTuple):
    """H_h of a remote chain, looked up once a message."""

    client: LightClient
    client_id: str
    store: bytes  # name of the remote chain's store
    height: Height
    time_ns: int  # unix nanoseconds


def trusted_header(
    keepers: QueueKeepers, ctx: ReadContext, registration: Registration, height: Height
) -> TrustedHeader:
    """The header of `height` that the registration's client has.

    Raises:
        ClientNotActive: the client is frozen or expired: it vouches for nothing.
        MustSubmitHeader: it has none.
    """
    client_id = registration.client_id
    client = keepers.clients.active(ctx, client_id)
    try:
        time_ns = client.timestamp_at_height(ctx, client_id, height)
    except ConsensusStateNotFound as error:
        raise MustSubmitHeader(str(height)) from error
    return TrustedHeader(client, client_id, registration.remote_store, height, time_ns)


def verify(
    ctx: ReadContext,
    header: TrustedHeader,
    key: bytes,
    value: bytes,
    proof: bytes,
    before: ProofEffect | None = None,
) -> ProofEffect | None:
    """Checks that the remote queue store holds `value` at `key`.

    Args:
        ctx: The block under way.
        header: What the proof must lead to.
        key: In the remote store.
        value: What must stand there.
        proof: MerkleProof bytes.
        before: What an earlier proof of the same message leaves to write.

    Returns:
        What `ClientKeeper.settle` must write when the message is executed.

    Raises:
        InvalidQueueProof: the proof does not show it.
    """
    client, client_id, store, height, _ = header
    seen = ctx if before is None else settled(ctx, before)
    try:
        effect = client.verify_membership(seen, client_id, height, 0, 0, proof, (store, key), value)
    except OutOfGas:
        raise
    except IbcError as error:
        raise InvalidQueueProof(str(error)) from error
    return effect or before


def verify_absent(ctx: ReadContext, header: TrustedHeader, key: bytes, proof: bytes) -> ProofEffect | None:
    """Checks that the remote queue store holds nothing at `key`.

    Raises:
        InvalidQueueProof: the proof does not show it.
    """
    client, client_id, store, height, _ = header
    try:
        return client.verify_non_membership(ctx, client_id, height, 0, 0, proof, (store, key))
    except OutOfGas:
        raise
    except IbcError as error:
        raise InvalidQueueProof(str(error)) from error
