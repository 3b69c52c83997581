"""What 02-client asks of a light client (ICS-2; ibc-go `exported.LightClientModule`)."""

from typing import NamedTuple, Protocol, runtime_checkable

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import Status
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext


class ProofEffect(NamedTuple):
    """A client's state after a proof that can be used once: a solo machine's signature.

    Verification only reads; the handler's `execute` has the client keeper settle what it returned. A message
    that turns out to be redundant executes nothing, so that its proof stays unused. A later effect on the
    same client contains the earlier one.
    """

    client_id: str
    client_state: bytes  # an Any, as stored


class LightClient(Protocol):
    """One kind of light client. Keeps its states below `clients/{id}/` of the `ibc` store, nothing elsewhere.

    Time is `ctx.time_ns`. Each method that raises has changed nothing.
    """

    @property
    def client_type(self) -> str:
        """`07-tendermint`, ...; the first part of its clients' identifiers."""

    @property
    def client_state_type(self) -> str:
        """Type URL of its client states; empty where it keeps none."""

    @property
    def consensus_state_type(self) -> str:
        """Type URL of its consensus states; empty where it keeps none."""

    @property
    def message_types(self) -> tuple[str, ...]:
        """Type URLs of its headers and its evidence."""

    def check_client_state(self, client_state: bytes) -> None:
        """Checks of a new client's state that need no store; it comes as the bytes inside its Any.

        Raises:
            IbcError: it is malformed.
        """

    def check_consensus_state(self, consensus_state: bytes) -> None:
        """Checks of a new client's consensus state that need no store; as the bytes inside its Any.

        Raises:
            IbcError: it is malformed.
        """

    def check_message(self, message: AnyMessage) -> None:
        """Checks of a client message that need no store.

        Raises:
            IbcError: it is malformed.
        """

    def initialize(
        self, ctx: WriteContext, client_id: str, client_state: bytes, consensus_state: bytes
    ) -> None:
        """Checks and writes the first states of a new client; both come as the bytes inside their Any.

        Raises:
            IbcError: the states are malformed or do not fit each other.
        """

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage) -> None:
        """Checks a header, or evidence of misbehaviour, in full.

        Raises:
            IbcError: it is malformed or does not convince this client.
        """

    def check_for_misbehaviour(self, ctx: ReadContext, client_id: str, message: AnyMessage) -> bool:
        """Whether a message that was verified shows that the chain misbehaved."""

    def update_state_on_misbehaviour(self, ctx: WriteContext, client_id: str, message: AnyMessage) -> None:
        """Freezes the client."""

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage) -> list[Height]:
        """Takes over a header that was verified; returns the heights it stands for."""

    def verify_membership(
        self,
        ctx: ReadContext,
        client_id: str,
        height: Height,
        delay_time_ns: int,
        delay_blocks: int,
        proof: bytes,
        path: tuple[bytes, ...],
        value: bytes,
    ) -> ProofEffect | None:
        """Checks that the other chain's state at `height` holds `value` at `path` (store name first).

        Returns:
            What is to be written if the message that brought the proof is executed; None for nothing.

        Raises:
            IbcError: the proof does not show it, or comes before the delay has passed.
        """

    def verify_non_membership(
        self,
        ctx: ReadContext,
        client_id: str,
        height: Height,
        delay_time_ns: int,
        delay_blocks: int,
        proof: bytes,
        path: tuple[bytes, ...],
    ) -> ProofEffect | None:
        """Checks that the other chain's state at `height` holds nothing at `path`; returns as above.

        Raises:
            IbcError: the proof does not show it, or comes before the delay has passed.
        """

    def status(self, ctx: ReadContext, client_id: str) -> Status:
        """What the client may be used for; UNKNOWN where there is none."""

    def latest_height(self, ctx: ReadContext, client_id: str) -> Height:
        """Height of the newest consensus state; 0-0 where there is no client."""

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height) -> int:
        """The other chain's time at `height`, unix nanoseconds.

        Raises:
            ClientNotFound: there is no such client.
            ConsensusStateNotFound: it has no consensus state at `height`.
        """

    def recover(self, ctx: WriteContext, client_id: str, substitute_client_id: str) -> None:
        """Takes the newest state of another client over, by decision of the chain's authority.

        Raises:
            IbcError: the two do not follow the same chain in the same way.
        """

    def verify_upgrade_and_update_state(
        self,
        ctx: WriteContext,
        client_id: str,
        client_state: bytes,
        consensus_state: bytes,
        client_proof: bytes,
        consensus_proof: bytes,
    ) -> None:
        """Moves the client to the chain's next revision, as that chain committed to it; states as in an Any.

        Raises:
            IbcError: the chain did not commit to these states.
        """


@runtime_checkable
class NamesItsChain(Protocol):
    """A light client that knows the id of the chain it follows; the queue protocol asks for it."""

    def chain_id(self, ctx: ReadContext, client_id: str) -> str:
        """The id of the chain that the client follows.

        Raises:
            ClientNotFound: there is no such client.
        """
