"""Client and consensus states of `07-tendermint` (ICS-7): encodings, and stateless checks."""

from typing import NamedTuple, TypeVar, cast

from google.protobuf.message import DecodeError, Message

from light_client.tendermint.codec import timestamp_from, timestamp_to
from light_client.tendermint.types import HASH_SIZE, MAX_CHAIN_ID
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage, decode_any, encode_any
from pyibc.codec.encoding import encode
from pyibc.codec.gotime import GO_ZERO_TIME_NS, NANOSECONDS, duration_ns
from pyibc.core.errors import (
    IbcError,
    InvalidClient,
    InvalidConsensus,
    InvalidHeaderHeight,
    InvalidMaxClockDrift,
    InvalidProofSpecs,
    InvalidSubstitute,
    InvalidTendermintChainId,
    InvalidTrustingPeriod,
    InvalidTrustLevel,
    InvalidUnbondingPeriod,
    TxDecode,
)
from pyibc.core.height import ZERO_HEIGHT, Height, has_readable_revision, revision_of
from pyibc.core.identifiers import GO_SPACES
from pyibc.core.memo import memoize
from pyibc.core.numbers import MAX_U64
from pyibc.core.proofs import SDK_SPECS, InnerSpec, LeafOp, ProofSpec
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.google.protobuf.duration_pb2 import Duration
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.ibc.core.commitment.v1 import commitment_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2

FROZEN_HEIGHT = Height(0, 1)
"""Value of a frozen client's `frozen_height`, which is only a flag."""

SENTINEL_ROOT = b"sentinel_root"
"""Root of the consensus state written by an upgrade, against which no proof can verify."""

MAX_PROOF_SPECS = 16
"""Maximum number of proof specifications; SDK chains have two."""
MAX_CHILDREN = 256
"""Maximum number of children in a specification; existing trees have two."""
MAX_PROOF_DEPTH = 1024
"""Maximum depth in a specification; sparse Merkle trees have 256."""

DEFAULT_TRUST_LEVEL = TrustLevel(1, 3)


class ClientState(NamedTuple):
    """ICS-7 client state, with periods in nanoseconds."""

    chain_id: str
    trust_level: TrustLevel
    trusting_period_ns: int
    unbonding_period_ns: int
    max_clock_drift_ns: int
    latest_height: Height
    frozen_height: Height = ZERO_HEIGHT
    proof_specs: tuple[ProofSpec, ...] = SDK_SPECS
    upgrade_path: tuple[str, ...] = ("upgrade", "upgradedIBCState")
    allow_update_after_expiry: bool = False  # deprecated and without effect, but part of the encoding
    allow_update_after_misbehaviour: bool = False  # likewise


class ConsensusState(NamedTuple):
    """ICS-7 consensus state of one height."""

    time_ns: int
    root: bytes
    next_validators_hash: bytes


def check_client_state(state: ClientState) -> None:
    """Run the stateless checks of a client state, in the order of ibc-go's `ClientState.Validate`.

    Raises:
        TendermintError, InvalidClient: a field is invalid.
    """
    size = len(state.chain_id.encode())
    if not state.chain_id.strip(GO_SPACES) or size > MAX_CHAIN_ID:
        raise InvalidTendermintChainId(state.chain_id[:64], f"1 to {MAX_CHAIN_ID} bytes, not blank")
    _check_trust_level(state.trust_level)
    trusting, unbonding = state.trusting_period_ns, state.unbonding_period_ns
    if trusting <= 0:
        raise InvalidTrustingPeriod(trusting, unbonding)
    if unbonding <= 0:
        raise InvalidUnbondingPeriod(unbonding)
    if state.max_clock_drift_ns <= 0:
        raise InvalidMaxClockDrift(state.max_clock_drift_ns)
    _check_latest_height(state)
    if trusting >= unbonding:
        raise InvalidTrustingPeriod(trusting, unbonding)
    _check_proof_specs(state.proof_specs)
    if any(not key.strip(GO_SPACES) for key in state.upgrade_path):
        raise InvalidClient("blank key in the upgrade path")


def _check_trust_level(level: TrustLevel) -> None:
    numerator, denominator = level
    # Go multiplies in 64 bits, with overflow.
    if (numerator * 3 & MAX_U64) < denominator or numerator > denominator or not denominator:
        raise InvalidTrustLevel(numerator, denominator)


def _check_latest_height(state: ClientState) -> None:
    if not has_readable_revision(state.chain_id):
        raise InvalidTendermintChainId(state.chain_id, "a revision of 64 bits").as_panic()
    revision = revision_of(state.chain_id)
    if state.latest_height.revision_number != revision:
        raise InvalidHeaderHeight(f"latest height {state.latest_height} is not of revision {revision}")
    if not state.latest_height.revision_height:
        raise InvalidHeaderHeight("latest height is zero")


def _check_proof_specs(specs: tuple[ProofSpec, ...]) -> None:
    """Check that specifications bound the cost of proofs.

    A specification without leaf or inner part, or with unbounded sizes, is accepted, as by ibc-go: only
    proofs of a single leaf can conform to it (`pyibc/core/proofs/verify.py`).
    """
    if not specs:
        raise InvalidProofSpecs("none")
    if len(specs) > MAX_PROOF_SPECS:
        raise InvalidProofSpecs(f"{len(specs)}, more than {MAX_PROOF_SPECS}")
    for index, spec in enumerate(specs):
        # guard: h61-any-number-of-children test_h61_client_states_that_cannot_be
        if spec.inner_spec is not None and len(spec.inner_spec.child_order) > MAX_CHILDREN:
            raise InvalidProofSpecs(f"{index} has more than {MAX_CHILDREN} children")
        if max(spec.max_depth, spec.min_depth) > MAX_PROOF_DEPTH:
            raise InvalidProofSpecs(f"{index} has a depth of more than {MAX_PROOF_DEPTH}")


def check_consensus_state(state: ConsensusState) -> None:
    """Run the stateless checks of a consensus state (ibc-go `ConsensusState.ValidateBasic`).

    Raises:
        InvalidConsensus: a field is invalid.
    """
    if not state.root:
        raise InvalidConsensus("root cannot be empty")
    if len(state.root) != HASH_SIZE and state.root != SENTINEL_ROOT:
        raise InvalidConsensus(f"root of {len(state.root)} bytes, expected 32")
    if len(state.next_validators_hash) not in (0, HASH_SIZE):
        raise InvalidConsensus(
            f"next validators hash of {len(state.next_validators_hash)} bytes, expected 0 or 32"
        )
    if state.time_ns < NANOSECONDS:
        raise InvalidConsensus("timestamp must be a positive unix time")


# -- recovery by a substitute (ibc-go `proposal_handle.go`)


def recovered(subject: ClientState, substitute: ClientState) -> ClientState:
    """Return the recovered client state: unfrozen, with height, chain id and trusting period of `substitute`.

    Raises:
        InvalidSubstitute: the client states differ in a parameter that recovery must not change.
    """
    if _parameters(subject) != _parameters(substitute):
        raise InvalidSubstitute("subject client state does not match substitute client state")
    return subject._replace(
        chain_id=substitute.chain_id,
        latest_height=substitute.latest_height,
        trusting_period_ns=substitute.trusting_period_ns,
        frozen_height=ZERO_HEIGHT,
    )


def _parameters(state: ClientState) -> ClientState:
    return state._replace(
        chain_id="",
        latest_height=ZERO_HEIGHT,
        frozen_height=ZERO_HEIGHT,
        trusting_period_ns=0,
        allow_update_after_expiry=True,
        allow_update_after_misbehaviour=True,
    )


def proof_spec_from(message: proofs_pb2.ProofSpec) -> ProofSpec:
    """Return the value of a `ProofSpec` message."""
    return ProofSpec(
        _leaf_from(message.leaf_spec) if message.HasField("leaf_spec") else None,
        _inner_from(message.inner_spec) if message.HasField("inner_spec") else None,
        message.max_depth,
        message.min_depth,
        message.prehash_key_before_comparison,
    )


def _leaf_from(message: proofs_pb2.LeafOp) -> LeafOp:
    return LeafOp(message.hash, message.prehash_key, message.prehash_value, message.length, message.prefix)


def _inner_from(message: proofs_pb2.InnerSpec) -> InnerSpec:
    return InnerSpec(
        tuple(message.child_order),
        message.child_size,
        message.min_prefix_length,
        message.max_prefix_length,
        message.empty_child,
        message.hash,
    )


def proof_spec_to(spec: ProofSpec) -> proofs_pb2.ProofSpec:
    """Return the protobuf message of a proof specification."""
    message = proofs_pb2.ProofSpec(
        max_depth=spec.max_depth,
        min_depth=spec.min_depth,
        prehash_key_before_comparison=spec.prehash_key_before_comparison,
    )
    if spec.leaf_spec is not None:
        message.leaf_spec.CopyFrom(_leaf_to(spec.leaf_spec))
    if spec.inner_spec is not None:
        message.inner_spec.CopyFrom(_inner_to(spec.inner_spec))
    return message


def _leaf_to(leaf: LeafOp) -> proofs_pb2.LeafOp:
    return proofs_pb2.LeafOp(
        hash=cast("proofs_pb2.HashOp", leaf.hash),
        prehash_key=cast("proofs_pb2.HashOp", leaf.prehash_key),
        prehash_value=cast("proofs_pb2.HashOp", leaf.prehash_value),
        length=cast("proofs_pb2.LengthOp", leaf.length),
        prefix=leaf.prefix,
    )


def _inner_to(shape: InnerSpec) -> proofs_pb2.InnerSpec:
    return proofs_pb2.InnerSpec(
        child_order=shape.child_order,
        child_size=shape.child_size,
        min_prefix_length=shape.min_prefix_length,
        max_prefix_length=shape.max_prefix_length,
        empty_child=shape.empty_child,
        hash=cast("proofs_pb2.HashOp", shape.hash),
    )


CLIENT_STATE_TYPE_URL = "/ibc.lightclients.tendermint.v1.ClientState"
CONSENSUS_STATE_TYPE_URL = "/ibc.lightclients.tendermint.v1.ConsensusState"

_M = TypeVar("_M", bound=Message)


def decode_client_state(raw: bytes) -> ClientState:
    """Return the client state encoded in an Any's value.

    Raises:
        InvalidClient: the bytes are malformed.
        TxDecode: a duration is invalid, which Go's transaction decoder reports.
    """
    message = _parse(tendermint_pb2.ClientState, raw, InvalidClient("malformed client state"))
    return ClientState(
        message.chain_id,
        TrustLevel(message.trust_level.numerator, message.trust_level.denominator),
        _duration_from(message.trusting_period, "trusting_period"),
        _duration_from(message.unbonding_period, "unbonding_period"),
        _duration_from(message.max_clock_drift, "max_clock_drift"),
        _height_from(message.latest_height),
        _height_from(message.frozen_height),
        _specs_from(message),
        tuple(message.upgrade_path),
        message.allow_update_after_expiry,
        message.allow_update_after_misbehaviour,
    )


def encode_client_state(state: ClientState) -> bytes:
    """Return the encoding of a client state, the value of its Any."""
    message = tendermint_pb2.ClientState(
        chain_id=state.chain_id,
        trusting_period=_duration_to(state.trusting_period_ns),
        unbonding_period=_duration_to(state.unbonding_period_ns),
        max_clock_drift=_duration_to(state.max_clock_drift_ns),
        frozen_height=client_pb2.Height(**state.frozen_height._asdict()),
        latest_height=client_pb2.Height(**state.latest_height._asdict()),
        proof_specs=_specs_to(state.proof_specs),
        upgrade_path=state.upgrade_path,
        allow_update_after_expiry=state.allow_update_after_expiry,
        allow_update_after_misbehaviour=state.allow_update_after_misbehaviour,
    )
    message.trust_level.numerator, message.trust_level.denominator = state.trust_level
    return encode(message)


def decode_consensus_state(raw: bytes) -> ConsensusState:
    """Return the consensus state encoded in an Any's value.

    Raises:
        InvalidConsensus: the bytes are malformed.
        TxDecode: the timestamp is invalid, which Go's transaction decoder reports.
    """
    message = _parse(tendermint_pb2.ConsensusState, raw, InvalidConsensus("malformed consensus state"))
    time_ns = timestamp_from(message.timestamp) if message.HasField("timestamp") else GO_ZERO_TIME_NS
    if time_ns is None:
        raise TxDecode("consensus state: not a timestamp")
    return ConsensusState(time_ns, message.root.hash, message.next_validators_hash)


def encode_consensus_state(state: ConsensusState) -> bytes:
    """Return the encoding of a consensus state, the value of its Any."""
    return encode(
        tendermint_pb2.ConsensusState(
            timestamp=timestamp_to(state.time_ns),
            root=commitment_pb2.MerkleRoot(hash=state.root),
            next_validators_hash=state.next_validators_hash,
        )
    )


@memoize(256, shared=SDK_SPECS)  # weighing them would cost more than decoding the rest
def load_client_state(stored: bytes) -> ClientState:
    """Return the client state in a stored Any.

    Raises:
        InvalidClient, UnpackAny: the Any has another type or is malformed.
    """
    packed = decode_any(stored)
    if packed.type_url != CLIENT_STATE_TYPE_URL:
        raise InvalidClient(f"stored as {packed.type_url[:100]!a}")
    return decode_client_state(packed.value)


@memoize(2048)
def load_consensus_state(stored: bytes) -> ConsensusState:
    """Return the consensus state in a stored Any.

    Raises:
        InvalidConsensus, UnpackAny: the Any has another type or is malformed.
    """
    packed = decode_any(stored)
    if packed.type_url != CONSENSUS_STATE_TYPE_URL:
        raise InvalidConsensus(f"stored as {packed.type_url[:100]!a}")
    return decode_consensus_state(packed.value)


def pack_client_state(state: ClientState) -> bytes:
    """Return the Any of a client state to store."""
    return encode_any(AnyMessage(CLIENT_STATE_TYPE_URL, encode_client_state(state)))


def pack_consensus_state(state: ConsensusState) -> bytes:
    """Return the Any of a consensus state to store."""
    return encode_any(AnyMessage(CONSENSUS_STATE_TYPE_URL, encode_consensus_state(state)))


def _parse(cls: type[_M], raw: bytes, otherwise: IbcError) -> _M:
    try:
        return cls.FromString(raw)
    except DecodeError:
        raise otherwise from None


def _height_from(message: client_pb2.Height) -> Height:
    return Height(message.revision_number, message.revision_height)


_SDK_SPECS = [proof_spec_to(spec) for spec in SDK_SPECS]  # of nearly all clients; protobuf copies it


def _specs_to(specs: tuple[ProofSpec, ...]) -> list[proofs_pb2.ProofSpec]:
    return _SDK_SPECS if specs == SDK_SPECS else [proof_spec_to(spec) for spec in specs]


def _specs_from(message: tendermint_pb2.ClientState) -> tuple[ProofSpec, ...]:
    if message.proof_specs == _SDK_SPECS:
        return SDK_SPECS
    specs = tuple([proof_spec_from(spec) for spec in message.proof_specs])
    return SDK_SPECS if specs == SDK_SPECS else specs


def _duration_from(duration: Duration, field: str) -> int:
    total = duration_ns(duration.seconds, duration.nanos)
    if total is None:
        raise TxDecode(f"client state: {field} is not a duration")
    return total


def _duration_to(length_ns: int) -> Duration:
    sign = -1 if length_ns < 0 else 1
    seconds, nanos = divmod(abs(length_ns), NANOSECONDS)
    return Duration(seconds=sign * seconds, nanos=sign * nanos)
