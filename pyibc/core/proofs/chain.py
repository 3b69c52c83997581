"""Chained ICS-23 proofs: a store's root is a value in the tree above (`23-commitment/types/merkle.go`).

This is the reference implementation, for all specifications and all encodings that gogoproto accepts.
"""

from collections.abc import Sequence

from pyibc.core.errors import InvalidMerkleProof, InvalidProof
from pyibc.core.proofs.decode import merkle_proof
from pyibc.core.proofs.spec import CommitmentProof, ExistenceProof, NonExistenceProof, ProofSpec
from pyibc.core.proofs.verify import absence_root, existence_root


def verify_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], value: bytes, proof: bytes
) -> None:
    """Verify that the state with the root hash `root` has `value` at `path`.

    Args:
        specs: One specification per tree, from leaf to root.
        root: The root of a consensus state.
        path: Keys from root to leaf, the store name first.
        value: The value to prove.
        proof: An encoded `MerkleProof`.

    Raises:
        InvalidProof: the proof is malformed or does not verify.
        InvalidMerkleProof: the number of proofs differs from the number of trees, or the root is empty.
    """
    proofs = _proofs(specs, root, path, proof)
    if not value:
        raise InvalidProof("empty value in membership proof")
    _verify_from(0, specs, root, path, value, proofs)


def verify_non_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], proof: bytes
) -> None:
    """Verify that the state with the root hash `root` has nothing at `path`, in an existing store.

    The key in a non-existence proof is ignored, as in ics23/go: the neighbours must enclose the last key of
    `path`.

    Args and Raises: as `verify_membership`.
    """
    proofs = _proofs(specs, root, path, proof)
    lowest = proofs[0]
    if not isinstance(lowest, NonExistenceProof):
        # guard: h22-any-refusal-is-an-absence {=> return} test_h22_a_membership_proof_does_not_prove_absence
        #   test_h22_presence_is_no_absence
        raise InvalidProof("lowest proof must be a non-existence proof")
    subroot = absence_root(lowest, specs[0], path[-1])
    _verify_from(1, specs, root, path, subroot, proofs)


def _proofs(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], proof: bytes
) -> tuple[CommitmentProof, ...]:
    proofs = merkle_proof(proof)
    if not proofs:
        raise InvalidMerkleProof("proof must not be empty")
    if not root:
        raise InvalidMerkleProof("root cannot be empty")
    # guard: h22-fewer-steps-than-trees {!= => <} test_h22_one_step_more_or_less_is_refused
    if len(specs) != len(proofs):
        raise InvalidMerkleProof(f"{len(proofs)} proofs for {len(specs)} specifications")
    if len(path) != len(specs):
        raise InvalidProof(f"path of {len(path)} keys for {len(specs)} proofs")
    return proofs


def _verify_from(
    index: int,
    specs: Sequence[ProofSpec],
    root: bytes,
    path: Sequence[bytes],
    value: bytes,
    proofs: tuple[CommitmentProof, ...],
) -> None:
    """Verify the proofs from `index` upwards, each for the root below it; the last root must be `root`."""
    for at in range(index, len(proofs)):
        step = proofs[at]
        if not isinstance(step, ExistenceProof):
            # guard: h22-an-absence-passes-for-a-presence {=> return}
            #   test_h22_a_chain_of_two_absence_proofs_whose_root_equals_the_value_is_refused
            #   test_h22_absence_below_is_no_presence
            raise InvalidProof(f"proof {at} must be an existence proof")
        # guard: h22-the-store-is-not-looked-at {path[-1 - at] => step.key if at else path[-1]}
        #   test_h22_a_proof_is_of_one_store test_h23_a_proof_from_another_store_is_refused
        #   test_h23_an_absence_in_another_store_is_refused
        value = existence_root(step, specs[at], path[-1 - at], value)
    # guard: h22-any-root test_h22_a_proof_to_another_root_is_refused test_h20_a_root_has_32_bytes
    if value != root:
        raise InvalidProof(f"proof has root {value.hex()}, expected {root.hex()}; check its height and chain")
