"""Cases of ICS-23 proofs: many small steps, one large step, and proof specs of a malicious client."""

from collections.abc import Callable, Iterator
from functools import partial

from conformance.fuzz.block_stage import tried
from conformance.fuzz.case import Attack, Case, open_attack
from conformance.fuzz.grammar import written
from conformance.fuzz.wire import packed
from pyibc.core.proofs import chain, fast
from pyibc.core.proofs.spec import IAVL_SPEC, NO_HASH, SDK_SPECS, SHA256, InnerSpec, LeafOp, ProofSpec
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2 as pb
from pyibc.proto.ibc.core.commitment.v1.commitment_pb2 import MerkleProof

_LEAF = LeafOp(hash=SHA256, prefix=b"\x00")
_ROOT = b"r" * 32
_KEY, _VALUE = b"key", b"value"


def proof_cases() -> Iterator[Case]:
    """Return generated proofs for the stores of a Cosmos chain, and hand-written ones for other trees."""
    for each in written(MerkleProof, _honest(2), every=True):
        yield Case(f"proof of a value {each.name}", partial(_existence, each.write))
        yield Case(f"proof of absence {each.name}", partial(_absence, each.write))
    for name, made in _EXPERT.items():
        yield Case(f"proof: {name}", made)


def _existence(write: Callable[[int], bytes], size: int) -> Attack:
    raw = write(size)
    path = (b"ibc", _KEY)
    check = partial(fast.verify_membership, SDK_SPECS, _ROOT, path, _VALUE, raw)
    return open_attack(len(raw), lambda: tried(check))


def _absence(write: Callable[[int], bytes], size: int) -> Attack:
    raw = write(size)
    path = (b"ibc", _KEY)
    check = partial(fast.verify_non_membership, SDK_SPECS, _ROOT, path, raw)
    return open_attack(len(raw), lambda: tried(check))


def _step(prefix: bytes, suffix: bytes = b"", operation: int = SHA256) -> pb.InnerOp:
    return pb.InnerOp(hash=operation, prefix=prefix, suffix=suffix)


def _leaf_op(leaf: LeafOp) -> pb.LeafOp:
    return pb.LeafOp(
        hash=leaf.hash,
        prehash_key=leaf.prehash_key,
        prehash_value=leaf.prehash_value,
        length=leaf.length,
        prefix=leaf.prefix,
    )


def _exist(key: bytes, value: bytes, path: list[pb.InnerOp], leaf: LeafOp = _LEAF) -> pb.ExistenceProof:
    return pb.ExistenceProof(key=key, value=value, leaf=_leaf_op(leaf), path=path)


def _honest(trees: int) -> bytes:
    """Return a well-formed proof to append to."""
    leaf = IAVL_SPEC.leaf_spec or _LEAF
    one = pb.CommitmentProof(exist=_exist(_KEY, _VALUE, [], leaf._replace(prefix=b"\x00\x02\x04")))
    return b"".join(packed(1, one.SerializeToString()) for _ in range(trees))


def _attack(spec: ProofSpec, proof: pb.CommitmentProof, *, absent: bool) -> Attack:
    raw = packed(1, proof.SerializeToString())
    specs, path = (spec,), (_KEY,)
    check = partial(chain.verify_membership, specs, _ROOT, path, _VALUE, raw)
    if absent:
        check = partial(chain.verify_non_membership, specs, _ROOT, path, raw)
    order = spec.inner_spec.child_order if spec.inner_spec else ()
    return open_attack(len(raw) + len(order), lambda: tried(check))


def _path(steps: list[pb.InnerOp], spec: ProofSpec) -> Attack:
    return _attack(spec, pb.CommitmentProof(exist=_exist(_KEY, _VALUE, steps)), absent=False)


def _neighbours(left: list[pb.InnerOp], right: list[pb.InnerOp], spec: ProofSpec) -> Attack:
    proof = pb.NonExistenceProof(key=_KEY, left=_exist(b"a", _VALUE, left), right=_exist(b"z", _VALUE, right))
    return _attack(spec, pb.CommitmentProof(nonexist=proof), absent=True)


def _edge(steps: list[pb.InnerOp], spec: ProofSpec, *, leftmost: bool) -> Attack:
    side = _exist(b"z" if leftmost else b"a", _VALUE, steps)
    proof = pb.NonExistenceProof(key=_KEY, **{"right" if leftmost else "left": side})
    return _attack(spec, pb.CommitmentProof(nonexist=proof), absent=True)


def _loose(children: int, size: int = 1, order: tuple[int, ...] | None = None, **more: int) -> ProofSpec:
    """Return the spec of a tree with many children and hardly any limits."""
    shape = InnerSpec(order or tuple(range(children)), size, 1, 1 + 0 * size, hash=more.get("hash", SHA256))
    return ProofSpec(_LEAF, shape, max_depth=more.get("depth", 2**31 - 1))


def _many_steps(size: int) -> Attack:
    return _path([_step(b"\x01")] * (size // 8), _loose(2, 32))


def _many_growing_steps(size: int) -> Attack:
    """Return a proof whose nodes are not hashed, so that each step is longer than the one before."""
    return _path([_step(b"\x01", b"", NO_HASH)] * (size // 8), _loose(2, 1, hash=NO_HASH))


def _long_step(size: int, operation: int = SHA256) -> Attack:
    return _path([_step(b"\x01", b"s" * size, operation)], _loose(size, 1, hash=operation))


def _wide(size: int, leftmost: bool) -> Attack:
    """Return a proof at the edge of a tree with as many children as fit.

    Half of the size is in the spec, half in the step.
    """
    children = size // 2
    return _edge([_step(b"\x01", b"s" * (children - 1))], _loose(children), leftmost=leftmost)


def _wide_backwards(size: int) -> Attack:
    children = size // 2
    order = tuple(reversed(range(children)))
    return _edge([_step(b"\x01", b"s" * (children - 1))], _loose(children, 1, order), leftmost=True)


def _wide_padding(size: int) -> Attack:
    """Return a step in which every left sibling is a one-byte placeholder."""
    children = size // 2
    shape = InnerSpec(tuple(range(children)), 1, 1, 1, b"e", SHA256)
    spec = ProofSpec(_LEAF, shape, max_depth=2**31 - 1)
    return _edge([_step(b"\x01" + b"e" * (children - 1))], spec, leftmost=True)


def _wide_neighbours(size: int) -> Attack:
    children = size // 3
    left = _step(b"\x01" + b"s" * (children - 2), b"s")
    right = _step(b"\x01" + b"s" * (children - 1))
    return _neighbours([left], [right], _loose(children))


def _deep_neighbours(size: int) -> Attack:
    """Return two neighbouring paths that differ only in their first steps."""
    shared = [_step(b"\x01", b"s" * 32)] * (size // 90)
    return _neighbours(
        [_step(b"\x01", b"t" * 32), *shared], [_step(b"\x01" + b"t" * 32), *shared], _loose(2, 32)
    )


_EXPERT: dict[str, Callable[[int], Attack]] = {
    "many steps": _many_steps,
    "many growing steps": _many_growing_steps,
    "one long step": _long_step,
    "one long step in RIPEMD-160": partial(_long_step, operation=4),
    "many children, left edge": partial(_wide, leftmost=True),
    "many children, right edge": partial(_wide, leftmost=False),
    "many children, backwards": _wide_backwards,
    "many children, all but one empty": _wide_padding,
    "many children, neighbours": _wide_neighbours,
    "neighbours of one long path": _deep_neighbours,
}
