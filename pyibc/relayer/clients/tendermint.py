"""Driver of 07-tendermint clients (ICS-7): states, headers, bisection, misbehaviour.

The `validator_set` of a header signed it; its `trusted_validators` are the next validators of the trusted
consensus state, that is the set that signed the block one above the trusted height.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from light_client.tendermint import states as codec
from light_client.tendermint.codec import header_from
from light_client.tendermint.states import SENTINEL_ROOT, ClientState, ConsensusState
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage, pack
from pyibc.core.client.types import TENDERMINT
from pyibc.core.errors import IbcError
from pyibc.core.height import revision_of
from pyibc.core.proofs import SDK_SPECS, ProofSpec
from pyibc.proto.cosmos.staking.v1beta1 import query_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import validator_pb2
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import ask
from pyibc.relayer.chain.values import LightBlock, height_on
from pyibc.relayer.clients import driver, evidence
from pyibc.relayer.clients.evidence import signed_header
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer

STAKING_PARAMS = "/cosmos.staking.v1beta1.Query/Params"

SECOND = 10**9
DAY = 86_400 * SECOND


class ClientSettings(NamedTuple):
    """Parameters of a new 07-tendermint client."""

    unbonding_ns: int = 21 * DAY
    trusting_ns: int = 0  # 0: two thirds of the unbonding period
    max_clock_drift_ns: int = 40 * SECOND
    trust_level: tuple[int, int] = (1, 3)

    @property
    def trusting(self) -> int:
        """Trusting period, nanoseconds."""
        return self.trusting_ns or self.unbonding_ns * 2 // 3


PARAMETERS: dict[str, Callable[[ClientState], str]] = {
    "trust_level": lambda state: "{}/{}".format(*state.trust_level),
    "trusting_period": lambda state: _seconds(state.trusting_period_ns),
    "unbonding_period": lambda state: _seconds(state.unbonding_period_ns),
    "max_clock_drift": lambda state: _seconds(state.max_clock_drift_ns),
    "proof_specs": lambda state: _specs(state.proof_specs),
    "upgrade_path": lambda state: repr(state.upgrade_path),
}
"""Parameters of a client by name, as exact, readable texts (`pyibc.relayer.paths.channel_policy`)."""


class TendermintDriver:
    """Driver of 07-tendermint clients (`pyibc.relayer.clients.driver.ClientDriver`).

    Args:
        settings: parameters of new clients; None: defaults with the unbonding period of the chain's staking
            module, or 21 days.
    """

    client_type = TENDERMINT

    def __init__(self, settings: ClientSettings | None = None) -> None:
        self._settings = settings

    @property
    def extras(self) -> driver.DriverExtras:
        """Prefetching of headers, and trust in the signers of later blocks."""
        return driver.DriverExtras(prefetch_header=self.prefetch_header, trusts=self.trusts)

    def initial_states(self, reference: ChainEndpoint) -> driver.InitialStates:
        """Return the states of a new client that tracks `reference`, at its last block."""
        block = reference.light_block(reference.tip().height)
        settings = self._settings or settings_for(reference)
        return driver.InitialStates(
            client_state(reference.chain_id, block.height, settings), consensus_state(block)
        )

    def prefetch_header(self, reference: ChainEndpoint, height: int) -> None:
        """Load the light block at `height` into the endpoint's cache."""
        reference.light_block(height)

    def view(self, client_state: AnyMessage) -> driver.ClientView:
        """Decode a client state. Raises ValueError, IbcError."""
        state = _client_state(client_state)
        frozen = not state.frozen_height.is_zero
        return driver.ClientView(state.chain_id, state.latest_height, frozen, state.trusting_period_ns)

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> Sequence[driver.Difference]:
        """Return the differences to a client created now. Raises ValueError, IbcError."""
        theirs = _client_state(client_state)
        ours = _new_state(reference.chain_id, 0, self._settings or settings_for(reference))
        return driver.differences_in((name, read(ours), read(theirs)) for name, read in PARAMETERS.items())

    def time_of(self, consensus_state: AnyMessage) -> int:
        """Return the timestamp of a consensus state, Unix nanoseconds. Raises ValueError, IbcError."""
        return _consensus_state(consensus_state).time_ns

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Return whether a consensus state matches the chain's own header. Raises ValueError, IbcError.

        The first consensus state after an upgrade has a sentinel root, and the time of the old chain; only
        its next validators are compared.
        """
        stored, own = _consensus_state(consensus_state), header_state(reference.light_block(height))
        # guard: h278-an-upgraded-client-is-of-another-chain drop test_h278_two_chains_live_through_an_upgrade
        if stored.root == SENTINEL_ROOT:
            return stored.next_validators_hash == own.next_validators_hash
        return stored == own

    def trusts(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Return whether its next validators are those of block `height`. Raises ValueError, IbcError."""
        header = header_from(signed_header(reference.light_block(height)).header)
        # guard: h225-whatever-validators-it-trusts always test_h225_but_not_if_it_trusts_other_validators
        return _consensus_state(consensus_state).next_validators_hash == header.validators_hash

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """Yield the headers that update a client to `height`.

        There are several if too few of the trusted validators signed the newest one (bisection).
        """
        state = _client_state(client_state)
        trusted = state.latest_height.revision_height
        while trusted < height:
            step = _step(state.trust_level, reference, trusted, min(height, trusted + max_step))
            above = _trusted_block(reference, trusted, height)
            yield client_header(reference.light_block(step), above, reference.chain_id)
            trusted = step

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[driver.SubmittedHeader]:
        """Yield the headers of a chain in a transaction, including those nested in other messages."""
        for header in evidence.headers_in(tx, chain_id):
            yield driver.SubmittedHeader(evidence.height_of(header), pack(header))

    def contradicts(self, submitted: driver.SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Return whether a header conflicts with the chain's block at its height, or with the last block."""
        return evidence.contradicts(_header(submitted), _own(submitted, reference, newest))

    def evidence(
        self,
        client_id: str,
        submitted: driver.SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[driver.ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """Build the misbehaviour of the header and the chain's own one, with a trusted height below both."""
        own = _own(submitted, reference, newest)
        trusted = self._last_agreed_block(
            reference, min(submitted.height.revision_height, own.height), consensus_states
        )
        return trusted and evidence.misbehaviour(client_id, _header(submitted), own, trusted)

    def _last_agreed_block(
        self,
        reference: ChainEndpoint,
        below: int,
        consensus_states: Iterable[driver.ConsensusStateWithHeight],
    ) -> LightBlock | None:
        """Return the block above the newest height below `below` at which client and chain agree."""
        for each in consensus_states:
            at = each.height.revision_height
            try:
                if at < below and self.is_own(each.consensus_state, reference, at):
                    return reference.light_block(at + 1)
            except EndpointRefused:  # pruned by the node
                continue
        return None


TENDERMINT_DRIVER = TendermintDriver()
DRIVERS = driver.Drivers(TENDERMINT_DRIVER)
"""Default drivers: 07-tendermint on both chains."""


def settings_for(chain: ChainEndpoint) -> ClientSettings:
    """Return settings for a client of `chain`, with its unbonding period if it has the staking module."""
    try:
        response = ask(chain, STAKING_PARAMS, None, query_pb2.QueryParamsResponse)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:  # a chain without the staking module
        return ClientSettings()
    unbonding = response.params.unbonding_time.ToNanoseconds()
    return ClientSettings(unbonding) if unbonding > 0 else ClientSettings()


def client_state(chain_id: str, latest: int, settings: ClientSettings) -> AnyMessage:
    """Return the packed state of a new client of `chain_id` with latest height `latest`."""
    state = _new_state(chain_id, latest, settings)
    return AnyMessage(codec.CLIENT_STATE_TYPE_URL, codec.encode_client_state(state))


def _new_state(chain_id: str, latest: int, settings: ClientSettings) -> ClientState:
    return ClientState(
        chain_id,
        TrustLevel(*settings.trust_level),
        settings.trusting,
        settings.unbonding_ns,
        settings.max_clock_drift_ns,
        height_on(chain_id, latest),
        allow_update_after_expiry=True,
        allow_update_after_misbehaviour=True,
    )


def consensus_state(block: LightBlock) -> AnyMessage:
    """Return the packed consensus state of a block's header."""
    return AnyMessage(codec.CONSENSUS_STATE_TYPE_URL, codec.encode_consensus_state(header_state(block)))


def header_state(block: LightBlock) -> ConsensusState:
    """Return the consensus state of a block's header."""
    header = header_from(signed_header(block).header)
    return ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)


def client_header(untrusted: LightBlock, trusted: LightBlock, chain_id: str) -> AnyMessage:
    """Build a packed header for MsgUpdateClient.

    Args:
        untrusted: the block to update the client to.
        trusted: the block one above the trusted height; its validators are the trusted ones.
        chain_id: the chain id of both.
    """
    header = tendermint_pb2.Header(
        signed_header=signed_header(untrusted),
        validator_set=validator_pb2.ValidatorSet.FromString(untrusted.validators),
        trusted_validators=validator_pb2.ValidatorSet.FromString(trusted.validators),
    )
    header.trusted_height.revision_number = revision_of(chain_id)
    header.trusted_height.revision_height = trusted.height - 1
    return pack(header)


def is_trusted(untrusted: LightBlock, trusted: LightBlock, level: tuple[int, int]) -> bool:
    """Return whether trusted validators with more than `level` of the trusted power signed `untrusted`.

    Signatures are not verified; the client does that. The check avoids a transaction that would be refused.
    """
    if untrusted.validators == trusted.validators:
        return True
    commit = signed_header(untrusted).commit
    signed = {
        signature.validator_address
        for signature in commit.signatures
        if signature.block_id_flag == validator_pb2.BLOCK_ID_FLAG_COMMIT
    }
    validators = validator_pb2.ValidatorSet.FromString(trusted.validators).validators
    power = sum(validator.voting_power for validator in validators)
    agreed = sum(validator.voting_power for validator in validators if validator.address in signed)
    return agreed * level[1] > power * level[0]


def _step(level: TrustLevel, reference: ChainEndpoint, trusted: int, step: int) -> int:
    """Return the highest header signed with enough trusted power, found by bisection."""
    above = _trusted_block(reference, trusted, step)
    while step > trusted + 1 and not is_trusted(reference.light_block(step), above, level):
        step = trusted + (step - trusted) // 2
    return step


def _seconds(nanoseconds: int) -> str:
    """Format a duration exactly: texts are equal only if the durations are."""
    whole, rest = divmod(nanoseconds, SECOND)
    return f"{whole} s" if not rest else f"{whole}.{rest:09} s"


def _specs(specs: tuple[ProofSpec, ...]) -> str:
    """Format proof specs: texts are equal only if the specs are (up to SHA-256)."""
    if specs == SDK_SPECS:
        return "of the SDK"
    return f"others, {sha256(repr(specs).encode()).hexdigest()}"


def _trusted_block(reference: ChainEndpoint, trusted: int, later: int) -> LightBlock:
    """Return the block one above the trusted height, whose validators are the trusted ones.

    If it is pruned, return block `later` with its height: the validators may be unchanged, and the client
    verifies them.
    """
    try:
        return reference.light_block(trusted + 1)
    except EndpointRefused:
        return reference.light_block(later)._replace(height=trusted + 1)


def _own(submitted: driver.SubmittedHeader, reference: ChainEndpoint, newest: int) -> LightBlock:
    return reference.light_block(min(newest, submitted.height.revision_height))


def _header(submitted: driver.SubmittedHeader) -> tendermint_pb2.Header:
    return tendermint_pb2.Header.FromString(submitted.message.value)


def _client_state(packed: AnyMessage) -> ClientState:
    _require(packed, codec.CLIENT_STATE_TYPE_URL)
    return codec.decode_client_state(packed.value)


def _consensus_state(packed: AnyMessage) -> ConsensusState:
    _require(packed, codec.CONSENSUS_STATE_TYPE_URL)
    return codec.decode_consensus_state(packed.value)


def _require(packed: AnyMessage, type_url: str) -> None:
    if packed.type_url != type_url:
        raise ValueError(f"{packed.type_url[:64]!r}, expected {type_url!r}")
