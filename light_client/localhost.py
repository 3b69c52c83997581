"""`09-localhost` (ICS-9): the chain as its own counterparty, over `connection-localhost`. Keeps no state."""

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import LOCALHOST, Status
from ibc_core.errors import (
    ClientExists,
    FailedMembershipVerification,
    FailedNonMembershipVerification,
    InvalidClient,
    InvalidConsensus,
    InvalidPath,
    InvalidProof,
    InvalidUpgradeClient,
    UpdateClientFailed,
)
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext

SENTINEL_PROOF = b"\x01"
"""What stands for a proof: core refuses messages without one."""


class LocalhostLightClient:
    """Reads the chain's own `ibc` store, in the block under way (`light_client.interface.LightClient`)."""

    client_type = LOCALHOST
    client_state_type = ""
    consensus_state_type = ""
    message_types: tuple[str, ...] = ()

    def check_client_state(self, client_state: bytes) -> None:  # noqa: ARG002
        """Refuses: it has no states.

        Raises:
            InvalidClient: always.
        """
        raise InvalidClient(f"{LOCALHOST} has no client state")

    def check_consensus_state(self, consensus_state: bytes) -> None:  # noqa: ARG002
        """Refuses: it has no states.

        Raises:
            InvalidConsensus: always.
        """
        raise InvalidConsensus(f"{LOCALHOST} has no consensus state")

    def check_message(self, message: AnyMessage) -> None:  # noqa: ARG002
        """Refuses: it takes no messages.

        Raises:
            UpdateClientFailed: always.
        """
        raise UpdateClientFailed(f"{LOCALHOST} takes no messages")

    def initialize(
        self,
        ctx: WriteContext,  # noqa: ARG002
        client_id: str,
        client_state: bytes,  # noqa: ARG002
        consensus_state: bytes,  # noqa: ARG002
    ) -> None:
        """Refuses: it is there already.

        Raises:
            ClientExists: always.
        """
        raise ClientExists(client_id)

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage) -> None:  # noqa: ARG002
        """Refuses: it takes no messages.

        Raises:
            UpdateClientFailed: always.
        """
        raise UpdateClientFailed(f"{LOCALHOST} takes no messages")

    def check_for_misbehaviour(self, ctx: ReadContext, client_id: str, message: AnyMessage) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def update_state_on_misbehaviour(self, ctx: WriteContext, client_id: str, message: AnyMessage) -> None:
        """Nothing to freeze."""

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage) -> list[Height]:  # noqa: ARG002
        """Nothing to write; the height of the block under way."""
        return [ctx.height]

    def verify_membership(
        self,
        ctx: ReadContext,
        client_id: str,  # noqa: ARG002
        height: Height,  # noqa: ARG002 - the state of the block under way is all there is
        delay_time_ns: int,  # noqa: ARG002
        delay_blocks: int,  # noqa: ARG002
        proof: bytes,
        path: tuple[bytes, ...],
        value: bytes,
    ) -> None:
        """Checks that this chain holds `value` at `path`.

        Raises:
            InvalidProof: not `SENTINEL_PROOF`.
            InvalidPath: not a store and a key.
            FailedMembershipVerification: it holds nothing there, or another value.
        """
        key = _key(proof, path)
        if ctx.ibc.get(key) != value:
            raise FailedMembershipVerification(f"nothing, or another value, at {key!a:.200}")

    def verify_non_membership(
        self,
        ctx: ReadContext,
        client_id: str,  # noqa: ARG002
        height: Height,  # noqa: ARG002
        delay_time_ns: int,  # noqa: ARG002
        delay_blocks: int,  # noqa: ARG002
        proof: bytes,
        path: tuple[bytes, ...],
    ) -> None:
        """Checks that this chain holds nothing at `path`.

        Raises:
            InvalidProof, InvalidPath: as above.
            FailedNonMembershipVerification: it holds a value there.
        """
        key = _key(proof, path)
        if ctx.ibc.has(key):
            raise FailedNonMembershipVerification(f"a value at {key!a:.200}")

    def status(self, ctx: ReadContext, client_id: str) -> Status:  # noqa: ARG002
        """Always Active."""
        return Status.ACTIVE

    def latest_height(self, ctx: ReadContext, client_id: str) -> Height:  # noqa: ARG002
        """The height of the block under way."""
        return ctx.height

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height) -> int:  # noqa: ARG002
        """The time of the block under way, whatever the height: unix nanoseconds."""
        return ctx.time_ns

    def recover(self, ctx: WriteContext, client_id: str, substitute_client_id: str) -> None:  # noqa: ARG002
        """Refuses: there is nothing to recover.

        Raises:
            UpdateClientFailed: always.
        """
        raise UpdateClientFailed(f"{client_id} cannot be recovered")

    def verify_upgrade_and_update_state(
        self,
        ctx: WriteContext,  # noqa: ARG002
        client_id: str,
        client_state: bytes,  # noqa: ARG002
        consensus_state: bytes,  # noqa: ARG002
        client_proof: bytes,  # noqa: ARG002
        consensus_proof: bytes,  # noqa: ARG002
    ) -> None:
        """Refuses: there is nothing to upgrade.

        Raises:
            InvalidUpgradeClient: always.
        """
        raise InvalidUpgradeClient(f"{client_id} cannot be upgraded")


def _key(proof: bytes, path: tuple[bytes, ...]) -> bytes:
    if proof != SENTINEL_PROOF:
        raise InvalidProof(f"expected {SENTINEL_PROOF.hex()}, got {proof.hex()[:64]}")
    if len(path) != 2:
        raise InvalidPath(f"{len(path)} parts, a store and a key expected")
    return path[1]
