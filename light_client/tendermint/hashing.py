"""CometBFT's hashes and sign bytes, for creating and for verifying headers.

Sources: CometBFT `types/block.go`, `types/vote.go`, `types/canonical.go`, `crypto/merkle` (RFC 6962).
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from light_client.tendermint.encoding import (
    bytes_field,
    length_prefixed,
    merkle_root,
    message_field,
    root_of,
    sfixed64_field,
    timestamp,
    varint_field,
)
from light_client.tendermint.types import (
    PRECOMMIT,
    BlockId,
    Commit,
    CommitSig,
    Header,
    Validator,
    ValidatorSet,
    validator_leaf,
)
from pyibc.proto.varint import encode_varint


def header_hash(header: Header) -> bytes:
    """Return the hash of a header; empty if it has no validators hash, as in CometBFT."""
    if not header.validators_hash:
        return b""
    return merkle_root(
        (
            varint_field(1, header.version_block) + varint_field(2, header.version_app),
            bytes_field(1, header.chain_id.encode()),
            varint_field(1, header.height),
            timestamp(header.time_ns),
            encode_block_id(header.last_block_id),
            bytes_field(1, header.last_commit_hash),
            bytes_field(1, header.data_hash),
            bytes_field(1, header.validators_hash),
            bytes_field(1, header.next_validators_hash),
            bytes_field(1, header.consensus_hash),
            bytes_field(1, header.app_hash),
            bytes_field(1, header.last_results_hash),
            bytes_field(1, header.evidence_hash),
            bytes_field(1, header.proposer_address),
        )
    )


def encode_block_id(block_id: BlockId) -> bytes:
    """Return the encoding of a `BlockID` or `CanonicalBlockID`; the part set header is always written."""
    parts = varint_field(1, block_id.part_set_total) + bytes_field(2, block_id.part_set_hash)
    return bytes_field(1, block_id.hash) + message_field(2, parts)


def validator_set_hash(validators: ValidatorSet | Sequence[Validator]) -> bytes:
    """Return a header's `validators_hash`, of keys and powers in the order given."""
    if isinstance(validators, ValidatorSet):
        return validators.hash
    return root_of([validator_leaf(one.key_type, one.public_key, one.power) for one in validators])


def commit_hash(commit: Commit) -> bytes:
    """Return the next header's `last_commit_hash`."""
    return merkle_root([encode_commit_sig(sig) for sig in commit.signatures])


def encode_commit_sig(sig: CommitSig) -> bytes:
    """Return the encoding of a `CommitSig`."""
    return (
        varint_field(1, sig.flag)
        + bytes_field(2, sig.validator_address)
        + message_field(3, timestamp(sig.time_ns))
        + bytes_field(4, sig.signature)
    )


def data_hash(txs: Iterable[bytes]) -> bytes:
    """Return a header's `data_hash`, of the hashes of the block's transactions."""
    return merkle_root([sha256(tx).digest() for tx in txs])


def evidence_hash(evidence: Iterable[bytes]) -> bytes:
    """Return a header's `evidence_hash`, of encoded evidence."""
    return merkle_root(evidence)


class TxResult(NamedTuple):
    """The deterministic fields of an ExecTxResult, which are hashed."""

    code: int
    data: bytes
    gas_wanted: int
    gas_used: int


def results_hash(results: Iterable[TxResult]) -> bytes:
    """Return the next header's `last_results_hash`."""
    return merkle_root(
        varint_field(1, result.code)
        + bytes_field(2, result.data)
        + varint_field(5, result.gas_wanted)
        + varint_field(6, result.gas_used)
        for result in results
    )


def consensus_params_hash(block_max_bytes: int, block_max_gas: int) -> bytes:
    """Return a header's `consensus_hash` (`HashedParams`)."""
    return sha256(varint_field(1, block_max_bytes) + varint_field(2, block_max_gas)).digest()


def vote_sign_bytes(
    chain_id: str, kind: int, height: int, vote_round: int, block_id: BlockId, time_ns: int
) -> bytes:
    """Return the sign bytes of a vote (`CanonicalVote`); a zero block id is a vote for nil."""
    before, after = _vote_frame(chain_id, kind, height, vote_round, block_id)
    return length_prefixed(before + message_field(5, timestamp(time_ns)) + after)


def commit_sign_bytes(chain_id: str, commit: Commit) -> Callable[[CommitSig], bytes]:
    """Return the function from a vote for the commit's block to its sign bytes; only the time differs."""
    before, after = _vote_frame(chain_id, PRECOMMIT, commit.height, commit.round, commit.block_id)
    fixed = len(before) + len(after) + 2

    def sign_bytes(sig: CommitSig) -> bytes:
        time = timestamp(sig.time_ns)
        return b"%b%b\x2a%c%b%b" % (encode_varint(fixed + len(time)), before, len(time), time, after)

    return sign_bytes


def _vote_frame(
    chain_id: str, kind: int, height: int, vote_round: int, block_id: BlockId
) -> tuple[bytes, bytes]:
    before = varint_field(1, kind) + sfixed64_field(2, height) + sfixed64_field(3, vote_round)
    if not block_id.is_zero:
        before += message_field(4, encode_block_id(block_id))
    return before, bytes_field(6, chain_id.encode())
