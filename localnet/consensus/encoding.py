"""Blocks, commits and validator sets as CometBFT's protobuf bytes (proto/tendermint/types)."""

from collections.abc import Sequence

from light_client.tendermint.encoding import bytes_field, message_field, timestamp, varint_field
from light_client.tendermint.hashing import encode_block_id, encode_commit_sig, merkle_root
from light_client.tendermint.types import ED25519, BlockId, Commit, Header, Validator, ValidatorSet

PART_SIZE = 65_536
"""Bytes of a block's part, CometBFT's BlockPartSizeBytes."""


def encode_header(header: Header) -> bytes:
    """`tendermint.types.Header`."""
    version = varint_field(1, header.version_block) + varint_field(2, header.version_app)
    hashes = (
        header.last_commit_hash,
        header.data_hash,
        header.validators_hash,
        header.next_validators_hash,
        header.consensus_hash,
        header.app_hash,
        header.last_results_hash,
        header.evidence_hash,
        header.proposer_address,
    )
    return b"".join(
        (
            message_field(1, version),
            bytes_field(2, header.chain_id.encode()),
            varint_field(3, header.height),
            message_field(4, timestamp(header.time_ns)),
            message_field(5, encode_block_id(header.last_block_id)),
            *(bytes_field(number, digest) for number, digest in enumerate(hashes, 6)),
        )
    )


def encode_commit(commit: Commit) -> bytes:
    """`tendermint.types.Commit`."""
    return (
        varint_field(1, commit.height)
        + varint_field(2, commit.round)
        + message_field(3, encode_block_id(commit.block_id))
        + b"".join(message_field(4, encode_commit_sig(sig)) for sig in commit.signatures)
    )


def encode_signed_header(header: Header, commit: Commit) -> bytes:
    """`tendermint.types.SignedHeader`."""
    return message_field(1, encode_header(header)) + message_field(2, encode_commit(commit))


def _validator(member: Validator) -> bytes:
    key = message_field(1 if member.key_type == ED25519 else 2, member.public_key)
    return (
        bytes_field(1, member.address)
        + message_field(2, key)
        + varint_field(3, member.power)
        + varint_field(4, member.priority)
    )


def encode_validators(validators: ValidatorSet) -> bytes:
    """`tendermint.types.ValidatorSet`, with proposer, priorities and total power."""
    proposer = message_field(2, _validator(validators.proposer)) if validators.proposer else b""
    members = b"".join(message_field(1, _validator(member)) for member in validators.validators)
    return members + proposer + varint_field(3, validators.total_power)


def encode_block(header: Header, txs: Sequence[bytes], last_commit: Commit) -> bytes:
    """`tendermint.types.Block` without evidence."""
    data = b"".join(message_field(1, tx) for tx in txs)
    return (
        message_field(1, encode_header(header))
        + message_field(2, data)
        + message_field(3, b"")
        + message_field(4, encode_commit(last_commit))
    )


def block_id(header_digest: bytes, block: bytes) -> BlockId:
    """The block's id: the header's hash, and number and root of the parts of its bytes."""
    parts = [block[at : at + PART_SIZE] for at in range(0, len(block), PART_SIZE)]
    return BlockId(header_digest, len(parts), merkle_root(parts))
