"""Proofs of what is not so, made from trees as attackers made them; both roads must refuse each."""

from hashlib import sha256

import pytest

from conformance.vectors import synthetic
from conformance.vectors.synthetic import chain_of, join_proofs
from pyibc.core.errors import InvalidMerkleProof, InvalidProof
from pyibc.core.proofs import IAVL_SPEC, SDK_SPECS, Memo, verify_membership, verify_non_membership
from pyibc.core.proofs import chain as reference
from pyibc.core.proofs.spec import DEFAULT_MAX_DEPTH
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2 as pb

KEY = b"commitments/sequences/1007"
ABSENT = b"commitments/sequences/1007x"


def cold(verify):
    return lambda *arguments: verify(*arguments, Memo())


PAIRS = {
    "reference": (reference.verify_membership, reference.verify_non_membership),
    "cold": (cold(verify_membership), cold(verify_non_membership)),
    "warm": (verify_membership, verify_non_membership),  # the process's own memo, with all that it saw
}
ROADS = pytest.mark.parametrize("road", PAIRS.values(), ids=PAIRS.keys())


def existence(chain, key):
    return pb.CommitmentProof.FromString(chain.tree.prove(key)).exist


def with_stores(chain, *lower):
    return join_proofs(*[proof.SerializeToString() for proof in lower], chain.stores.prove(b"ibc"))


def refused(road, chain, key, value, exist):
    """An existence proof must not pass, nor as a neighbour in a proof of absence."""
    member, _ = road
    proof = with_stores(chain, pb.CommitmentProof(exist=exist))
    with pytest.raises(InvalidProof):
        member(SDK_SPECS, chain.root, (b"ibc", key), value, proof)


def preimage(step, child):
    """What the node above `child` hashes."""
    return step.prefix + child + step.suffix


def leaf_preimage(exist):
    key = exist.key
    return exist.leaf.prefix + bytes([len(key)]) + key + b"\x20" + sha256(exist.value).digest()


@ROADS
def test_h18_an_inner_node_is_no_leaf(road, plain_chain):
    """Dragonberry: header, 20, left, 20, right reads as a leaf whose value is the right child's preimage."""
    genuine = existence(plain_chain, KEY)
    genuine_right = next(at for at, step in enumerate(genuine.path) if at and len(step.prefix) > 33)
    node = leaf_preimage(genuine)
    for step in genuine.path[:genuine_right]:
        value, node = preimage(step, sha256(node).digest()), preimage(step, sha256(node).digest())
    step = genuine.path[genuine_right]
    header, left = step.prefix[:-34], step.prefix[-33:-1]
    forged = pb.ExistenceProof(
        key=left, value=value, leaf=genuine.leaf, path=genuine.path[genuine_right + 1 :]
    )
    forged.leaf.prefix = header
    read_as_leaf = header + b"\x20" + left + b"\x20" + sha256(value).digest()
    assert read_as_leaf == preimage(step, sha256(node).digest())  # the forgery is one
    refused(road, plain_chain, left, value, forged)


@ROADS
def test_h18_a_leaf_is_no_inner_node(road):
    """A value that is the preimage of a made-up leaf: the leaf above it reads as a node with one child."""
    made_up = pb.ExistenceProof(key=b"commitments/made-up", value=b"nothing")
    made_up.leaf.CopyFrom(pb.LeafOp(hash=1, prehash_value=1, length=1, prefix=b"\x00\x02\x02"))
    chain = chain_of({b"a": b"1", b"k": leaf_preimage(made_up), b"z": b"2"}, stores=3)
    genuine = existence(chain, b"k")
    above = pb.InnerOp(hash=1, prefix=genuine.leaf.prefix + b"\x01k\x20")
    made_up.path.append(above)
    made_up.path.extend(genuine.path)
    assert preimage(above, sha256(leaf_preimage(made_up)).digest()) == leaf_preimage(genuine)
    refused(road, chain, made_up.key, made_up.value, made_up)


@ROADS
def test_h18_no_byte_of_a_proof_can_change(road, plain_chain, items):
    """Presence and absence, each byte set to two others; the key that an absence names is not read."""
    member, absent = road
    present, missing = plain_chain.prove(KEY), plain_chain.prove(ABSENT)
    named = (SDK_SPECS, plain_chain.root, (b"ibc", KEY), items[KEY])
    unnamed = (SDK_SPECS, plain_chain.root, (b"ibc", ABSENT))
    assert passes(member, *named, present)
    assert passes(absent, *unnamed, missing)
    accepted = [each for each in spoilt(present) if passes(member, *named, each)]
    assert accepted == []
    accepted = [each for each in spoilt(missing) if passes(absent, *unnamed, each)]
    assert len(accepted) == 2 * len(ABSENT)
    named_at = missing.index(ABSENT)
    assert {each[:named_at] + ABSENT + each[named_at + len(ABSENT) :] for each in accepted} == {missing}


def spoilt(proof):
    for change in (0x01, 0x84):
        for at in range(len(proof)):
            yield proof[:at] + bytes([proof[at] ^ change]) + proof[at + 1 :]


def passes(verify, *arguments):
    try:
        verify(*arguments)
    except (InvalidProof, InvalidMerkleProof):
        return False
    return True


@ROADS
def test_h19_a_node_has_two_children_and_no_third(road, plain_chain):
    """A step that brings both a left and a right sibling, as in the forged range proof of 2022."""
    exist = existence(plain_chain, KEY)
    for step in exist.path:
        both = pb.ExistenceProof()
        both.CopyFrom(exist)
        place = list(exist.path).index(step)
        if step.suffix:
            both.path[place].prefix = step.prefix + b"s" * 32 + b"\x20"
        else:
            both.path[place].suffix = b"\x20" + b"s" * 32
        refused(road, plain_chain, KEY, exist.value, both)


def test_h19_nothing_takes_a_proof_of_a_range():
    import iavl
    from pyibc.core import proofs

    names = [name.lower() for module in (iavl, proofs) for name in dir(module)]
    assert [name for name in names if "range" in name or "batch" in name] == []
    assert pb.CommitmentProof(batch=pb.BatchProof()).WhichOneof("proof") == "batch"
    for road in PAIRS.values():
        chain = chain_of({b"k": b"v"}, stores=2)
        batch = pb.BatchProof(entries=[pb.BatchEntry(exist=existence(chain, b"k"))])
        with pytest.raises(InvalidProof):
            road[0](
                SDK_SPECS,
                chain.root,
                (b"ibc", b"k"),
                b"v",
                with_stores(chain, pb.CommitmentProof(batch=batch)),
            )


@ROADS
@pytest.mark.parametrize("length", [0, 1, 13, 20, 31, 33])
def test_h20_a_root_has_32_bytes(road, length, plain_chain, items):
    member, absent = road
    root = (plain_chain.root * 2)[:length]
    error = InvalidProof if length else InvalidMerkleProof
    with pytest.raises(error):
        member(SDK_SPECS, root, (b"ibc", KEY), items[KEY], plain_chain.prove(KEY))
    with pytest.raises(error):
        absent(SDK_SPECS, root, (b"ibc", ABSENT), plain_chain.prove(ABSENT))


@ROADS
def test_h20_an_empty_tree_proves_nothing(road, plain_chain):
    """No neighbours at all: absence from a tree whose root nobody knows."""
    _, absent = road
    nobody = pb.CommitmentProof(nonexist=pb.NonExistenceProof(key=ABSENT))
    for lower in ((nobody,), ()):
        with pytest.raises((InvalidProof, InvalidMerkleProof)):
            absent(SDK_SPECS, plain_chain.root, (b"ibc", ABSENT), with_stores(plain_chain, *lower))


@ROADS
@pytest.mark.parametrize(
    ("depth", "legal"), [(DEFAULT_MAX_DEPTH, True), (DEFAULT_MAX_DEPTH + 1, False), (5_000, False)]
)
def test_h21_a_proof_has_at_most_128_steps(road, depth, legal, plain_chain, items):
    """No depth in the specification means 128, not any."""
    member, _ = road
    steps = [(b"\x01", sha256(b"%d" % number).digest()) for number in range(depth)]
    upper = synthetic.existence(b"ibc", plain_chain.tree.root, b"\x00", steps)
    root = sha256(b"\x00\x03ibc\x20" + sha256(plain_chain.tree.root).digest()).digest()
    for prefix, suffix in steps:
        root = sha256(prefix + root + suffix).digest()
    top = pb.CommitmentProof(exist=pb.ExistenceProof.FromString(upper)).SerializeToString()
    proof = join_proofs(plain_chain.tree.prove(KEY), top)
    assert passes(member, SDK_SPECS, root, (b"ibc", KEY), items[KEY], proof) is legal


@ROADS
def test_h21_keys_out_of_order_prove_no_absence(road, plain_chain):
    """Neighbours the wrong way round enclose nothing, and the right ones no key that lies beyond them."""
    _, absent = road
    proof = pb.CommitmentProof.FromString(plain_chain.tree.prove(ABSENT))
    for beyond in (b"a", KEY, b"commitments/sequences/1008", b"commitments/sequences/1050", b"z"):
        proof.nonexist.key = beyond
        with pytest.raises(InvalidProof):
            absent(SDK_SPECS, plain_chain.root, (b"ibc", beyond), with_stores(plain_chain, proof))
    proof.nonexist.key = ABSENT
    absent(SDK_SPECS, plain_chain.root, (b"ibc", ABSENT), with_stores(plain_chain, proof))
    left, right = pb.ExistenceProof(), pb.ExistenceProof()
    left.CopyFrom(proof.nonexist.left)
    right.CopyFrom(proof.nonexist.right)
    proof.nonexist.left.CopyFrom(right)
    proof.nonexist.right.CopyFrom(left)
    with pytest.raises(InvalidProof):
        absent(SDK_SPECS, plain_chain.root, (b"ibc", ABSENT), with_stores(plain_chain, proof))


def test_h21_sizes_that_bound_nothing_verify_nothing(plain_chain, items):
    shape = IAVL_SPEC.inner_spec
    for change in (
        {"child_size": 0},
        {"child_size": -1},
        {"max_prefix_length": shape.min_prefix_length + shape.child_size},
    ):
        loose = IAVL_SPEC._replace(inner_spec=shape._replace(**change))
        with pytest.raises(InvalidProof):
            verify_membership(
                (loose, SDK_SPECS[1]),
                plain_chain.root,
                (b"ibc", KEY),
                items[KEY],
                plain_chain.prove(KEY),
                Memo(),
            )


@ROADS
def test_h22_a_proof_to_another_root_is_refused(road, plain_chain, items):
    member, absent = road
    for root in (bytes(32), sha256(plain_chain.root).digest(), plain_chain.tree.root):
        with pytest.raises(InvalidProof):
            member(SDK_SPECS, root, (b"ibc", KEY), items[KEY], plain_chain.prove(KEY))
        with pytest.raises(InvalidProof):
            absent(SDK_SPECS, root, (b"ibc", ABSENT), plain_chain.prove(ABSENT))


@ROADS
def test_h22_a_right_proof_of_another_value_is_refused(road, plain_chain, items):
    member, _ = road
    for value in (b"x", items[KEY] + b"x", items[KEY][:-1]):
        with pytest.raises(InvalidProof):
            member(SDK_SPECS, plain_chain.root, (b"ibc", KEY), value, plain_chain.prove(KEY))


@ROADS
def test_h22_the_neighbours_of_one_key_do_not_enclose_another(road, plain_chain):
    """The absence of a key that is there, shown by neighbours around some other place."""
    _, absent = road
    proof = pb.CommitmentProof.FromString(plain_chain.tree.prove(ABSENT))
    for present in (b"commitments/sequences/1003", KEY, b"commitments/sequences/1008"):
        proof.nonexist.key = present
        with pytest.raises(InvalidProof):
            absent(SDK_SPECS, plain_chain.root, (b"ibc", present), with_stores(plain_chain, proof))


@ROADS
@pytest.mark.parametrize("store", [b"", b"bank", b"ibc2", b"store00"])
def test_h22_a_proof_is_of_one_store(road, store, plain_chain, items):
    member, absent = road
    with pytest.raises(InvalidProof):
        member(SDK_SPECS, plain_chain.root, (store, KEY), items[KEY], plain_chain.prove(KEY))
    with pytest.raises(InvalidProof):
        absent(SDK_SPECS, plain_chain.root, (store, ABSENT), plain_chain.prove(ABSENT))
