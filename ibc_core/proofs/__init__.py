"""ICS-23 proofs: pure functions from bytes to the verdict of ics23/go and ibc-go."""

from ibc_core.proofs.decode import join as join_proofs
from ibc_core.proofs.fast import Memo, verify_membership, verify_non_membership
from ibc_core.proofs.spec import IAVL_SPEC, SDK_SPECS, SMT_SPEC, TENDERMINT_SPEC, InnerSpec, LeafOp, ProofSpec

__all__ = [
    "IAVL_SPEC",
    "SDK_SPECS",
    "SMT_SPEC",
    "TENDERMINT_SPEC",
    "InnerSpec",
    "LeafOp",
    "Memo",
    "ProofSpec",
    "join_proofs",
    "verify_membership",
    "verify_non_membership",
]
