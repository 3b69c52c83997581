"""What light clients are made of, and headers by CometBFT's rules as 07-tendermint verifies them."""

from ibc_core import paths
from ibc_core.client.types import Status
from ibc_core.crypto import ed25519
from ibc_core.proofs import SDK_SPECS, verify_membership, verify_non_membership
from ibc_module.plugin import LightClientsPlugin
from light_client.checks import InvalidLightClient
from light_client.registry import Registry
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
from light_client.tendermint.store import check_delay_passed
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
    "SDK_SPECS",
    "BlockId",
    "Commit",
    "CommitSig",
    "Header",
    "InvalidLightClient",
    "LightClientsPlugin",
    "Registry",
    "SignedHeader",
    "Status",
    "TxResult",
    "Validator",
    "ValidatorSet",
    "check_delay_passed",
    "commit_hash",
    "commit_sign_bytes",
    "consensus_params_hash",
    "data_hash",
    "ed25519",
    "encode_signed_header",
    "encode_validator_set",
    "header_hash",
    "in_canonical_order",
    "merkle_root",
    "paths",
    "results_hash",
    "validator",
    "verify_membership",
    "verify_non_membership",
]
