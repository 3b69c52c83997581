"""07-tendermint clients as a relayer creates and updates them (ICS-7): states, headers, trust.

A header's `validator_set` signed it; its `trusted_validators` are the next validators of the trusted
consensus state, that is the set that signed the block one above the trusted height.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import TENDERMINT
from ibc_core.errors import IbcError
from ibc_core.height import revision_of
from ibc_core.proofs import SDK_SPECS, ProofSpec
from ibc_core.wire.anys import pack
from ibc_proto.cosmos.staking.v1beta1 import query_pb2
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from ibc_proto.tendermint.types import types_pb2, validator_pb2
from ibc_relayer import evidence
from ibc_relayer.driver import (
    ClientView,
    ConsensusStateWithHeight,
    Difference,
    Drivers,
    InitialStates,
    SubmittedHeader,
    differences_in,
)
from ibc_relayer.endpoint import ChainEndpoint, LightBlock, height_on
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.grpc_query import ask
from light_client.tendermint import state_codec as codec
from light_client.tendermint.codec import header_from
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.voting import TrustLevel

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
        """The trusting period, nanoseconds."""
        return self.trusting_ns or self.unbonding_ns * 2 // 3


TERMS: dict[str, Callable[[ClientState], str]] = {
    "trust_level": lambda state: "{}/{}".format(*state.trust_level),
    "trusting_period": lambda state: _seconds(state.trusting_period_ns),
    "unbonding_period": lambda state: _seconds(state.unbonding_period_ns),
    "max_clock_drift": lambda state: _seconds(state.max_clock_drift_ns),
    "proof_specs": lambda state: _specs(state.proof_specs),
    "upgrade_path": lambda state: repr(state.upgrade_path),
}
"""The terms of a client, exactly and for people (`ibc_relayer.terms`)."""


class TendermintDriver:
    """07-tendermint (`ibc_relayer.driver.ClientDriver`).

    Args:
        settings: of new clients; None: the unbonding period of the chain's staking module, or 21 days.
    """

    client_type = TENDERMINT

    def __init__(self, settings: ClientSettings | None = None) -> None:
        self._settings = settings

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """The states of a new client that tracks `reference`, at its last block."""
        block = reference.light_block(reference.tip().height)
        settings = self._settings or settings_for(reference)
        return InitialStates(client_state(reference.chain_id, block.height, settings), consensus_state(block))

    def read_ahead(self, reference: ChainEndpoint, height: int) -> None:
        """Has the endpoint ask for the header, which endpoints keep."""
        reference.light_block(height)

    def view(self, client_state: AnyMessage) -> ClientView:
        """Decodes a client state. Raises ValueError, IbcError."""
        state = _client_state(client_state)
        frozen = not state.frozen_height.is_zero
        return ClientView(state.chain_id, state.latest_height, frozen, state.trusting_period_ns)

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> Sequence[Difference]:
        """The terms that are not those of a client made now. Raises ValueError, IbcError."""
        theirs = _client_state(client_state)
        ours = _new_state(reference.chain_id, 0, self._settings or settings_for(reference))
        return differences_in((name, read(ours), read(theirs)) for name, read in TERMS.items())

    def time_of(self, consensus_state: AnyMessage) -> int:
        """The timestamp of a consensus state, unix nanoseconds. Raises ValueError, IbcError."""
        return _consensus_state(consensus_state).time_ns

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Whether a consensus state is that of the chain's own header. Raises ValueError, IbcError."""
        return _consensus_state(consensus_state) == header_state(reference.light_block(height))

    def trusts(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Whether it trusts the validators of block `height`. Raises ValueError, IbcError."""
        header = header_from(signed_header(reference.light_block(height)).header)
        # guard: h225-whatever-validators-it-trusts always test_h225_but_not_if_it_trusts_other_validators
        return _consensus_state(consensus_state).next_validators_hash == header.validators_hash

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """The headers that update a client to `height`.

        More than one if too few of the trusted validators signed the newest: then headers in between are
        needed (bisection).
        """
        state = _client_state(client_state)
        trusted = state.latest_height.revision_height
        while trusted < height:
            step = _step(state.trust_level, reference, trusted, min(height, trusted + max_step))
            above = _above(reference, trusted, height)
            yield client_header(reference.light_block(step), above, reference.chain_id)
            trusted = step

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[SubmittedHeader]:
        """Every header of a chain in a transaction, also inside the messages of other modules."""
        for header in evidence.headers_in(tx, chain_id):
            yield SubmittedHeader(evidence.height_of(header), pack(header))

    def contradicts(self, submitted: SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Whether a header conflicts with the chain's block of that height, or with its last block."""
        return evidence.contradicts(_header(submitted), _own(submitted, reference, newest))

    def evidence(
        self,
        client_id: str,
        submitted: SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """Misbehaviour: the conflicting header, the chain's own, and a trusted height below both."""
        own = _own(submitted, reference, newest)
        trusted = self._common_ground(
            reference, min(submitted.height.revision_height, own.height), consensus_states
        )
        return trusted and evidence.misbehaviour(client_id, _header(submitted), own, trusted)

    def _common_ground(
        self, reference: ChainEndpoint, below: int, consensus_states: Iterable[ConsensusStateWithHeight]
    ) -> LightBlock | None:
        """The block above the newest height under `below` at which client and chain agree."""
        for each in consensus_states:
            at = each.height.revision_height
            try:
                if at < below and self.is_own(each.consensus_state, reference, at):
                    return reference.light_block(at + 1)
            except EndpointRefused:  # pruned by the node
                continue
        return None


TENDERMINT_DRIVER = TendermintDriver()
DRIVERS = Drivers(TENDERMINT_DRIVER)
"""The default: 07-tendermint on both chains."""


def settings_for(chain: ChainEndpoint) -> ClientSettings:
    """Settings for a client of `chain`: its own unbonding period, if it answers the staking query."""
    try:
        said = ask(chain, STAKING_PARAMS, None, query_pb2.QueryParamsResponse)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:  # a chain without the staking module
        return ClientSettings()
    unbonding = said.params.unbonding_time.ToNanoseconds()
    return ClientSettings(unbonding) if unbonding > 0 else ClientSettings()


def client_state(chain_id: str, latest: int, settings: ClientSettings) -> AnyMessage:
    """The client state of a new client of `chain_id` with latest height `latest`."""
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
    """The consensus state of `block`, packed."""
    return AnyMessage(codec.CONSENSUS_STATE_TYPE_URL, codec.encode_consensus_state(header_state(block)))


def header_state(block: LightBlock) -> ConsensusState:
    """The consensus state of a block's header."""
    header = header_from(signed_header(block).header)
    return ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)


def client_header(untrusted: LightBlock, trusted: LightBlock, chain_id: str) -> AnyMessage:
    """A header for MsgUpdateClient.

    Args:
        untrusted: the block to update the client to.
        trusted: the block one above the trusted height: its validators are the trusted ones.
        chain_id: the chain of both.
    """
    header = tendermint_pb2.Header(
        signed_header=signed_header(untrusted),
        validator_set=validator_pb2.ValidatorSet.FromString(untrusted.validators),
        trusted_validators=validator_pb2.ValidatorSet.FromString(trusted.validators),
    )
    header.trusted_height.revision_number = revision_of(chain_id)
    header.trusted_height.revision_height = trusted.height - 1
    return pack(header)


def signed_header(block: LightBlock) -> types_pb2.SignedHeader:
    """The block's header and commit."""
    return types_pb2.SignedHeader.FromString(block.signed_header)


def is_trusted(untrusted: LightBlock, trusted: LightBlock, level: tuple[int, int]) -> bool:
    """Whether the trusted validators who signed `untrusted` hold more than `level` of the trusted power.

    Signatures are not verified here: the client does that. This saves a transaction that would be refused.
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
    """The highest header that the trusted validators signed with enough power, found by bisection."""
    above = _above(reference, trusted, step)
    while step > trusted + 1 and not is_trusted(reference.light_block(step), above, level):
        step = trusted + (step - trusted) // 2
    return step


def _seconds(nanoseconds: int) -> str:
    """Exact: two lengths of time have one text only if they are equal."""
    whole, rest = divmod(nanoseconds, SECOND)
    return f"{whole} s" if not rest else f"{whole}.{rest:09} s"


def _specs(specs: tuple[ProofSpec, ...]) -> str:
    """Two lists of specifications have one text only if they are equal, up to a hash."""
    if specs == SDK_SPECS:
        return "of the SDK"
    return f"others, {sha256(repr(specs).encode()).hexdigest()}"


def _above(reference: ChainEndpoint, trusted: int, later: int) -> LightBlock:
    """The block one above the trusted height, whose validators are the trusted ones.

    Where the node has pruned it, a later one with its height: the validators may be the same still, and the
    client compares them with what it trusts.
    """
    try:
        return reference.light_block(trusted + 1)
    except EndpointRefused:
        return reference.light_block(later)._replace(height=trusted + 1)


def _own(submitted: SubmittedHeader, reference: ChainEndpoint, newest: int) -> LightBlock:
    return reference.light_block(min(newest, submitted.height.revision_height))


def _header(submitted: SubmittedHeader) -> tendermint_pb2.Header:
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
