"""Whether headers and commits are well-formed by themselves (CometBFT `ValidateBasic`)."""

from ibc_core.errors import MalformedCommit, MalformedHeader
from ibc_core.wire.gotime import GO_ZERO_TIME_NS
from light_client.tendermint.types import (
    BLOCK_PROTOCOL,
    FLAG_ABSENT,
    FLAG_COMMIT,
    FLAG_NIL,
    BlockId,
    Commit,
    CommitSig,
    Header,
)

MAX_CHAIN_ID = 50
"""Most bytes of a chain id."""

ADDRESS_SIZE = 20
HASH_SIZE = 32
MAX_SIGNATURE = 96
"""Most bytes of a signature: BLS12-381's, the longest that CometBFT 0.39 knows."""

_HASH_SIZES = "a hash must have 0 or 32 bytes"
_HASHES = (
    "last_commit_hash",
    "data_hash",
    "evidence_hash",
    "validators_hash",
    "next_validators_hash",
    "consensus_hash",
    "last_results_hash",
)  # the app hash is the application's: any length


def check_header(header: Header) -> None:
    """Checks a header by itself.

    Raises:
        MalformedHeader: a field is impossible.
    """
    if header.version_block != BLOCK_PROTOCOL:
        raise MalformedHeader("version", f"block protocol {header.version_block}, expected {BLOCK_PROTOCOL}")
    if len(header.chain_id.encode()) > MAX_CHAIN_ID:
        raise MalformedHeader("chain_id", f"longer than {MAX_CHAIN_ID} bytes")
    if header.height <= 0:
        raise MalformedHeader("height", f"{header.height} is not positive")
    if not _is_block_id(header.last_block_id):
        raise MalformedHeader("last_block_id", _HASH_SIZES)
    for field in _HASHES:
        if not _is_hash(getattr(header, field)):
            raise MalformedHeader(field, _HASH_SIZES)
    if len(header.proposer_address) != ADDRESS_SIZE:
        raise MalformedHeader("proposer_address", f"{len(header.proposer_address)} bytes, expected 20")


def check_commit(commit: Commit) -> None:
    """Checks a commit by itself.

    Raises:
        MalformedCommit: a field is impossible.
    """
    if commit.height < 0 or commit.round < 0:
        raise MalformedCommit("height or round", f"negative: {commit.height}, {commit.round}")
    if not _is_block_id(commit.block_id):
        raise MalformedCommit("block_id", _HASH_SIZES)
    if commit.height >= 1:
        if commit.block_id.is_zero:
            raise MalformedCommit("block_id", "cannot be for nil")
        if not commit.signatures:
            raise MalformedCommit("signatures", "none")
    for index, sig in enumerate(commit.signatures):
        reason = _fault_of(sig)
        if reason:
            raise MalformedCommit(f"signature {index}", reason)


def _fault_of(sig: CommitSig) -> str:
    if sig.flag == FLAG_ABSENT:
        present = sig.validator_address or sig.signature or sig.time_ns != GO_ZERO_TIME_NS
        return "absent, but with address, time or signature" if present else ""
    if sig.flag not in (FLAG_COMMIT, FLAG_NIL):
        return f"unknown flag {sig.flag}"
    if len(sig.validator_address) != ADDRESS_SIZE:
        return f"address of {len(sig.validator_address)} bytes, expected 20"
    if not 0 < len(sig.signature) <= MAX_SIGNATURE:
        return f"signature of {len(sig.signature)} bytes, expected 1 to {MAX_SIGNATURE}"
    return ""


def _is_hash(data: bytes) -> bool:
    return len(data) in (0, HASH_SIZE)


def _is_block_id(block_id: BlockId) -> bool:
    return _is_hash(block_id.hash) and _is_hash(block_id.part_set_hash)
