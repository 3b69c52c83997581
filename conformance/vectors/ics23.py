"""cosmos/ics23: unit cases, proofs of three kinds of tree, and inputs that once crashed the Go verifier."""

import base64
import json
import re
from ast import literal_eval
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, Check, expect, is_object, refusal
from conformance.files import json_in, stem
from pyibc.core.errors import InvalidProof
from pyibc.core.proofs import decode, verify
from pyibc.core.proofs import verify as checks
from pyibc.core.proofs import verify as neighbours
from pyibc.core.proofs.spec import (
    IAVL_SPEC,
    SMT_SPEC,
    TENDERMINT_SPEC,
    CommitmentProof,
    ExistenceProof,
    InnerOp,
    InnerSpec,
    LeafOp,
    NonExistenceProof,
    ProofSpec,
    apply_inner,
    apply_leaf,
    hash_bytes,
)

_TREES = {"iavl": IAVL_SPEC, "tendermint": TENDERMINT_SPEC, "smt": SMT_SPEC}
_Json = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file of ICS-23 proofs or specs; None for any other file."""
    if path.parent.name in _FUZZ:
        return iter([("", partial(_fuzz_case, _FUZZ[path.parent.name], path.read_text()))])
    data = json_in(path)
    if path.parent.name in _TREES and is_object(data, "key", "value", "proof", "root"):
        return iter([("", partial(_tree_case, _TREES[path.parent.name], data))])
    runner = _UNIT.get(stem(path))
    return _unit_cases(runner, _lower(data)) if runner and isinstance(data, dict | list) else None


def _unit_cases(runner: Callable[[_Json], None], data: Any) -> Cases:
    named = data.items() if isinstance(data, dict) else enumerate(data)
    return ((str(name), partial(runner, case)) for name, case in named)


def calculate(proof: CommitmentProof) -> bytes:
    """Return the root of a proof, without checking its form.

    Raises:
        InvalidProof: the root cannot be calculated.
    """
    if isinstance(proof, ExistenceProof):
        return verify.climb(proof, None)
    if isinstance(proof, NonExistenceProof):
        neighbour = proof.left or proof.right
        if neighbour is None:
            raise InvalidProof("non-existence proof has neither neighbour")
        return verify.climb(neighbour, None)
    raise InvalidProof("unrecognized proof type")


def verify_existence(spec: ProofSpec, root: bytes, proof: CommitmentProof, key: bytes, value: bytes) -> None:
    """Check that the tree of `root` contains `value` at `key`.

    Raises:
        InvalidProof: `proof` does not show it.
    """
    if not isinstance(proof, ExistenceProof):
        raise InvalidProof("not an existence proof")
    _check_root(verify.existence_root(proof, spec, key, value), root)


def verify_absence(spec: ProofSpec, root: bytes, proof: CommitmentProof, key: bytes) -> None:
    """Check that the tree of `root` does not contain `key`.

    Raises:
        InvalidProof: `proof` does not show it.
    """
    if not isinstance(proof, NonExistenceProof):
        raise InvalidProof("not a non-existence proof")
    _check_root(verify.absence_root(proof, spec, key), root)


def _check_root(got: bytes, root: bytes) -> None:
    if got != root:
        raise InvalidProof(f"calculated root {got.hex()}, expected {root.hex()}")


def _tree_case(spec: ProofSpec, case: _Json) -> None:
    key, value, proof, root = (bytes.fromhex(case[field]) for field in ("key", "value", "proof", "root"))
    parsed = decode.commitment_proof(proof)
    if value:
        verify_existence(spec, root, parsed, key, value)
    else:
        verify_absence(spec, root, parsed, key)
    expect(calculate(parsed), root)


def _lower(data: Any) -> Any:
    """Return field names in lower case, as Go's decoder matches them; names of cases are unchanged."""
    if isinstance(data, dict):
        return {str(name).lower(): _lower(item) for name, item in data.items()}
    return [_lower(item) for item in data] if isinstance(data, list) else data


def _b64(text: str | None) -> bytes:
    return base64.b64decode(text or "", validate=True)


def _leaf(data: _Json | None) -> LeafOp | None:
    if data is None:
        return None
    return LeafOp(
        data.get("hash", 0),
        data.get("prehash_key", 0),
        data.get("prehash_value", 0),
        data.get("length", 0),
        _b64(data.get("prefix")),
    )


def _inner(data: _Json | None) -> InnerOp:
    data = data or {}
    suffix = data.get("suffix")
    return InnerOp(data.get("hash", 0), _b64(data.get("prefix")), None if suffix is None else _b64(suffix))


def _exist(data: _Json | None) -> ExistenceProof | None:
    if data is None:
        return None
    path = tuple(_inner(step) for step in data.get("path") or ())
    return ExistenceProof(_b64(data.get("key")), _b64(data.get("value")), _leaf(data.get("leaf")), path)


def _commitment(data: _Json | None) -> CommitmentProof:
    member = (data or {}).get("proof") or {}
    if member.get("nonexist") is not None:
        absent = member["nonexist"]
        return NonExistenceProof(
            _b64(absent.get("key")), _exist(absent.get("left")), _exist(absent.get("right"))
        )
    return _exist(member.get("exist"))


def _spec(data: _Json | None) -> ProofSpec:
    data = data or {}
    return ProofSpec(
        _leaf(data.get("leaf_spec")),
        _shape(data.get("inner_spec")),
        data.get("max_depth", 0),
        data.get("min_depth", 0),
        data.get("prehash_key_before_comparison", False),
    )


def _shape(data: _Json | None) -> InnerSpec | None:
    if data is None:
        return None
    return InnerSpec(
        tuple(data.get("child_order") or ()),
        data.get("child_size", 0),
        data.get("min_prefix_length", 0),
        data.get("max_prefix_length", 0),
        _b64(data.get("empty_child")),
        data.get("hash", 0),
    )


def _required(proof: ExistenceProof | None) -> ExistenceProof:
    if proof is None:
        raise InvalidProof("no proof")
    return proof


def _check_against_spec(case: _Json) -> None:
    refused = refusal(lambda: checks.check_existence(_required(_exist(case["proof"])), _spec(case["spec"])))
    expect(bool(refused), bool(case["err"]))


def _check_leaf(case: _Json) -> None:
    leaf = _leaf(case["leaf"]) or LeafOp()
    refused = refusal(lambda: checks.check_leaf(leaf, ProofSpec(leaf_spec=_leaf(case["spec"]))))
    expect(bool(refused), case["iserr"])


def _do_hash(case: _Json) -> None:
    expect(hash_bytes(case["hashop"], case["preimage"].encode()).hex(), case["expectedhash"])


def _empty_branch(case: _Json) -> None:
    spec, op = _spec(case["spec"]), _inner(case["op"])
    checks.check_inner(op, spec, 1)
    shape = spec.inner_spec or InnerSpec()
    expect(neighbours.Shape(shape).left_is_empty(op), case["isleft"])
    expect(neighbours.Shape(shape).right_is_empty(op), case["isright"])


def _calculated(action: Callable[[], bytes], case: _Json) -> None:
    if case["iserr"]:
        expect(refusal(action), "InvalidProof")
    else:
        expect(action(), _b64(case["expected"]))


def _calculate(case: _Json) -> None:
    _calculated(lambda: calculate(_exist(case["proof"])), case)


def _apply_inner(case: _Json) -> None:
    _calculated(lambda: apply_inner(_inner(case["op"]), _b64(case["child"])), case)


def _apply_leaf(case: _Json) -> None:
    leaf = _leaf(case["op"]) or LeafOp()
    _calculated(lambda: apply_leaf(leaf, _b64(case["key"]), _b64(case["value"])), case)


_UNIT: dict[str, Callable[[_Json], None]] = {
    "TestCheckAgainstSpecData": _check_against_spec,
    "TestCheckLeafData": _check_leaf,
    "TestDoHashData": _do_hash,
    "TestEmptyBranchData": _empty_branch,
    "TestExistenceProofData": _calculate,
    "TestInnerOpData": _apply_inner,
    "TestLeafOpData": _apply_leaf,
}


def _fuzz_case(prepare: Callable[[_Json], Check], text: str) -> None:
    """Check that a seed raises nothing but our refusals or JSON errors."""
    header, literal = text.strip().split("\n", 1)
    expect(header, "go test fuzz v1")
    quoted = re.fullmatch(r"\[\]byte\((.*)\)", literal, re.DOTALL)
    expect(quoted is not None, True)
    try:
        data = _lower(json.loads(literal_eval(quoted[1]) if quoted else ""))
        action = prepare(data)
    except (ValueError, TypeError, AttributeError):
        return  # the JSON does not have the input's structure: refused by Go's decoder as well
    action()


def _never_verifies(action: Check) -> Check:
    return lambda: expect(refusal(action), "InvalidProof")


def _at_most_refused(action: Callable[[], object]) -> Check:
    return lambda: expect(refusal(action) in ("", "InvalidProof"), True)


def _fuzz_calculate(data: _Json) -> Check:
    proof = _exist(data)
    return _at_most_refused(lambda: calculate(proof))


def _fuzz_check(data: _Json) -> Check:
    proof, spec = _exist(data.get("proof")), _spec(data.get("spec"))
    return _at_most_refused(lambda: checks.check_existence(_required(proof), spec))


def _fuzz_member(data: _Json) -> Check:
    ref, proof, spec = data.get("ref") or {}, _commitment(data.get("proof")), _spec(data.get("spec"))
    key, value, root = (_b64(ref.get(field)) for field in ("key", "value", "roothash"))
    return _never_verifies(lambda: verify_existence(spec, root, proof, key, value))


def _fuzz_absent(data: _Json) -> Check:
    ref, proof, spec = data.get("ref") or {}, _commitment(data.get("proof")), _spec(data.get("spec"))
    key, root = _b64(ref.get("key")), _b64(ref.get("roothash"))
    return _never_verifies(lambda: verify_absence(spec, root, proof, key))


_FUZZ: dict[str, Callable[[_Json], Check]] = {
    "FuzzExistenceProofCalculate": _fuzz_calculate,
    "FuzzExistenceProofCheckAgainstSpec": _fuzz_check,
    "FuzzVerifyMembership": _fuzz_member,
    "FuzzVerifyNonMembership": _fuzz_absent,
}
