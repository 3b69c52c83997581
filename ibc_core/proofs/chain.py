"""Chained proofs: a store's root is a value in the tree above it (ibc-go `23-commitment/types/merkle.go`).

This is the reference implementation, for any specifications and any bytes that gogoproto would decode.
"""

from collections.abc import Sequence

from ibc_core.errors import InvalidMerkleProof, InvalidProof
from ibc_core.proofs.decode import merkle_proof
from ibc_core.proofs.spec import CommitmentProof, ExistenceProof, NonExistenceProof, ProofSpec
from ibc_core.proofs.verify import absence_root, existence_root


def verify_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], value: bytes, proof: bytes
) -> None:
    """Checks that the state of `root` holds `value` at `path`.

    Args:
        specs: one for each tree, leaf to root.
        root: a consensus state's root.
        path: keys, root to leaf: store name first.
        value: the value to prove.
        proof: bytes of a `MerkleProof`.

    Raises:
        InvalidProof: the bytes do not prove it.
        InvalidMerkleProof: there are not as many proofs as trees, or the root is empty.
    """
    proofs = _proofs(specs, root, path, proof)
    if not value:
        raise InvalidProof("empty value in membership proof")
    _verify_from(0, specs, root, path, value, proofs)


def verify_non_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], proof: bytes
) -> None:
    """Checks that the state of `root` holds nothing at `path`; the trees above are shown to exist.

    ics23/go never reads the key that a non-existence proof names. Here it must be the one asked for, so that
    no byte of a proof can be changed: every prover writes it. (Sparse trees name its hash: not looked at.)

    Args and Raises: as `verify_membership`.
    """
    proofs = _proofs(specs, root, path, proof)
    lowest = proofs[0]
    if not isinstance(lowest, NonExistenceProof):
        # guard: h22-any-refusal-is-an-absence {=> return} test_h22_a_membership_proof_does_not_prove_absence
        #   test_h22_presence_is_no_absence
        raise InvalidProof("lowest proof must be a non-existence proof")
    subroot = absence_root(lowest, specs[0], path[-1])
    if lowest.key != path[-1] and not specs[0].prehash_key_before_comparison:
        raise InvalidProof(f"proof is of the absence of {lowest.key[:64]!a}, not of {path[-1][:64]!a}")
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
    """Climbs the proofs from `index`, each proving the root below it; the last root must be `root`."""
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
        raise InvalidProof(
            f"proof leads to root {value.hex()}, expected {root.hex()}; check its height and chain"
        )
