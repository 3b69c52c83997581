"""`09-localhost` (ICS-9): the chain as its own counterparty, over `connection-localhost`. Keeps no state."""

from ibc_core.client.types import LOCALHOST, Status
from ibc_core.errors import (
    ClientExists,
    ConsensusStateNotFound,
    FailedMembershipVerification,
    FailedNonMembershipVerification,
    InvalidPath,
    InvalidProof,
)
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from light_client.interface import Claim, LightClient

SENTINEL_PROOF = b"\x01"
"""What stands for a proof: core refuses messages without one."""


@shipped
class LocalhostLightClient(LightClient):
    """Reads the chain's own `ibc` store, in the block under way: that state is all there is."""

    client_type = LOCALHOST

    def status(self, _ctx: ReadContext, _client_id: str, /) -> Status:
        """Always Active."""
        return Status.ACTIVE

    def latest_height(self, ctx: ReadContext, _client_id: str, /) -> Height:
        """The height of the block under way."""
        return ctx.height

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """The time of the block under way, whatever the height: unix nanoseconds.

        Raises:
            ConsensusStateNotFound: the chain has not come to that height. ibc-go takes any, so that whoever
                names a proof height may time out a packet before its timeout (ADR 0010).
        """
        # guard: h74-a-localhost-proof-is-of-any-height drop
        #   test_h74_nobody_times_a_packet_out_by_a_height_of_his_choice
        if height > ctx.height:
            raise ConsensusStateNotFound(client_id, str(height))
        return ctx.time_ns

    def initialize(self, _ctx: WriteContext, client_id: str, _state: bytes, _consensus: bytes, /) -> None:
        """Refuses: it is there already.

        Raises:
            ClientExists: always.
        """
        raise ClientExists(client_id)

    def verify_membership(self, ctx: ReadContext, _client_id: str, claim: Claim, /) -> None:
        """Checks that this chain holds `claim.value` at `claim.path`.

        Raises:
            InvalidProof: not `SENTINEL_PROOF`.
            InvalidPath: not a store and a key.
            FailedMembershipVerification: it holds nothing there, or another value.
        """
        key = _key(claim)
        if ctx.ibc.get(key) != claim.value:
            raise FailedMembershipVerification(f"nothing, or another value, at {key!a:.200}")

    def verify_non_membership(self, ctx: ReadContext, _client_id: str, claim: Claim, /) -> None:
        """Checks that this chain holds nothing at `claim.path`.

        Raises:
            InvalidProof, InvalidPath: as above.
            FailedNonMembershipVerification: it holds a value there.
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
