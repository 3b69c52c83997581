"""The bytes of client and consensus states: inside an Any, and as an Any in the store."""

from typing import TypeVar, cast

from google.protobuf.message import DecodeError, Message

from ibc_core.any_message import AnyMessage
from ibc_core.errors import IbcError, InvalidClient, InvalidConsensus, TxDecode
from ibc_core.height import Height
from ibc_core.kept import kept
from ibc_core.numbers import MAX_I64
from ibc_core.proofs import SDK_SPECS, InnerSpec, LeafOp, ProofSpec
from ibc_core.wire.anys import decode_any, encode_any
from ibc_core.wire.encoding import encode
from ibc_core.wire.gotime import GO_ZERO_TIME_NS, NANOSECONDS
from ibc_proto.cosmos.ics23.v1 import proofs_pb2
from ibc_proto.google.protobuf.duration_pb2 import Duration
from ibc_proto.ibc.core.client.v1 import client_pb2
from ibc_proto.ibc.core.commitment.v1 import commitment_pb2
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from light_client.tendermint.codec import timestamp_from, timestamp_to
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.voting import TrustLevel


def proof_spec_from(message: proofs_pb2.ProofSpec) -> ProofSpec:
    """The value of a parsed `ProofSpec`."""
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
    """The message of a proof specification."""
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

_MAX_DURATION_SECONDS = 315_576_000_000

_M = TypeVar("_M", bound=Message)


def decode_client_state(raw: bytes) -> ClientState:
    """The client state in an Any's bytes.

    Raises:
        InvalidClient: they do not decode.
        TxDecode: a period is no duration, which Go's decoder of transactions sees already.
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
    """The bytes of a client state, as they stand in its Any."""
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
    """The consensus state in an Any's bytes.

    Raises:
        InvalidConsensus: they do not decode.
        TxDecode: the time is no timestamp, which Go's decoder of transactions sees already.
    """
    message = _parse(tendermint_pb2.ConsensusState, raw, InvalidConsensus("malformed consensus state"))
    time_ns = timestamp_from(message.timestamp) if message.HasField("timestamp") else GO_ZERO_TIME_NS
    if time_ns is None:
        raise TxDecode("consensus state: not a timestamp")
    return ConsensusState(time_ns, message.root.hash, message.next_validators_hash)


def encode_consensus_state(state: ConsensusState) -> bytes:
    """The bytes of a consensus state, as they stand in its Any."""
    return encode(
        tendermint_pb2.ConsensusState(
            timestamp=timestamp_to(state.time_ns),
            root=commitment_pb2.MerkleRoot(hash=state.root),
            next_validators_hash=state.next_validators_hash,
        )
    )


@kept(256, shared=SDK_SPECS)  # which to weigh costs more than to decode the rest
def load_client_state(stored: bytes) -> ClientState:
    """The client state that stands in the store as an Any.

    Raises:
        InvalidClient, UnpackAny: something else stands there.
    """
    packed = decode_any(stored)
    if packed.type_url != CLIENT_STATE_TYPE_URL:
        raise InvalidClient(f"stored as {packed.type_url[:100]!a}")
    return decode_client_state(packed.value)


@kept(2048)
def load_consensus_state(stored: bytes) -> ConsensusState:
    """The consensus state that stands in the store as an Any.

    Raises:
        InvalidConsensus, UnpackAny: something else stands there.
    """
    packed = decode_any(stored)
    if packed.type_url != CONSENSUS_STATE_TYPE_URL:
        raise InvalidConsensus(f"stored as {packed.type_url[:100]!a}")
    return decode_consensus_state(packed.value)


def pack_client_state(state: ClientState) -> bytes:
    """The Any that stands in the store for a client state."""
    return encode_any(AnyMessage(CLIENT_STATE_TYPE_URL, encode_client_state(state)))


def pack_consensus_state(state: ConsensusState) -> bytes:
    """The Any that stands in the store for a consensus state."""
    return encode_any(AnyMessage(CONSENSUS_STATE_TYPE_URL, encode_consensus_state(state)))


def _parse(cls: type[_M], raw: bytes, otherwise: IbcError) -> _M:
    try:
        return cls.FromString(raw)
    except DecodeError:
        raise otherwise from None


def _height_from(message: client_pb2.Height) -> Height:
    return Height(message.revision_number, message.revision_height)


_SDK_SPECS = [proof_spec_to(spec) for spec in SDK_SPECS]  # nearly every client's; copied, never changed


def _specs_to(specs: tuple[ProofSpec, ...]) -> list[proofs_pb2.ProofSpec]:
    return _SDK_SPECS if specs == SDK_SPECS else [proof_spec_to(spec) for spec in specs]


def _specs_from(message: tendermint_pb2.ClientState) -> tuple[ProofSpec, ...]:
    if message.proof_specs == _SDK_SPECS:
        return SDK_SPECS
    specs = tuple([proof_spec_from(spec) for spec in message.proof_specs])
    return SDK_SPECS if specs == SDK_SPECS else specs


def _duration_from(duration: Duration, field: str) -> int:
    seconds, nanos = duration.seconds, duration.nanos
    total = seconds * NANOSECONDS + nanos
    in_range = abs(seconds) <= _MAX_DURATION_SECONDS and abs(nanos) < NANOSECONDS and abs(total) <= MAX_I64
    if not in_range or seconds * nanos < 0:
        raise TxDecode(f"client state: {field} is not a duration")
    return total


def _duration_to(length_ns: int) -> Duration:
    sign = -1 if length_ns < 0 else 1
    seconds, nanos = divmod(abs(length_ns), NANOSECONDS)
    return Duration(seconds=sign * seconds, nanos=sign * nanos)
