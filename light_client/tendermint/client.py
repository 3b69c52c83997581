"""The `07-tendermint` light client: access to the store and the `LightClient` interface."""

from collections.abc import Sequence

from light_client.interface import Claim, ClientTypes, LightClient, UpgradedStates
from light_client.tendermint import misbehaviour, store, updates, upgrade
from light_client.tendermint.header_cache import (
    VERIFIED_MESSAGES,
    cache_verified,
    decode,
    decode_and_check,
    headers_of,
    price_of_header,
    verify_update,
)
from light_client.tendermint.states import (
    CLIENT_STATE_TYPE_URL,
    FROZEN_HEIGHT,
    ClientState,
    check_client_state,
    check_consensus_state,
    decode_client_state,
    decode_consensus_state,
    recovered,
)
from light_client.tendermint.store import Processed
from light_client.tendermint.types import Misbehaviour
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.types import TENDERMINT, Status
from pyibc.core.errors import InvalidClientType, InvalidHeight, UpdateClientFailed
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.identifiers import parse_client_id
from pyibc.core.numbers import MAX_U64
from pyibc.core.proofs import SDK_SPECS, ProofSpec, verify_membership, verify_non_membership
from pyibc.isolation.isolate import builtin
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2


@builtin
class TendermintLightClient(LightClient):
    """The ICS-7 light client; all state is in the `ibc` store."""

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """Create the light client; `prices` has the gas of verification."""
        self._prices = prices

    client_type = TENDERMINT
    types = ClientTypes(
        tendermint_pb2.ClientState,
        tendermint_pb2.ConsensusState,
        (tendermint_pb2.Header, tendermint_pb2.Misbehaviour),
    )

    def check_client_state(self, client_state: bytes, /) -> None:
        """Check a new client's state.

        Raises:
            InvalidClient, TendermintError: the state is malformed or invalid.
        """
        check_client_state(decode_client_state(client_state))

    def check_readable(self, state: AnyMessage, /) -> None:
        """Check that durations and timestamps are valid; raises TxDecode."""
        is_client_state = state.type_url == CLIENT_STATE_TYPE_URL
        (decode_client_state if is_client_state else decode_consensus_state)(state.value)

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Check a new client's consensus state.

        Raises:
            InvalidConsensus: the state is malformed or invalid.
        """
        check_consensus_state(decode_consensus_state(consensus_state))

    def check_message(self, message: AnyMessage, /) -> None:
        """Run the stateless checks of a header or misbehaviour.

        Raises:
            IbcError: see `updates` and `misbehaviour`.
        """
        if message not in VERIFIED_MESSAGES:
            # guard: h62-a-header-is-kept-before-it-is-verified {=> cache_verified(message,
            #   decode_and_check(message))}
            #   test_h62_a_header_that_check_alone_took_leaves_nothing
            decode_and_check(message)

    def initialize(
        self, ctx: WriteContext, client_id: str, client_state: bytes, consensus_state: bytes, /
    ) -> None:
        """Write a new client's states (ICS-7 `initialise`).

        Raises:
            InvalidClient, InvalidConsensus, TendermintError: a state is malformed or invalid.
        """
        state = decode_client_state(client_state)
        check_client_state(state)
        first = decode_consensus_state(consensus_state)
        check_consensus_state(first)
        store.set_client_state(ctx, client_id, state)
        store.set_consensus_state(ctx, client_id, state.latest_height, first, _now(ctx))

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> None:
        """Verify a header or misbehaviour (ICS-7 `verifyClientMessage`).

        Raises:
            ClientNotFound: there is no such client.
            ConsensusStateNotFound: there is no consensus state at a trusted height.
            IbcError: see `updates` and `misbehaviour`.
        """
        cached = VERIFIED_MESSAGES.get(message)
        decoded = cached or decode_and_check(message)
        # guard: h61-signatures-for-nothing test_h61_signatures_are_paid_for_before_one_is_verified
        ctx.gas.consume(sum([price_of_header(self._prices, header) for header in headers_of(decoded)]))
        if isinstance(decoded, Misbehaviour):
            if cached is None:
                # guard: h32-evidence-needs-no-signatures drop
                #   test_h32_evidence_with_a_wrong_signature_does_not_freeze
                misbehaviour.check_commits(decoded)
            _verify_misbehaviour(ctx, client_id, decoded)
        else:
            state = store.client_state(ctx, client_id)
            trusted = store.consensus_state(ctx, client_id, decoded.trusted_height)
            verify_update(state, decoded, trusted, ctx.time_ns)
        cache_verified(message, decoded)

    def check_for_misbehaviour(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> bool:
        """Return whether a verified message proves misbehaviour (ICS-7 `checkForMisbehaviour`)."""
        decoded = decode(message)
        if isinstance(decoded, Misbehaviour):
            return misbehaviour.is_misbehaviour(decoded)
        height, found = updates.height_of(decoded), updates.consensus_state_of(decoded)
        known = store.find_consensus_state(ctx, client_id, height)
        if known is not None:
            return known != found
        before = store.previous_consensus_state(ctx, client_id, height)
        if before is not None and before.time_ns >= found.time_ns:
            return True
        after = store.next_consensus_state(ctx, client_id, height)
        return after is not None and after.time_ns <= found.time_ns

    def update_state_on_misbehaviour(
        self, ctx: WriteContext, client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freeze the client, without checking the message again (ICS-7 `updateStateOnMisbehaviour`)."""
        state = store.client_state(ctx, client_id)
        store.set_client_state(ctx, client_id, state._replace(frozen_height=FROZEN_HEIGHT))

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage, /) -> list[Height]:
        """Write a verified header's state once, and prune the oldest if expired (ICS-7 `updateState`)."""
        decoded = decode(message)
        if isinstance(decoded, Misbehaviour):
            return []
        state, height = store.client_state(ctx, client_id), updates.height_of(decoded)
        _prune_oldest(ctx, client_id, state)
        if store.find_consensus_state(ctx, client_id, height) is None:
            newest = max(height, state.latest_height)
            store.set_client_state(ctx, client_id, state._replace(latest_height=newest))
            found = updates.consensus_state_of(decoded)
            store.set_consensus_state(ctx, client_id, height, found, _now(ctx))
        return [height]

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Verify that the chain has a value at a path at a height (ICS-7 `verifyMembership`).

        Raises:
            InvalidHeight: the height exceeds the client's latest height.
            DelayPeriodNotPassed: the delay period since the header's arrival has not passed.
            ConsensusStateNotFound: there is no consensus state at the height; submit a header first.
            CommitmentError: the proof does not verify.
        """
        state = store.client_state(ctx, client_id)
        root = store.root_at(ctx, client_id, state, claim)
        self._charge(ctx, state, claim)
        verify_membership(state.proof_specs, root, claim.path, claim.value, claim.proof)

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Verify that the chain has nothing at a path at a height; raises as above."""
        state = store.client_state(ctx, client_id)
        root = store.root_at(ctx, client_id, state, claim)
        self._charge(ctx, state, claim)
        verify_non_membership(state.proof_specs, root, claim.path, claim.proof)

    def verify_membership_if_active(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Call `verify_membership`, loading the client once; raises ClientNotActive unless it is Active."""
        state, newest = store.active(ctx, client_id)
        root = store.root_at(ctx, client_id, state, claim, newest)
        self._charge(ctx, state, claim)
        verify_membership(state.proof_specs, root, claim.path, claim.value, claim.proof)

    def verify_non_membership_if_active(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Check that the client is Active and call `verify_non_membership`; raises as above."""
        state, newest = store.active(ctx, client_id)
        root = store.root_at(ctx, client_id, state, claim, newest)
        self._charge(ctx, state, claim)
        verify_non_membership(state.proof_specs, root, claim.path, claim.proof)

    def _charge(self, ctx: ReadContext, state: ClientState, claim: Claim) -> None:
        ctx.gas.consume(price_of_proof(self._prices, state.proof_specs, claim.proof))

    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """Return the status; Frozen takes precedence over Expired."""
        return store.load(ctx, client_id)[0]

    def chain_id(self, ctx: ReadContext, client_id: str) -> str:
        """Return the chain id of the tracked chain.

        Raises:
            ClientNotFound: there is no such client.
        """
        return store.client_state(ctx, client_id).chain_id

    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """Return the height of the latest consensus state; 0-0 if the client does not exist."""
        state = store.find_client_state(ctx, client_id)
        return ZERO_HEIGHT if state is None else state.latest_height

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """Return the chain's time at `height`, in Unix nanoseconds in 64 bits.

        Raises:
            ClientNotFound: there is no such client.
            ConsensusStateNotFound: there is no consensus state at `height`.
        """
        store.client_state(ctx, client_id)
        return store.consensus_state(ctx, client_id, height).time_ns & MAX_U64

    def recover(self, ctx: WriteContext, client_id: str, substitute_client_id: str, /) -> None:
        """Copy a substitute's latest state (ibc-go `CheckSubstituteAndUpdateState`).

        Raises:
            InvalidClientType, ClientNotFound, InvalidSubstitute: the substitute does not match the client.
            ConsensusStateNotFound, UpdateClientFailed: the substitute lacks its latest consensus state.
        """
        if parse_client_id(substitute_client_id)[0] != TENDERMINT:
            raise InvalidClientType(f"substitute {substitute_client_id} is not of type {TENDERMINT}")
        subject = store.client_state(ctx, client_id)
        substitute = store.client_state(ctx, substitute_client_id)
        state = recovered(subject, substitute)
        height = substitute.latest_height
        newest = store.consensus_state(ctx, substitute_client_id, height)
        came_at = store.processed_height(ctx, substitute_client_id, height)
        came_ns = store.processed_time(ctx, substitute_client_id, height)
        if came_at is None or came_ns is None:
            raise UpdateClientFailed(f"no processed time or height of {substitute_client_id} at {height}")
        store.set_consensus_state(ctx, client_id, height, newest, Processed(came_at, came_ns))
        store.set_client_state(ctx, client_id, state)

    def verify_upgrade_and_update_state(
        self, ctx: WriteContext, client_id: str, upgraded: UpgradedStates, /
    ) -> None:
        """Upgrade the client to the chain's next revision (ICS-7 `verifyUpgradeAndUpdateState`).

        Raises:
            InvalidClient, InvalidConsensus: a state is malformed.
            ClientNotFound: there is no such client.
            InvalidHeight: the new height is not above the client's.
            ConsensusStateNotFound: the client lacks its latest consensus state.
            IbcError: see `upgrade.verify_upgrade`.
        """
        next_state = decode_client_state(upgraded.client_state)
        next_consensus = decode_consensus_state(upgraded.consensus_state)
        state = store.client_state(ctx, client_id)
        if next_state.latest_height <= state.latest_height:
            raise InvalidHeight(f"upgraded {next_state.latest_height} is not above {state.latest_height}")
        trusted = store.consensus_state(ctx, client_id, state.latest_height)
        for proof in (upgraded.client_proof, upgraded.consensus_proof):
            ctx.gas.consume(price_of_proof(self._prices, state.proof_specs, proof))
        new_state, first = upgrade.verify_upgrade(
            state, trusted, next_state, next_consensus, upgraded.client_proof, upgraded.consensus_proof
        )
        store.set_client_state(ctx, client_id, new_state)
        store.set_consensus_state(ctx, client_id, new_state.latest_height, first, _now(ctx))


def price_of_proof(prices: Prices, specs: Sequence[ProofSpec], proof: bytes) -> int:
    """Return the gas of a proof by the client's specifications, which the client's creator chose."""
    if specs == SDK_SPECS:
        return prices.proof_byte * len(proof)
    children = sum(len(spec.inner_spec.child_order) for spec in specs if spec.inner_spec is not None)
    return prices.foreign_proof_byte * (len(proof) + children)


def _verify_misbehaviour(ctx: ReadContext, client_id: str, evidence: Misbehaviour) -> None:
    state = store.client_state(ctx, client_id)
    headers = (evidence.header_1, evidence.header_2)
    trusted = [store.consensus_state(ctx, client_id, header.trusted_height) for header in headers]
    for header, base in zip(headers, trusted, strict=True):
        misbehaviour.verify_misbehaviour_header(state, header, base, ctx.time_ns)


def _prune_oldest(ctx: WriteContext, client_id: str, state: ClientState) -> None:
    oldest = store.oldest_height(ctx, client_id)
    if oldest is not None:
        kept = store.consensus_state(ctx, client_id, oldest)
        if store.is_expired(state, kept.time_ns, ctx.time_ns):
            store.delete_consensus_state(ctx, client_id, oldest)


def _now(ctx: WriteContext) -> Processed:
    return Processed(ctx.height, ctx.time_ns)
