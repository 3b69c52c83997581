"""Cases of chained ICS-23 proofs under specs of every kind: honest, or changed anywhere."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from conformance.oracle.program import Case, Verdict
from conformance.oracle.wire_noise import noisy
from light_client.tendermint.states import proof_spec_from, proof_spec_to
from pyibc.core.errors import IbcError, InvalidProof
from pyibc.core.proofs import IAVL_SPEC, SMT_SPEC, TENDERMINT_SPEC, verify_membership, verify_non_membership
from pyibc.core.proofs.spec import (
    ExistenceProof,
    InnerOp,
    InnerSpec,
    LeafOp,
    ProofSpec,
    apply_inner,
    apply_leaf,
    hash_or_pass,
)
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.ibc.core.commitment.v1 import commitment_pb2
from pyibc.proto.varint import encode_varint

_KNOWN = (IAVL_SPEC, TENDERMINT_SPEC, SMT_SPEC)


class _Tree(NamedTuple):
    """A small tree: its root, and the proof of each leaf in key order."""

    root: bytes
    proofs: tuple[ExistenceProof, ...]


def cases(seed: int) -> Iterator[Case]:
    """Yield random chained proofs endlessly."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    while True:
        specs = [_spec(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        try:
            yield _chain(rng, specs)
        except InvalidProof:
            continue  # an unusable spec


def _chain(rng: Random, specs: Sequence[ProofSpec]) -> Case:
    """Return a chained proof: the lowest tree proves presence or absence, each higher one the root below."""
    lowest = _tree(rng, specs[0], None)
    at = rng.randrange(len(lowest.proofs))
    absent = rng.random() < 0.45
    if absent:
        key, value, lowest_proof = _absence(rng, lowest, at)
    else:
        proof = lowest.proofs[at]
        key, value, lowest_proof = proof.key, proof.value, proofs_pb2.CommitmentProof(exist=_to_wire(proof))
    keys, proofs, root = [key], [lowest_proof], lowest.root
    for spec in specs[1:]:
        tree = _tree(rng, spec, root)
        proof = next(each for each in tree.proofs if each.value == root)
        keys.insert(0, proof.key)
        proofs.append(proofs_pb2.CommitmentProof(exist=_to_wire(proof)))
        root = tree.root
    raw_specs = [proof_spec_to(spec).SerializeToString() for spec in specs]
    raw = commitment_pb2.MerkleProof(proofs=proofs).SerializeToString()
    return _changed(rng, root, value, raw, keys, raw_specs)


def _changed(
    rng: Random, root: bytes, value: bytes, raw: bytes, keys: list[bytes], specs: list[bytes]
) -> Case:
    while rng.random() < 0.35:
        raw = noisy(rng, raw)
    pick = rng.random()
    if pick < 0.05:
        root = rng.choice((b"", b"r" * 32, root[:-1]))
    elif pick < 0.1:
        value = rng.choice((b"", b"v", value + b"x"))
    elif pick < 0.15:
        at = rng.randrange(len(keys))
        keys[at] = rng.choice((b"", keys[at] + b"\0", b"k"))
    elif pick < 0.18:
        keys.append(b"one more")
    elif pick < 0.3:
        at = rng.randrange(len(specs))
        specs[at] = _other_spec(rng, specs[at])
    elif pick < 0.33:
        specs.pop()
    return Case("p", (root, value, raw, bytes([len(keys)]), *keys, *specs))


def _other_spec(rng: Random, raw: bytes) -> bytes:
    """Return a spec with one number changed."""
    spec = proofs_pb2.ProofSpec.FromString(raw)
    inner, wild = (
        spec.inner_spec,
        rng.choice((0, 1, 2, 4, 12, 31, 32, 33, 40, 64, 128, -1, 2**31 - 1, -(2**31))),
    )
    pick = rng.randrange(9)
    if pick == 0:
        inner.child_size = wild
    elif pick == 1:
        inner.min_prefix_length = wild
    elif pick == 2:
        inner.max_prefix_length = wild
    elif pick == 3:
        spec.max_depth = wild
    elif pick == 4:
        spec.min_depth = wild
    elif pick == 5:
        inner.child_order.append(rng.choice((0, 1, 2, 3, -1, wild)))
    elif pick == 6:
        inner.empty_child = rng.choice((b"", bytes(32), b"e"))
    elif pick == 7:
        spec.ClearField(rng.choice(("leaf_spec", "inner_spec")))
    else:
        spec.prehash_key_before_comparison = not spec.prehash_key_before_comparison
    return spec.SerializeToString()


def _spec(rng: Random) -> ProofSpec:
    if rng.random() < 0.6:
        return rng.choice(_KNOWN)
    order = list(range(rng.choice((1, 2, 2, 3, 4))))
    if rng.random() < 0.3:
        rng.shuffle(order)
    least = rng.choice((1, 1, 2, 4))
    hashing = rng.choice((1, 1, 1, 2, 4, 5, 6, 7, 8))
    size = {1: 32, 2: 64, 4: 20, 5: 20, 6: 32, 7: 64, 8: 32}[hashing]
    return ProofSpec(
        LeafOp(hashing, rng.choice((0, 1)), rng.choice((0, 1, 2)), rng.choice((0, 1, 3, 4, 5, 6)),
        rng.choice((b"\0", b"lf"))),
        InnerSpec(tuple(order), size, least, least + rng.choice((0, 3)), rng.choice((b"", bytes(size))),
        hashing),
        rng.choice((0, 0, 1, 4)),
        rng.choice((0, 0, 1)),
        rng.random() < 0.2,
    )  # fmt: skip


def _tree(rng: Random, spec: ProofSpec, holding: bytes | None) -> _Tree:
    """Return a tree of one to nine leaves, one of which has the value `holding`."""
    leaf, shape = spec.leaf_spec, spec.inner_spec
    if leaf is None or shape is None:
        raise InvalidProof("nothing to build by")
    names = {rng.randbytes(rng.choice((1, 2, 4))) for _ in range(rng.choice((1, 2, 3, 4, 6, 9)))}
    compared = leaf.prehash_key if spec.prehash_key_before_comparison else 0
    keys = sorted(names, key=lambda key: hash_or_pass(compared, key))
    values = [rng.randbytes(rng.choice((1, 3))) for _ in keys]
    if holding is not None:
        values[rng.randrange(len(values))] = holding
    operation = leaf
    if spec == IAVL_SPEC:
        operation = leaf._replace(prefix=b"\0\2" + encode_varint(2 * rng.choice((1, 77, 2**40))))
    hashes = [apply_leaf(operation, key, value) for key, value in zip(keys, values, strict=True)]
    paths: list[list[InnerOp]] = [[] for _ in keys]
    level = [(each, [at]) for at, each in enumerate(hashes)]
    height = 0
    while len(level) > 1:
        height += 1
        level = _level(rng, spec, shape, level, paths, height)
    found = [
        ExistenceProof(key, value, operation, tuple(path))
        for key, value, path in zip(keys, values, paths, strict=True)
    ]
    return _Tree(level[0][0], tuple(found))


_Node = tuple[bytes, list[int]]  # hash, and the indexes of the leaves below


def _level(
    rng: Random,
    spec: ProofSpec,
    shape: InnerSpec,
    level: list[_Node],
    paths: list[list[InnerOp]],
    height: int,
) -> list[_Node]:
    """Combine nodes into one level of inner nodes with as many children as the spec allows."""
    width, above = max(2, len(shape.child_order)), []
    for start in range(0, len(level), width):
        group = level[start : start + width]
        if len(group) == 1 and len(level) > width and not shape.empty_child:
            above.append(group[0])  # no sibling, and the spec has no placeholder for one
            continue
        above.append(_node(rng, spec, shape, group, paths, height))
    return above


def _node(
    rng: Random,
    spec: ProofSpec,
    shape: InnerSpec,
    group: list[_Node],
    paths: list[list[InnerOp]],
    height: int,
) -> _Node:
    slots: list[bytes] = [each for each, _ in group]
    slots += [shape.empty_child or bytes(max(0, shape.child_size))] * (
        max(2, len(shape.child_order)) - len(group)
    )
    head = rng.randbytes(shape.min_prefix_length)
    if spec in (TENDERMINT_SPEC, SMT_SPEC):
        head = b"\1"
    elif spec == IAVL_SPEC:
        head = encode_varint(2 * height) + encode_varint(2 * len(group)) + encode_varint(2 * 5) + b"\x20"
        slots = [slots[0], b"\x20" + slots[1]]
    node, below = b"", [leaf for _, leaves in group for leaf in leaves]
    for at, (child, leaves) in enumerate(group):
        before = b"".join(slots[:at]) + (b"\x20" if spec == IAVL_SPEC and at else b"")
        step = InnerOp(shape.hash, head + before, b"".join(slots[at + 1 :]))
        node = apply_inner(step, child)
        for leaf in leaves:
            paths[leaf].append(step)
    return node, below


def _absence(rng: Random, tree: _Tree, at: int) -> tuple[bytes, bytes, proofs_pb2.CommitmentProof]:
    """Return an absence proof of a key beside leaf `at`, with its neighbours; the key is usually absent."""
    left: ExistenceProof | None = tree.proofs[at]
    right = tree.proofs[at + 1] if at + 1 < len(tree.proofs) else None
    key = tree.proofs[at].key + b"\0"
    if rng.random() < 0.25:
        left, right, key = None, tree.proofs[0], b"\0"
    elif rng.random() < 0.15:
        right = rng.choice((None, rng.choice(tree.proofs)))
    proof = proofs_pb2.CommitmentProof()
    proof.nonexist.key = key
    if left is not None:
        proof.nonexist.left.CopyFrom(_to_wire(left))
    if right is not None:
        proof.nonexist.right.CopyFrom(_to_wire(right))
    return key, b"", proof


def _to_wire(proof: ExistenceProof) -> proofs_pb2.ExistenceProof:
    made = proofs_pb2.ExistenceProof(key=proof.key, value=proof.value)
    made.leaf.CopyFrom(proof_spec_to(ProofSpec(proof.leaf)).leaf_spec)
    for step in proof.path:
        inner = made.path.add(prefix=step.prefix, suffix=step.suffix or b"")
        inner.hash = step.hash  # type: ignore[assignment]  # the stubs want a name
    return made


def ours(case: Case) -> Verdict:
    """Return this verifier's result, by the code path used in a block."""
    root, value, proof, (count,), *rest = case.arguments
    keys, specs = rest[:count], rest[count:]
    try:
        parsed = [proof_spec_from(proofs_pb2.ProofSpec.FromString(raw)) for raw in specs]
        if value:
            verify_membership(parsed, root, keys, value, proof)
        else:
            verify_non_membership(parsed, root, keys, proof)
    except IbcError as error:
        return Verdict(f"{error.codespace}/{error.code}", str(error).encode())
    return Verdict("")
