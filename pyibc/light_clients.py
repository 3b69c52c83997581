"""Light clients: headers by CometBFT's rules, hashed and signed as 07-tendermint verifies them."""

from light_client.tendermint.codec import encode_signed_header, encode_validator_set
from light_client.tendermint.hashing import (
    TxResult,
    commit_hash,
    commit_sign_bytes,
    consensus_params_hash,
    data_hash,
    header_hash,
    results_hash,
)
from light_client.tendermint.merkle import EMPTY_HASH, merkle_root
from light_client.tendermint.types import (
    ED25519,
    FLAG_COMMIT,
    NO_BLOCK,
    BlockId,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    Validator,
    ValidatorSet,
    in_canonical_order,
    validator,
)

__all__ = [
    "ED25519",
    "EMPTY_HASH",
    "FLAG_COMMIT",
    "NO_BLOCK",
    "BlockId",
    "Commit",
    "CommitSig",
    "Header",
    "SignedHeader",
    "TxResult",
    "Validator",
    "ValidatorSet",
    "commit_hash",
    "commit_sign_bytes",
    "consensus_params_hash",
    "data_hash",
    "encode_signed_header",
    "encode_validator_set",
    "header_hash",
    "in_canonical_order",
    "merkle_root",
    "results_hash",
    "validator",
]
