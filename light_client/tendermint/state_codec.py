"""Encodings of client and consensus states, as the value of an Any and as a stored Any."""

from typing import TypeVar, cast

from google.protobuf.message import DecodeError, Message

from light_client.tendermint.codec import timestamp_from, timestamp_to
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage, decode_any, encode_any
from pyibc.codec.encoding import encode
from pyibc.codec.gotime import GO_ZERO_TIME_NS, NANOSECONDS, duration_ns
from pyibc.core.errors import IbcError, InvalidClient, InvalidConsensus, TxDecode
from pyibc.core.height import Height
from pyibc.core.memo import memoize
from pyibc.core.proofs import SDK_SPECS, InnerSpec, LeafOp, ProofSpec
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.google.protobuf.duration_pb2 import Duration
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.ibc.core.commitment.v1 import commitment_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2


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
