"""ICS-23 proofs: pure functions from bytes to the verdict of ics23/go and ibc-go."""

from ibc_core.proofs.fast import Memo as Memo
from ibc_core.proofs.fast import verify_membership as verify_membership
from ibc_core.proofs.fast import verify_non_membership as verify_non_membership
from ibc_core.proofs.spec import IAVL_SPEC as IAVL_SPEC
from ibc_core.proofs.spec import SDK_SPECS as SDK_SPECS
from ibc_core.proofs.spec import SMT_SPEC as SMT_SPEC
from ibc_core.proofs.spec import TENDERMINT_SPEC as TENDERMINT_SPEC
from ibc_core.proofs.spec import InnerSpec as InnerSpec
from ibc_core.proofs.spec import LeafOp as LeafOp
from ibc_core.proofs.spec import ProofSpec as ProofSpec
