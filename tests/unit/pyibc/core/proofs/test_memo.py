import pytest

from conformance.vectors.synthetic import MultiStore, StoreTree, chain_of, existence, join_proofs
from pyibc.core.errors import InvalidProof
from pyibc.core.proofs import SDK_SPECS, Memo, fast, verify_membership, verify_non_membership
from pyibc.core.proofs import chain as reference
from pyibc.core.proofs.fast import Tail
from pyibc.core.proofs.spec import IAVL_SPEC, TENDERMINT_SPEC, InnerOp, apply_inner, apply_leaf
from pyibc.proto.varint import encode_varint


def path_of(heights):
    for height in heights:
        header = encode_varint(2 * height) + encode_varint(2 * 5) + encode_varint(2 * 9)
        yield header + b"\x20", b"\x20" + bytes([height]) * 32


def proof_of(key, value, heights):
    """A proof whose IAVL steps have these heights, and its root."""
    path = list(path_of(heights))
    node = apply_leaf(IAVL_SPEC.leaf_spec._replace(prefix=b"\x00\x02\x02"), key, value)
    for prefix, suffix in path:
        node = apply_inner(InnerOp(1, prefix, suffix), node)
    lower = b"\x0a" + encode_varint(len(raw := existence(key, value, b"\x00\x02\x02", path))) + raw
    stores = MultiStore({b"ibc": node, b"x": b"y"})
    return stores.root, join_proofs(lower, stores.prove(b"ibc"))


@pytest.mark.parametrize("heights", [(), (1,), (1, 2, 3), (2, 2), (1, 1), (3, 2, 1), (1, 2, 2), (60,) * 60])
def test_an_iavl_node_is_at_least_as_high_as_its_layer(heights):
    root, proof = proof_of(b"k", b"v", heights)
    legal = all(height >= layer for layer, height in enumerate(heights, 1))
    for verify in (reference.verify_membership, verify_membership):
        if legal:
            verify(SDK_SPECS, root, (b"ibc", b"k"), b"v", proof)
        else:
            with pytest.raises(InvalidProof, match="below layer"):
                verify(SDK_SPECS, root, (b"ibc", b"k"), b"v", proof)


@pytest.mark.parametrize(("depth", "legal"), [(63, True), (64, False)])
def test_height_byte_bounds_the_fast_path_but_not_the_verdict(depth, legal):
    heights = (*range(1, depth), depth)
    root, proof = proof_of(b"k", b"v", heights)
    assert fast._shows(root, b"ibc", b"k", b"v", proof, Memo()) is legal
    verify_membership(SDK_SPECS, root, (b"ibc", b"k"), b"v", proof)


def test_a_right_child_with_a_header_too_long_is_refused():
    """46 bytes of prefix; 45 are the most. As a left child's step the same header is within the bound."""
    for size in (11, 12):
        grown = b"\x02" + encode_varint(2 ** (7 * (size - 3))) + b"\x12"
        assert len(grown) == size
        left, right = (grown + b"\x20", b"\x20" + b"s" * 32), (grown + b"\x20" + b"s" * 32 + b"\x20", b"")
        assert _verdict(left)
        assert _verdict(right) is (size == 11)


def _verdict(step):
    node = apply_leaf(IAVL_SPEC.leaf_spec._replace(prefix=b"\x00\x02\x02"), b"k", b"v")
    root = apply_inner(InnerOp(1, *step), node)
    raw = existence(b"k", b"v", b"\x00\x02\x02", [step])
    stores = MultiStore({b"ibc": root, b"x": b"y"})
    proof = join_proofs(b"\x0a" + encode_varint(len(raw)) + raw, stores.prove(b"ibc"))
    verdicts = set()
    for verify in (reference.verify_membership, verify_membership):
        try:
            verify(SDK_SPECS, stores.root, (b"ibc", b"k"), b"v", proof)
            verdicts.add(True)
        except InvalidProof:
            verdicts.add(False)
    (verdict,) = verdicts
    return verdict


@pytest.mark.parametrize("items", [{b"k": b""}, {b"": b"v"}])
def test_leaves_without_key_or_value_prove_nothing(items):
    ((key, value),) = items.items()
    made = chain_of(items)
    with pytest.raises(InvalidProof):
        verify_membership(SDK_SPECS, made.root, (b"ibc", key), value, made.prove(key), Memo())


def test_neighbours_without_value_and_stores_without_name_prove_nothing():
    made = chain_of({b"a": b"", b"c": b"v"})
    with pytest.raises(InvalidProof):
        verify_non_membership(SDK_SPECS, made.root, (b"ibc", b"b"), made.prove(b"b"), Memo())
    tree = StoreTree({b"a": b"v", b"c": b"v"})
    stores = MultiStore({b"": tree.root, b"x": b"y"})
    for key, verify in (
        (b"a", lambda *a: verify_membership(*a[:3], b"v", *a[3:])),
        (b"b", verify_non_membership),
    ):
        with pytest.raises(InvalidProof):
            verify(
                SDK_SPECS, stores.root, (b"", key), join_proofs(tree.prove(key), stores.prove(b"")), Memo()
            )


def test_other_specifications_never_take_the_fast_path(chain, items):
    key = next(iter(items))
    for specs in ((IAVL_SPEC, IAVL_SPEC), (TENDERMINT_SPEC, IAVL_SPEC)):
        with pytest.raises(InvalidProof):
            verify_non_membership(specs, chain.root, (b"ibc", key + b"x"), chain.prove(key + b"x"))
        with pytest.raises(InvalidProof):
            verify_membership(specs, chain.root, (b"ibc", key), items[key], chain.prove(key))


def test_a_known_tail_does_not_lift_a_node_above_its_height():
    """The node that ends a legal path of two steps may not stand at layer two of a longer one."""
    memo = Memo()
    root, proof = proof_of(b"k", b"v", (1, 2))
    verify_membership(SDK_SPECS, root, (b"ibc", b"k"), b"v", proof, memo)
    tails = [*memo.tails.values()]
    assert [tail.bound for tail in tails] == [1, 0]


def test_h62_the_memo_is_bounded_by_what_its_entries_weigh():
    memo = Memo(limit=32_000)
    for number in range(100):
        memo.remember([(bytes([number]), Tail(bytes(1000), 1, b""))])
        assert sum(len(tail.steps) for tail in memo.tails.values()) < 28_000
    assert bytes([99]) in memo.tails
    assert bytes([0]) not in memo.tails
    memo.remember([(b"heavy", Tail(bytes(4_000), 1, b""))])
    assert b"heavy" not in memo.tails
    assert bytes([99]) in memo.tails


def test_a_refused_proof_is_not_remembered(chain, items):
    memo = Memo()
    key = next(iter(items))
    with pytest.raises(InvalidProof):
        verify_membership(SDK_SPECS, b"r" * 32, (b"ibc", key), items[key], chain.prove(key), memo)
    assert len(memo) == 0


def test_the_fast_path_takes_what_a_chain_serves(chain, items):
    for key, value in items.items():
        assert fast._shows(chain.root, b"ibc", key, value, chain.prove(key), Memo())


def test_the_fast_path_takes_absence_between_two_keys(chain, items):
    for key in list(items)[:-1]:
        absent = key + b"x"
        assert fast._shows_absence(chain.root, b"ibc", absent, chain.prove(absent), Memo())


def test_the_fast_path_leaves_the_edges_to_the_reference(plain_chain):
    for absent in (b"a", b"z"):
        assert not fast._shows_absence(plain_chain.root, b"ibc", absent, plain_chain.prove(absent), Memo())
        verify_non_membership(SDK_SPECS, plain_chain.root, (b"ibc", absent), plain_chain.prove(absent))


def test_absence_and_membership_share_what_is_known(chain, items):
    memo = Memo()
    keys = list(items)
    verify_membership(SDK_SPECS, chain.root, (b"ibc", keys[0]), items[keys[0]], chain.prove(keys[0]), memo)
    known = len(memo)
    absent = keys[0] + b"x"
    verify_non_membership(SDK_SPECS, chain.root, (b"ibc", absent), chain.prove(absent), memo)
    assert len(memo) == known


def test_a_store_proof_known_for_one_root_is_checked_for_another(chain, items):
    memo = Memo()
    key = next(iter(items))
    proof = chain.prove(key)
    verify_membership(SDK_SPECS, chain.root, (b"ibc", key), items[key], proof, memo)
    for root, store in ((b"r" * 32, b"ibc"), (chain.root, b"abc")):
        with pytest.raises(InvalidProof):
            verify_membership(SDK_SPECS, root, (store, key), items[key], proof, memo)
