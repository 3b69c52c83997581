"""Conversion of headers, commits and validator sets between protobuf and values."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from google.protobuf.message import DecodeError, Message

from light_client.tendermint.types import (
    ABSENT,
    ED25519,
    FLAG_ABSENT,
    MAX_VALIDATORS,
    SECP256K1,
    BlockId,
    ClientHeader,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    UnreadableSet,
    Validator,
    ValidatorSet,
)
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.codec.gogoproto import check_times
from pyibc.codec.gotime import GO_ZERO_SECONDS, GO_ZERO_TIME_NS, NANOSECONDS, is_timestamp
from pyibc.core.errors import (
    IbcError,
    InvalidClientHeader,
    MalformedCommit,
    MalformedValidatorSet,
    TxDecode,
    UnpackAny,
)
from pyibc.core.height import Height
from pyibc.proto.google.protobuf.timestamp_pb2 import Timestamp
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import types_pb2, validator_pb2

HEADER_TYPE_URL = "/ibc.lightclients.tendermint.v1.Header"
MISBEHAVIOUR_TYPE_URL = "/ibc.lightclients.tendermint.v1.Misbehaviour"


def decode_client_header(raw: bytes) -> ClientHeader:
    """Return the ICS-7 `Header` encoded in a client message.

    Raises:
        UnpackAny: the bytes are malformed.
        InvalidClientHeader: a field is missing.
        MalformedCommit: there are more votes than CometBFT allows validators.
        TxDecode: a timestamp is invalid.
    """
    try:
        message = tendermint_pb2.Header.FromString(raw)
    except DecodeError:
        raise UnpackAny(HEADER_TYPE_URL, "malformed") from None
    with times_come_first(message, message):
        return client_header_from(message)


@contextmanager
def times_come_first(message: Message, *headers: tendermint_pb2.Header) -> Iterator[None]:
    """Give errors of invalid timestamps precedence over others in a `with` block, as Go's decoder does.

    Raises:
        TxDecode: a timestamp is invalid. Timestamps are not checked if a header has too many votes.
    """
    try:
        yield
    except TxDecode:
        raise
    except IbcError:
        # guard: times-of-headers-come-later test_an_impossible_time_comes_before_all_else
        if all(len(each.signed_header.commit.signatures) <= MAX_VALIDATORS for each in headers):
            check_times(message)
        raise


def client_header_from(message: tendermint_pb2.Header) -> ClientHeader:
    """Return the value of an ICS-7 `Header` message; raises as `decode_client_header`."""
    signed = message.signed_header
    for owner, field in ((message, "signed_header"), (signed, "header"), (signed, "commit")):
        if not owner.HasField(field):
            raise InvalidClientHeader(f"{field} is nil")
    own = _validator_set(message.validator_set) if message.HasField("validator_set") else _NO_VALIDATORS
    trusted = None
    if message.HasField("trusted_validators"):
        # The trusted validators of an adjacent header are its own set.
        is_own = own is not _NO_VALIDATORS and message.trusted_validators == message.validator_set
        trusted = own if is_own else _validator_set(message.trusted_validators)
    return ClientHeader(
        header_from(signed.header),
        commit_from(signed.commit),
        own,
        Height(message.trusted_height.revision_number, message.trusted_height.revision_height),
        trusted,
    )


_NO_VALIDATORS = UnreadableSet(InvalidClientHeader("validator_set is nil"))


def _validator_set(message: validator_pb2.ValidatorSet) -> ValidatorSet:
    try:
        return validator_set_from(message)
    except MalformedValidatorSet as error:
        return UnreadableSet(error)


def header_from(message: types_pb2.Header) -> Header:
    """Return the value of a `Header` message.

    Raises:
        TxDecode: the timestamp is invalid, which Go's transaction decoder reports.
    """
    time_ns = _time_of(message)
    if time_ns is None:
        raise TxDecode("header: time is not a timestamp")
    return Header(
        message.chain_id,
        message.height,
        time_ns,
        block_id_from(message.last_block_id),
        message.last_commit_hash,
        message.data_hash,
        message.validators_hash,
        message.next_validators_hash,
        message.consensus_hash,
        message.app_hash,
        message.last_results_hash,
        message.evidence_hash,
        message.proposer_address,
        message.version.block,
        message.version.app,
    )


def _time_of(message: types_pb2.Header) -> int | None:
    return timestamp_from(message.time) if message.HasField("time") else GO_ZERO_TIME_NS


def timestamp_from(message: Timestamp) -> int | None:
    """Return the Unix nanoseconds of a `Timestamp`; None if it is invalid."""
    seconds, nanos = message.seconds, message.nanos
    return seconds * NANOSECONDS + nanos if is_timestamp(seconds, nanos) else None


def block_id_from(message: types_pb2.BlockID) -> BlockId:
    """Return the value of a `BlockID` message."""
    return BlockId(message.hash, message.part_set_header.total, message.part_set_header.hash)


def commit_from(message: types_pb2.Commit) -> Commit:
    """Return the value of a `Commit` message.

    Raises:
        MalformedCommit: there are more votes than CometBFT allows validators.
        TxDecode: a timestamp is invalid.
    """
    # guard: h61-any-number-of-votes test_h61_a_commit_has_as_many_votes_as_cometbft_has_validators
    if len(message.signatures) > MAX_VALIDATORS:
        raise MalformedCommit("signatures", f"{len(message.signatures)}, more than {MAX_VALIDATORS}")
    return Commit(message.height, message.round, block_id_from(message.block_id), _votes(message.signatures))


def _votes(messages: Sequence[types_pb2.CommitSig]) -> tuple[CommitSig, ...]:
    """Return the values of votes; for speed, one loop with a shared object for absent votes."""
    votes: list[CommitSig] = []
    for message in messages:
        seconds, nanos = GO_ZERO_SECONDS, 0
        if message.HasField("timestamp"):
            time = message.timestamp
            seconds, nanos = time.seconds, time.nanos
            if not is_timestamp(seconds, nanos):
                raise TxDecode(f"commit: time of signature {len(votes)} is not a timestamp")
        flag, address, signature = message.block_id_flag, message.validator_address, message.signature
        if flag == FLAG_ABSENT and seconds == GO_ZERO_SECONDS and not (nanos or address or signature):
            votes.append(ABSENT)
        else:
            votes.append(CommitSig(flag, address, seconds * NANOSECONDS + nanos, signature))
    return tuple(votes)


def validator_set_from(message: validator_pb2.ValidatorSet) -> ValidatorSet:
    """Return the value of a `ValidatorSet` message; the total power is computed, not read.

    Raises:
        MalformedValidatorSet: the set is empty or too large, has no proposer, or a validator is invalid.
    """
    if len(message.validators) > MAX_VALIDATORS:
        raise MalformedValidatorSet("validators", f"{len(message.validators)}, more than {MAX_VALIDATORS}")
    if not message.validators:
        raise MalformedValidatorSet("validators", "none")
    if not message.HasField("proposer"):
        raise MalformedValidatorSet("proposer", "missing")
    return ValidatorSet(
        [_validator_from(member) for member in message.validators], _validator_from(message.proposer)
    )


def _validator_from(message: validator_pb2.Validator) -> Validator:
    key = message.pub_key
    public_key, kind = key.ed25519, ED25519
    if not public_key:  # nearly all have one
        kind = key.WhichOneof("sum") or ""
        if kind not in (ED25519, SECP256K1):
            raise MalformedValidatorSet("pub_key", "missing or of an unknown type")
        public_key = key.ed25519 if kind == ED25519 else key.secp256k1
    return Validator(message.address, kind, public_key, message.voting_power, message.proposer_priority)


def encode_client_header(client_header: ClientHeader) -> bytes:
    """Return the encoding of an ICS-7 `Header`, the value of its Any."""
    return encode(client_header_to(client_header))


def pack_client_header(client_header: ClientHeader) -> AnyMessage:
    """Return the client message of an ICS-7 header."""
    return AnyMessage(HEADER_TYPE_URL, encode_client_header(client_header))


def client_header_to(value: ClientHeader) -> tendermint_pb2.Header:
    """Return the protobuf message of an ICS-7 header."""
    message = tendermint_pb2.Header(
        signed_header=types_pb2.SignedHeader(header=header_to(value.header), commit=commit_to(value.commit)),
        validator_set=validator_set_to(value.validator_set),
    )
    message.trusted_height.revision_number = value.trusted_height.revision_number
    message.trusted_height.revision_height = value.trusted_height.revision_height
    if value.trusted_validators is not None:
        message.trusted_validators.CopyFrom(validator_set_to(value.trusted_validators))
    return message


def encode_signed_header(signed: SignedHeader) -> bytes:
    """Return the encoded `tendermint.types.SignedHeader`, for relayers."""
    return encode(types_pb2.SignedHeader(header=header_to(signed.header), commit=commit_to(signed.commit)))


def encode_validator_set(validators: ValidatorSet) -> bytes:
    """Return the encoded `tendermint.types.ValidatorSet`, for relayers."""
    return encode(validator_set_to(validators))


def header_to(value: Header) -> types_pb2.Header:
    """Return the protobuf message of a header."""
    message = types_pb2.Header(
        chain_id=value.chain_id,
        height=value.height,
        time=timestamp_to(value.time_ns),
        last_block_id=block_id_to(value.last_block_id),
        last_commit_hash=value.last_commit_hash,
        data_hash=value.data_hash,
        validators_hash=value.validators_hash,
        next_validators_hash=value.next_validators_hash,
        consensus_hash=value.consensus_hash,
        app_hash=value.app_hash,
        last_results_hash=value.last_results_hash,
        evidence_hash=value.evidence_hash,
        proposer_address=value.proposer_address,
    )
    message.version.block, message.version.app = value.version_block, value.version_app
    return message


def timestamp_to(time_ns: int) -> Timestamp:
    """Return the protobuf message of Unix nanoseconds."""
    seconds, nanos = divmod(time_ns, NANOSECONDS)
    return Timestamp(seconds=seconds, nanos=nanos)


def block_id_to(value: BlockId) -> types_pb2.BlockID:
    """Return the protobuf message of a block id."""
    parts = types_pb2.PartSetHeader(total=value.part_set_total, hash=value.part_set_hash)
    return types_pb2.BlockID(hash=value.hash, part_set_header=parts)


def commit_to(value: Commit) -> types_pb2.Commit:
    """Return the protobuf message of a commit."""
    message = types_pb2.Commit(height=value.height, round=value.round, block_id=block_id_to(value.block_id))
    for sig in value.signatures:
        entry = message.signatures.add(
            validator_address=sig.validator_address,
            timestamp=timestamp_to(sig.time_ns),
            signature=sig.signature,
        )
        entry.block_id_flag = cast("validator_pb2.BlockIDFlag", sig.flag)
    return message


def validator_set_to(value: ValidatorSet) -> validator_pb2.ValidatorSet:
    """Return the protobuf message of a validator set; the default proposer is the first validator."""
    message = validator_pb2.ValidatorSet(
        validators=[_validator_to(member) for member in value.validators],
        total_voting_power=value.total_power,
    )
    if value.validators:
        message.proposer.CopyFrom(_validator_to(value.proposer or value.validators[0]))
    return message


def _validator_to(member: Validator) -> validator_pb2.Validator:
    message = validator_pb2.Validator(
        address=member.address, voting_power=member.power, proposer_priority=member.priority
    )
    if member.key_type == SECP256K1:
        message.pub_key.secp256k1 = member.public_key
    else:
        message.pub_key.ed25519 = member.public_key
    return message
