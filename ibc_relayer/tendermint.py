"""07-tendermint clients as a relayer makes and tends them (ICS-7): states, headers, trust.

A header's `validators` is the set that signed it; `trusted validators` the one the trusted consensus
state names as next, which signed the block one above it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import TENDERMINT
from ibc_core.errors import IbcError
from ibc_core.height import revision_of
from ibc_core.wire.anys import pack
from ibc_proto.cosmos.staking.v1beta1 import query_pb2
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from ibc_proto.tendermint.types import types_pb2, validator_pb2
from ibc_relayer import evidence
from ibc_relayer.driver import ClientView, Drivers, FirstStates, Given, Held
from ibc_relayer.endpoint import ChainEndpoint, LightBlock, height_on
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from light_client.tendermint import state_codec as codec
from light_client.tendermint.codec import header_from
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.voting import TrustLevel

STAKING_PARAMS = "/cosmos.staking.v1beta1.Query/Params"

SECOND = 10**9
DAY = 86_400 * SECOND


class ClientTerms(NamedTuple):
    """What a new client is to believe, and for how long."""

    unbonding_ns: int = 21 * DAY
    trusting_ns: int = 0  # 0: two thirds of the unbonding period
    max_clock_drift_ns: int = 40 * SECOND
    trust_level: tuple[int, int] = (1, 3)

    @property
    def trusting(self) -> int:
        """The trusting period, nanoseconds."""
        return self.trusting_ns or self.unbonding_ns * 2 // 3


class TendermintDriver:
    """07-tendermint (`ibc_relayer.driver.ClientDriver`).

    Args:
        terms: of new clients; None: a chain's own unbonding period where it tells it, else 21 days.
    """

    client_type = TENDERMINT

    def __init__(self, terms: ClientTerms | None = None) -> None:
        self._terms = terms

    def first_states(self, target: ChainEndpoint) -> FirstStates:
        """States of a new client of `target`, at its last block."""
        block = target.light_block(target.tip().height)
        terms = self._terms or terms_of(target)
        return FirstStates(client_state(target.chain_id, block.height, terms), consensus_state(block))

    def view(self, client_state: AnyMessage) -> ClientView:
        """What a client's state says. Raises ValueError, IbcError."""
        state = _client_state(client_state)
        frozen = not state.frozen_height.is_zero
        return ClientView(state.chain_id, state.latest_height, frozen, state.trusting_period_ns)

    def time_of(self, consensus_state: AnyMessage) -> int:
        """The target's time in a consensus state, unix nanoseconds. Raises ValueError, IbcError."""
        return _consensus_state(consensus_state).time_ns

    def is_own(self, consensus_state: AnyMessage, target: ChainEndpoint, height: int) -> bool:
        """Whether the target's header of `height` is the one a client holds. Raises ValueError, IbcError."""
        return _consensus_state(consensus_state) == header_state(target.light_block(height))

    def headers(
        self, client_state: AnyMessage, target: ChainEndpoint, height: int, widest: int
    ) -> Iterator[AnyMessage]:
        """The headers that bring a client to `height`.

        More than one where too few of the trusted validators signed the newest: then headers in between lead
        there (bisection).
        """
        state = _client_state(client_state)
        trusted = state.latest_height.revision_height
        while trusted < height:
            step = _step(state.trust_level, target, trusted, min(height, trusted + widest))
            above = target.light_block(trusted + 1)
            yield client_header(target.light_block(step), above, target.chain_id)
            trusted = step

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[Given]:
        """Every header of a chain in a transaction, also inside the messages of other modules."""
        for header in evidence.headers_in(tx, chain_id):
            yield Given(evidence.height_of(header), pack(header))

    def contradicts(self, given: Given, target: ChainEndpoint, newest: int) -> bool:
        """Whether a header and the target's block of that height, or its last one, exclude each other."""
        return evidence.contradicts(_header(given), _own(given, target, newest))

    def evidence(
        self, client_id: str, given: Given, target: ChainEndpoint, newest: int, held: Iterable[Held]
    ) -> AnyMessage | None:
        """Misbehaviour: the header, the target's own, and a header below both that the client trusts."""
        own = _own(given, target, newest)
        trusted = self._common_ground(target, min(given.height.revision_height, own.height), held)
        return trusted and evidence.misbehaviour(client_id, _header(given), own, trusted)

    def _common_ground(self, target: ChainEndpoint, below: int, held: Iterable[Held]) -> LightBlock | None:
        """The block above the newest header under `below` that the client holds as the chain has it."""
        for each in held:
            at = each.height.revision_height
            try:
                if at < below and self.is_own(each.consensus_state, target, at):
                    return target.light_block(at + 1)
            except EndpointRefused:  # a block that the node keeps no more
                continue
        return None


TENDERMINT_DRIVER = TendermintDriver()
DRIVERS = Drivers(TENDERMINT_DRIVER)
"""What a relayer knows that is not told of other clients."""


def terms_of(chain: ChainEndpoint) -> ClientTerms:
    """Terms of a client of `chain`: its own unbonding period, where it tells one."""
    try:
        raw = chain.grpc(STAKING_PARAMS, b"")
    except EndpointUnavailable:
        raise
    except IbcError:  # a chain without the staking module
        return ClientTerms()
    unbonding = query_pb2.QueryParamsResponse.FromString(raw).params.unbonding_time.ToNanoseconds()
    return ClientTerms(unbonding) if unbonding > 0 else ClientTerms()


def client_state(chain_id: str, latest: int, terms: ClientTerms) -> AnyMessage:
    """The state of a new client of `chain_id`, whose latest header is that of `latest`."""
    state = ClientState(
        chain_id,
        TrustLevel(*terms.trust_level),
        terms.trusting,
        terms.unbonding_ns,
        terms.max_clock_drift_ns,
        height_on(chain_id, latest),
        allow_update_after_expiry=True,
        allow_update_after_misbehaviour=True,
    )
    return AnyMessage(codec.CLIENT_STATE_TYPE_URL, codec.encode_client_state(state))


def consensus_state(block: LightBlock) -> AnyMessage:
    """What a new client holds of `block`."""
    return AnyMessage(codec.CONSENSUS_STATE_TYPE_URL, codec.encode_consensus_state(header_state(block)))


def header_state(block: LightBlock) -> ConsensusState:
    """The consensus state that a header stands for."""
    header = header_from(signed_header(block).header)
    return ConsensusState(header.time_ns, header.app_hash, header.next_validators_hash)


def client_header(target: LightBlock, trusted: LightBlock, chain_id: str) -> AnyMessage:
    """A header for MsgUpdateClient.

    Args:
        target: the block to make known.
        trusted: the block one above the trusted height: its validators are those the client trusts.
        chain_id: the chain of both.
    """
    header = tendermint_pb2.Header(
        signed_header=signed_header(target),
        validator_set=validator_pb2.ValidatorSet.FromString(target.validators),
        trusted_validators=validator_pb2.ValidatorSet.FromString(trusted.validators),
    )
    header.trusted_height.revision_number = revision_of(chain_id)
    header.trusted_height.revision_height = trusted.height - 1
    return pack(header)


def signed_header(block: LightBlock) -> types_pb2.SignedHeader:
    """The block's header and commit."""
    return types_pb2.SignedHeader.FromString(block.signed_header)


def is_trusted(target: LightBlock, trusted: LightBlock, level: tuple[int, int]) -> bool:
    """Whether the trusted validators who signed `target` hold more than `level` of the trusted power.

    Signatures are not checked here: the client does that. This spares a transaction that it would refuse.
    """
    if target.validators == trusted.validators:
        return True
    commit = signed_header(target).commit
    signed = {
        signature.validator_address
        for signature in commit.signatures
        if signature.block_id_flag == validator_pb2.BLOCK_ID_FLAG_COMMIT
    }
    validators = validator_pb2.ValidatorSet.FromString(trusted.validators).validators
    power = sum(validator.voting_power for validator in validators)
    agreed = sum(validator.voting_power for validator in validators if validator.address in signed)
    return agreed * level[1] > power * level[0]


def _step(level: TrustLevel, target: ChainEndpoint, trusted: int, step: int) -> int:
    """The highest header that the validators above `trusted` vouch for, by halving the way."""
    above = target.light_block(trusted + 1)
    while step > trusted + 1 and not is_trusted(target.light_block(step), above, level):
        step = trusted + (step - trusted) // 2
    return step


def _own(given: Given, target: ChainEndpoint, newest: int) -> LightBlock:
    return target.light_block(min(newest, given.height.revision_height))


def _header(given: Given) -> tendermint_pb2.Header:
    return tendermint_pb2.Header.FromString(given.message.value)


def _client_state(packed: AnyMessage) -> ClientState:
    _require(packed, codec.CLIENT_STATE_TYPE_URL)
    return codec.decode_client_state(packed.value)


def _consensus_state(packed: AnyMessage) -> ConsensusState:
    _require(packed, codec.CONSENSUS_STATE_TYPE_URL)
    return codec.decode_consensus_state(packed.value)


def _require(packed: AnyMessage, type_url: str) -> None:
    if packed.type_url != type_url:
        raise ValueError(f"{packed.type_url[:64]!r}, expected {type_url!r}")
