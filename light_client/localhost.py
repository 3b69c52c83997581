"""`09-localhost` (ICS-9): a stateless client of the chain itself, used by `connection-localhost`."""

from light_client.interface import Claim, LightClient
from pyibc.core.client.types import LOCALHOST, Status
from pyibc.core.errors import (
    ClientExists,
    ConsensusStateNotFound,
    FailedMembershipVerification,
    FailedNonMembershipVerification,
    InvalidPath,
    InvalidProof,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.isolation.builtin import builtin

SENTINEL_PROOF = b"\x01"
"""Placeholder for a proof: messages without a proof are refused."""


@builtin
class LocalhostLightClient(LightClient):
    """Client that verifies claims in the chain's own `ibc` store, in the current block."""

    client_type = LOCALHOST

    def status(self, _ctx: ReadContext, _client_id: str, /) -> Status:
        """Return Active."""
        return Status.ACTIVE

    def latest_height(self, ctx: ReadContext, _client_id: str, /) -> Height:
        """Return the height of the current block."""
        return ctx.height

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """Return the time of the current block, in Unix nanoseconds, for any height up to the current one.

        Raises:
            ConsensusStateNotFound: the height is in the future. ibc-go accepts any height, so that a packet
                could be timed out before its timeout height (ADR 0010).
        """
        # guard: h74-a-localhost-proof-is-of-any-height drop
        #   test_h74_nobody_times_a_packet_out_by_a_height_of_his_choice
        if height > ctx.height:
            raise ConsensusStateNotFound(client_id, str(height))
        return ctx.time_ns

    def initialize(self, _ctx: WriteContext, client_id: str, _state: bytes, _consensus: bytes, /) -> None:
        """Refuse creation, as the client always exists.

        Raises:
            ClientExists: always.
        """
        raise ClientExists(client_id)

    def verify_membership(self, ctx: ReadContext, _client_id: str, claim: Claim, /) -> None:
        """Check that this chain has `claim.value` at `claim.path`.

        Raises:
            InvalidProof: the proof is not `SENTINEL_PROOF`.
            InvalidPath: the path is not a store and a key.
            FailedMembershipVerification: there is no value, or another one.
        """
        key = _key(claim)
        if ctx.ibc.get(key) != claim.value:
            raise FailedMembershipVerification(f"nothing, or another value, at {key!a:.200}")

    def verify_non_membership(self, ctx: ReadContext, _client_id: str, claim: Claim, /) -> None:
        """Check that this chain has nothing at `claim.path`.

        Raises:
            InvalidProof, InvalidPath: as above.
            FailedNonMembershipVerification: there is a value.
        """
        key = _key(claim)
        if ctx.ibc.has(key):
            raise FailedNonMembershipVerification(f"a value at {key!a:.200}")


def _key(claim: Claim) -> bytes:
    if claim.proof != SENTINEL_PROOF:
        raise InvalidProof(f"expected {SENTINEL_PROOF.hex()}, got {claim.proof.hex()[:64]}")
    if len(claim.path) != 2:
        raise InvalidPath(f"{len(claim.path)} parts, a store and a key expected")
    return claim.path[1]
