"""What 02-client asks of a light client (ICS-2; ibc-go `exported.LightClientModule`).

Arguments are by position only, so that an implementation may name those it does not need as it likes.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol, runtime_checkable

from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import Status
from ibc_core.errors import (
    ClientNotActive,
    InvalidClient,
    InvalidClientType,
    InvalidConsensus,
    InvalidHeight,
    InvalidMisbehaviour,
    InvalidUpgradeClient,
    UpdateClientFailed,
)
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from light_client.views import ReadOnce


class ProofEffect(NamedTuple):
    """A client's state after a proof that can be used once: a solo machine's signature.

    Verification only reads; the handler's `execute` has the client keeper settle what it returned. A message
    that turns out to be redundant executes nothing, so that its proof stays unused. A later effect on the
    same client contains the earlier one.
    """

    client_id: str
    client_state: bytes  # an Any, as stored


class Claim(NamedTuple):
    """What a proof is to show of the other chain's state at a height."""

    height: Height  # of the header whose root proves it
    proof: bytes  # in the form of the client's type; for 07-tendermint an encoded MerkleProof
    path: tuple[bytes, ...]  # store name and key: `(b"ibc", key)`
    value: bytes = b""  # what stands at `path`; not looked at where the claim is that nothing does
    delay_time_ns: int = 0  # the connection's: must have passed here since the header came in; 0: none
    delay_blocks: int = 0  # the same in blocks of this chain


class ClientTypes(NamedTuple):
    """The protobuf messages of one type of client, as classes of whatever descriptor pool.

    A chain that lists the light client lets them stand in the Anys of its messages, each in its place.
    """

    client_state: type[Message] | None = None
    consensus_state: type[Message] | None = None
    messages: tuple[type[Message], ...] = ()  # headers, and evidence of misbehaviour


class UpgradedStates(NamedTuple):
    """What a chain's next revision starts from, and proofs that the chain committed to it."""

    client_state: bytes  # as the bytes inside its Any
    consensus_state: bytes  # the same
    client_proof: bytes
    consensus_proof: bytes


class LightClient(ABC):
    """One type of light client. Keeps its states below `clients/{id}/` of the `ibc` store, nothing elsewhere.

    What a type does not support it leaves out: it is refused then with ibc-go's error. A chain's `Registry`
    refuses a class in which a method is missing, or is spelt as none of these is.

    Time is `ctx.time_ns`. Each method that raises has changed nothing.
    """

    client_type: str
    """`07-tendermint`, ...; the first part of its clients' identifiers."""

    types: ClientTypes = ClientTypes()
    """Its messages."""

    # -- every type answers these

    @abstractmethod
    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """What the client may be used for; UNKNOWN where there is none."""

    @abstractmethod
    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """Height of the newest consensus state; 0-0 where there is no client."""

    @abstractmethod
    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """The other chain's time at `height`, unix nanoseconds.

        Raises:
            ClientNotFound: there is no such client.
            ConsensusStateNotFound: it has no consensus state at `height`.
        """

    @abstractmethod
    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect | None:
        """Checks that the other chain's state at `claim.height` holds `claim.value` at `claim.path`.

        Returns:
            What is to be written if the message that brought the proof is executed; None for nothing.

        Raises:
            IbcError: the proof does not show it, or comes before the delay has passed.
        """

    @abstractmethod
    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect | None:
        """Checks that the other chain's state at `claim.height` holds nothing at `claim.path`.

        Returns:
            As `verify_membership`.

        Raises:
            IbcError: the proof does not show it, or comes before the delay has passed.
        """

    # -- what the proof of a message is checked with; a type may load its states once for both questions

    def verify_membership_if_active(
        self, ctx: ReadContext, client_id: str, claim: Claim, /
    ) -> ProofEffect | None:
        """`verify_membership` by a client that is Active. No entry of the `ibc` store is read twice.

        Raises:
            ClientNotActive: it is not.
            IbcError: see `verify_membership`.
        """
        once = ReadOnce(ctx)
        self._require_active(once, client_id)
        return self.verify_membership(once, client_id, claim)

    def verify_non_membership_if_active(
        self, ctx: ReadContext, client_id: str, claim: Claim, /
    ) -> ProofEffect | None:
        """`verify_non_membership` by a client that is Active; as above."""
        once = ReadOnce(ctx)
        self._require_active(once, client_id)
        return self.verify_non_membership(once, client_id, claim)

    def _require_active(self, ctx: ReadContext, client_id: str) -> None:
        status = self.status(ctx, client_id)
        # guard: h15-a-client-of-another-type-proves-whatever-its-status drop
        #   test_h15_a_client_that_is_not_active_is_not_asked_for_its_proof
        #   test_h15_no_packet_moves_over_a_client_that_is_not_active
        if status is not Status.ACTIVE:
            raise ClientNotActive(client_id, status.value)

    # -- types whose clients anybody may create: those with a client state

    def check_client_state(self, _client_state: bytes, /) -> None:
        """Checks of a new client's state that need no store; it comes as the bytes inside its Any.

        Raises:
            IbcError: it is malformed. InvalidClient: this type has none.
        """
        raise InvalidClient(f"{self.client_type} has no client state")

    def check_consensus_state(self, _consensus_state: bytes, /) -> None:
        """Checks of a new client's consensus state that need no store; as the bytes inside its Any.

        Raises:
            IbcError: it is malformed. InvalidConsensus: this type has none.
        """
        raise InvalidConsensus(f"{self.client_type} has no consensus state")

    def check_readable(self, _state: AnyMessage, /) -> None:  # noqa: B027 - most types leave nothing unread
        """Checks that a client or consensus state which nobody checks further can be read at all.

        ibc-go's decoder of transactions reads every Any, also where a message checks nothing of it: states of
        an upgrade may be incomplete, but not say what is no duration.

        Raises:
            TxDecode: it cannot be read.
        """

    def check_stored_consensus_state(self, height: Height, consensus_state: bytes, /) -> None:
        """Checks a consensus state that a genesis brings; as the bytes inside its Any.

        A type whose headers leave what no new client may begin with says so here.

        Raises:
            IbcError: it is malformed. InvalidHeight: the height is zero.
        """
        # guard: h167-other-types-begin-at-any-height test_a_bad_one_is_refused_by_key_and_value
        if height.is_zero:
            raise InvalidHeight("is zero")
        self.check_consensus_state(consensus_state)

    def initialize(
        self, _ctx: WriteContext, _client_id: str, _client_state: bytes, _consensus_state: bytes, /
    ) -> None:
        """Checks and writes the first states of a new client; both come as the bytes inside their Any.

        Raises:
            IbcError: they are malformed or do not fit each other. InvalidClientType: none can be created.
        """
        raise InvalidClientType(f"a client of type {self.client_type} cannot be created")

    # -- types that take headers: those with messages

    def check_message(self, _message: AnyMessage, /) -> None:
        """Checks of a client message that need no store.

        Raises:
            IbcError: it is malformed. UpdateClientFailed: this type takes none.
        """
        raise UpdateClientFailed(f"{self.client_type} takes no messages")

    def verify_client_message(self, _ctx: ReadContext, _client_id: str, _message: AnyMessage, /) -> None:
        """Checks a header, or evidence of misbehaviour, in full.

        Raises:
            IbcError: it is malformed or does not convince this client. UpdateClientFailed: this type takes
                none.
        """
        raise UpdateClientFailed(f"{self.client_type} takes no messages")

    def update_state(self, _ctx: WriteContext, _client_id: str, _message: AnyMessage, /) -> list[Height]:
        """Takes over a header that was verified; returns the heights it stands for.

        A known height is left as it is. Evidence comes here only if `check_for_misbehaviour` said that it
        shows nothing: it changes nothing, and stands for no height. A recheck of the mempool calls this,
        and `check_for_misbehaviour`, without verifying the message again.

        Raises:
            UpdateClientFailed: this type takes none.
        """
        raise UpdateClientFailed(f"{self.client_type} takes no messages")

    # -- types that can be frozen

    def check_for_misbehaviour(self, _ctx: ReadContext, _client_id: str, _message: AnyMessage, /) -> bool:
        """Whether a message that was verified shows that the chain misbehaved."""
        return False

    def update_state_on_misbehaviour(
        self, _ctx: WriteContext, _client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freezes the client.

        Raises:
            InvalidMisbehaviour: clients of this type cannot be frozen.
        """
        raise InvalidMisbehaviour(f"{self.client_type} cannot be frozen")

    # -- types that can be recovered, and that follow a chain into its next revision

    def recover(self, _ctx: WriteContext, client_id: str, _substitute_client_id: str, /) -> None:
        """Takes the newest state of another client over, by decision of the chain's authority.

        Raises:
            IbcError: the two do not follow the same chain in the same way. UpdateClientFailed: clients of
                this type cannot be recovered.
        """
        raise UpdateClientFailed(f"{client_id} cannot be recovered")

    def verify_upgrade_and_update_state(
        self, _ctx: WriteContext, client_id: str, _upgraded: UpgradedStates, /
    ) -> None:
        """Moves the client to the chain's next revision, as that chain committed to it.

        Raises:
            IbcError: the chain did not commit to these states. InvalidUpgradeClient: clients of this type
                cannot be upgraded.
        """
        raise InvalidUpgradeClient(f"{client_id} cannot be upgraded")


@runtime_checkable
class NamesItsChain(Protocol):
    """A light client that knows the id of the chain it follows; the queue protocol asks for it."""

    def chain_id(self, ctx: ReadContext, client_id: str) -> str:
        """The id of the chain that the client follows.

        Raises:
            ClientNotFound: there is no such client.
        """
