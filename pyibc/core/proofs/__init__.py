"""Verification of ICS-23 proofs, with the verdicts of ics23/go and ibc-go."""

from pyibc.core.proofs.fast import Memo as Memo
from pyibc.core.proofs.fast import verify_membership as verify_membership
from pyibc.core.proofs.fast import verify_non_membership as verify_non_membership
from pyibc.core.proofs.spec import IAVL_SPEC as IAVL_SPEC
from pyibc.core.proofs.spec import SDK_SPECS as SDK_SPECS
from pyibc.core.proofs.spec import SMT_SPEC as SMT_SPEC
from pyibc.core.proofs.spec import TENDERMINT_SPEC as TENDERMINT_SPEC
from pyibc.core.proofs.spec import InnerSpec as InnerSpec
from pyibc.core.proofs.spec import LeafOp as LeafOp
from pyibc.core.proofs.spec import ProofSpec as ProofSpec
