"""The interface of light clients (ICS-2; ibc-go `exported.LightClientModule`).

Arguments are positional-only, so that implementations may rename unused ones.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from google.protobuf.message import Message

from light_client.contexts import CachedReadContext
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    InvalidClient,
    InvalidClientType,
    InvalidConsensus,
    InvalidHeight,
    InvalidMisbehaviour,
    InvalidUpgradeClient,
    UpdateClientFailed,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ContextWrapper, ReadContext, ReadStore, WriteContext


class ProofEffect(NamedTuple):
    """The client state after a single-use proof, such as a solo machine's signature.

    Verification only reads; the handler's `execute` passes the effect to the client keeper, which writes
    it. A redundant message is not executed, so its proof remains unused. A later effect on the same client
    includes the earlier one.
    """

    client_id: str
    client_state: bytes  # an Any, as stored


class Claim(NamedTuple):
    """A claim to verify about the counterparty chain's state at a height."""

    height: Height  # height of the proof
    proof: bytes  # in the encoding of the client type; an encoded MerkleProof for 07-tendermint
    path: tuple[bytes, ...]  # store name and key: `(b"ibc", key)`
    value: bytes = b""  # value at `path`; ignored in claims of absence
    delay_time_ns: int = 0  # delay period of the connection, counted from the header's arrival; 0: none
    delay_blocks: int = 0  # the same in blocks of this chain


class ClientTypes(NamedTuple):
    """The protobuf classes of one client type, of any descriptor pool.

    A chain with the light client allows these types in the corresponding Anys of its messages.
    """

    client_state: type[Message] | None = None
    consensus_state: type[Message] | None = None
    messages: tuple[type[Message], ...] = ()  # headers and misbehaviour


class UpgradedStates(NamedTuple):
    """Upgraded client and consensus state of a chain's next revision, with proofs of their commitment."""

    client_state: bytes  # value of its Any
    consensus_state: bytes  # value of its Any
    client_proof: bytes
    consensus_proof: bytes


class LightClient(ABC):
    """Base class of light clients, whose state is below `clients/{id}/` of the `ibc` store only.

    A type overrides the methods that it supports; the others raise ibc-go's errors. A chain's `Registry`
    refuses a class with missing or misspelt methods.

    The current time is `ctx.time_ns`. A method that raises must not have written.
    """

    client_type: str
    """The client type, such as `07-tendermint`, which is the prefix of client identifiers."""

    types: ClientTypes = ClientTypes()
    """The protobuf classes of its states and client messages."""

    # -- required of every type

    @abstractmethod
    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """Return the status of the client; UNKNOWN if it does not exist."""

    @abstractmethod
    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """Return the height of the latest consensus state; 0-0 if the client does not exist."""

    @abstractmethod
    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """Return the counterparty chain's time at `height`, in Unix nanoseconds.

        Raises:
            ClientNotFound: there is no such client.
            ConsensusStateNotFound: there is no consensus state at `height`.
        """

    @abstractmethod
    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect | None:
        """Verify that the counterparty chain has `claim.value` at `claim.path` at `claim.height`.

        Returns:
            The effect to write when the message with the proof is executed; None if there is none.

        Raises:
            IbcError: the proof does not verify, or the delay period has not passed.
        """

    @abstractmethod
    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect | None:
        """Verify that the counterparty chain has nothing at `claim.path` at `claim.height`.

        Returns:
            The effect to write, as in `verify_membership`.

        Raises:
            IbcError: the proof does not verify, or the delay period has not passed.
        """

    # -- verification with a check of the status; a type may override them to load its states only once

    def verify_membership_if_active(
        self, ctx: ReadContext, client_id: str, claim: Claim, /
    ) -> ProofEffect | None:
        """Check that the client is Active and call `verify_membership`; store entries are read only once.

        Raises:
            ClientNotActive: the client is not Active.
            IbcError: see `verify_membership`.
        """
        once = CachedReadContext(ctx)
        self._require_active(once, client_id)
        return self.verify_membership(once, client_id, claim)

    def verify_non_membership_if_active(
        self, ctx: ReadContext, client_id: str, claim: Claim, /
    ) -> ProofEffect | None:
        """Check that the client is Active and call `verify_non_membership`; raises as above."""
        once = CachedReadContext(ctx)
        self._require_active(once, client_id)
        return self.verify_non_membership(once, client_id, claim)

    def _require_active(self, ctx: ReadContext, client_id: str) -> None:
        status = self.status(ctx, client_id)
        # guard: h15-a-client-of-another-type-proves-whatever-its-status drop
        #   test_h15_a_client_that_is_not_active_is_not_asked_for_its_proof
        #   test_h15_no_packet_moves_over_a_client_that_is_not_active
        if status is not Status.ACTIVE:
            raise ClientNotActive(client_id, status.value)

    # -- types whose clients can be created by message: those with a client state

    def check_client_state(self, _client_state: bytes, /) -> None:
        """Run the stateless checks of a new client's state, given as the value of its Any.

        Raises:
            IbcError: the state is malformed.
            InvalidClient: this type has no client state.
        """
        raise InvalidClient(f"{self.client_type} has no client state")

    def check_consensus_state(self, _consensus_state: bytes, /) -> None:
        """Run the stateless checks of a new client's consensus state, given as the value of its Any.

        Raises:
            IbcError: the state is malformed.
            InvalidConsensus: this type has no consensus state.
        """
        raise InvalidConsensus(f"{self.client_type} has no consensus state")

    def check_readable(self, _state: AnyMessage, /) -> None:  # noqa: B027 - optional
        """Check only that a client or consensus state can be decoded.

        ibc-go's transaction decoder decodes every Any, including those that a message does not check: the
        states of an upgrade may be incomplete, but their durations must be valid.

        Raises:
            TxDecode: the state is malformed.
        """

    def check_stored_consensus_state(self, height: Height, consensus_state: bytes, /) -> None:
        """Check a consensus state in a genesis, given as the value of its Any.

        A type overrides this if updates may store consensus states that a new client may not start from.

        Raises:
            IbcError: the state is malformed.
            InvalidHeight: the height is zero.
        """
        # guard: h167-other-types-begin-at-any-height test_a_bad_one_is_refused_by_key_and_value
        if height.is_zero:
            raise InvalidHeight("is zero")
        self.check_consensus_state(consensus_state)

    def initialize(
        self, _ctx: WriteContext, _client_id: str, _client_state: bytes, _consensus_state: bytes, /
    ) -> None:
        """Check and write the initial states of a new client, given as the values of their Anys.

        Raises:
            IbcError: the states are malformed or inconsistent.
            InvalidClientType: clients of this type cannot be created.
        """
        raise InvalidClientType(f"a client of type {self.client_type} cannot be created")

    # -- types that can be updated: those with client messages

    def check_message(self, _message: AnyMessage, /) -> None:
        """Run the stateless checks of a client message.

        Raises:
            IbcError: the message is malformed.
            UpdateClientFailed: this type has no client messages.
        """
        raise UpdateClientFailed(f"{self.client_type} takes no messages")

    def verify_client_message(self, _ctx: ReadContext, _client_id: str, _message: AnyMessage, /) -> None:
        """Verify a header or misbehaviour.

        Raises:
            IbcError: the message is malformed or does not verify.
            UpdateClientFailed: this type has no client messages.
        """
        raise UpdateClientFailed(f"{self.client_type} takes no messages")

    def update_state(self, _ctx: WriteContext, _client_id: str, _message: AnyMessage, /) -> list[Height]:
        """Write the states of a verified header, and return its heights.

        A stored height is not changed. Misbehaviour is passed only if `check_for_misbehaviour` returned
        False; it changes nothing and has no heights. A recheck of the mempool calls this method and
        `check_for_misbehaviour` without verifying the message again.

        Raises:
            UpdateClientFailed: this type has no client messages.
        """
        raise UpdateClientFailed(f"{self.client_type} takes no messages")

    # -- types that can be frozen

    def check_for_misbehaviour(self, _ctx: ReadContext, _client_id: str, _message: AnyMessage, /) -> bool:
        """Return whether a verified message proves misbehaviour."""
        return False

    def update_state_on_misbehaviour(
        self, _ctx: WriteContext, _client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freeze the client.

        Raises:
            InvalidMisbehaviour: clients of this type cannot be frozen.
        """
        raise InvalidMisbehaviour(f"{self.client_type} cannot be frozen")

    # -- types that can be recovered or upgraded

    def recover(self, _ctx: WriteContext, client_id: str, _substitute_client_id: str, /) -> None:
        """Copy the latest state of a substitute client, by decision of the chain's authority.

        Raises:
            IbcError: the substitute does not match the client.
            UpdateClientFailed: clients of this type cannot be recovered.
        """
        raise UpdateClientFailed(f"{client_id} cannot be recovered")

    def verify_upgrade_and_update_state(
        self, _ctx: WriteContext, client_id: str, _upgraded: UpgradedStates, /
    ) -> None:
        """Verify and write the states of the chain's next revision, to which the chain has committed.

        Raises:
            IbcError: a proof does not verify.
            InvalidUpgradeClient: clients of this type cannot be upgraded.
        """
        raise InvalidUpgradeClient(f"{client_id} cannot be upgraded")


@runtime_checkable
class NamesItsChain(Protocol):
    """A light client that knows the chain id of the tracked chain, for the queue protocol."""

    def chain_id(self, ctx: ReadContext, client_id: str) -> str:
        """Return the chain id of the tracked chain.

        Raises:
            ClientNotFound: there is no such client.
        """


# -- read context that shows the effect of a proof before it is written


class EffectStore:
    """A store in which one existing entry has another value."""

    def __init__(self, base: ReadStore, path: bytes, value: bytes) -> None:
        self._base, self._path, self._value = base, path, value

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`."""
        return self._value if key == self._path else self._base.get(key)

    def has(self, key: bytes) -> bool:
        """Return whether `key` has a value."""
        return self._base.has(key)

    def iterate(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        """Iterate over the entries, including the changed one."""
        for key, value in self._base.iterate(start, end):
            yield key, self._value if key == self._path else value


class EffectContext(ContextWrapper):
    """A context that shows a proof's effect before it is written."""

    __slots__ = ("ibc",)

    def __init__(self, base: ReadContext, effect: ProofEffect) -> None:
        super().__init__(base)
        path = paths.client_state_path(effect.client_id)
        self.ibc: ReadStore = EffectStore(base.ibc, path, effect.client_state)

    def reader(self, name: str) -> ReadStore:
        """Return another store of the host."""
        return self.ibc if name == paths.STORE_NAME else self._base.reader(name)


def with_effect(ctx: ReadContext, effect: ProofEffect | None) -> ReadContext:
    """Return a context that shows `ctx` after `effect`; `ctx` itself if there is no effect."""
    return ctx if effect is None else EffectContext(ctx, effect)
