import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.vectors.synthetic import MultiStore, StoreTree, join_proofs
from pyibc.core.errors import InvalidMerkleProof, InvalidProof
from pyibc.core.proofs import (
    IAVL_SPEC,
    SDK_SPECS,
    TENDERMINT_SPEC,
    Memo,
    verify_membership,
    verify_non_membership,
)
from pyibc.core.proofs import chain as reference
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2 as pb
from pyibc.proto.varint import encode_varint
from tests.sampling import rounds

KEY = b"commitments/sequences/1007"
ABSENT = b"commitments/sequences/1007x"


def refusal(action):
    try:
        action()
    except (InvalidProof, InvalidMerkleProof) as error:
        return type(error), str(error)
    return None


def field(number, data):
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


@pytest.mark.parametrize("verify", [reference.verify_membership, verify_membership])
def test_every_key_is_proven_and_no_other_value(verify, chain, items):
    for key, value in items.items():
        verify(SDK_SPECS, chain.root, (b"ibc", key), value, chain.prove(key))
        with pytest.raises(InvalidProof, match="another value"):
            verify(SDK_SPECS, chain.root, (b"ibc", key), value + b"x", chain.prove(key))


@pytest.mark.parametrize("key", [ABSENT, b"a", b"commitments/sequences/1000 "])
def test_absence_between_and_left_of_all_keys_is_proven(key, chain):
    verify_non_membership(SDK_SPECS, chain.root, (b"ibc", key), chain.prove(key))


def test_absence_right_of_all_keys_is_proven(plain_chain):
    verify_non_membership(SDK_SPECS, plain_chain.root, (b"ibc", b"z"), plain_chain.prove(b"z"))


@pytest.mark.parametrize("key", [b"commitments/sequences/1000", KEY, b"commitments/sequences/1008", b"z"])
def test_h22_absence_of_another_key_is_not_proven(key, chain):
    with pytest.raises(InvalidProof, match="key is not"):
        verify_non_membership(SDK_SPECS, chain.root, (b"ibc", key), chain.prove(ABSENT))


def test_h22_edge_proof_of_a_key_that_is_not_at_the_edge_is_refused(plain_chain, items):
    exist = plain_chain.tree.prove(KEY)[1:]
    inner = exist[2:] if exist[0] >= 0x80 else exist[1:]
    for number, match in ((2, "right-most"), (3, "left-most")):
        low, high = b"a", b"z"
        key = high if number == 2 else low
        proof = join_proofs(field(2, field(1, key) + field(number, inner)), plain_chain.stores.prove(b"ibc"))
        with pytest.raises(InvalidProof, match=match):
            verify_non_membership(SDK_SPECS, plain_chain.root, (b"ibc", key), proof)


def test_h22_neighbours_with_a_key_between_them_are_refused(plain_chain):
    tree = plain_chain.tree
    sides = []
    for key in (b"commitments/sequences/1005", b"commitments/sequences/1008"):
        proof = tree.prove(key)
        sides.append(proof[3:] if proof[1] >= 0x80 else proof[2:])
    forged = field(2, field(1, ABSENT) + field(2, sides[0]) + field(3, sides[1]))
    proof = join_proofs(forged, plain_chain.stores.prove(b"ibc"))
    with pytest.raises(InvalidProof, match=r"right-most|left-most|neighbours"):
        verify_non_membership(SDK_SPECS, plain_chain.root, (b"ibc", ABSENT), proof)


def test_identical_neighbours_are_refused_where_ics23_go_panics():
    tree = StoreTree({b"k": b"v"})
    side = tree.prove(b"k")[2:]
    proof = field(2, field(2, side) + field(3, side))
    with pytest.raises(InvalidProof, match="key is not"):
        verify_non_membership((IAVL_SPEC,), tree.root, (b"j",), join_proofs(proof))


@pytest.mark.parametrize(
    ("specs", "root", "path", "value", "error", "match"),
    [
        (SDK_SPECS, b"", (b"ibc", KEY), b"v", InvalidMerkleProof, "root cannot be empty"),
        (SDK_SPECS, b"r", (KEY,), b"v", InvalidProof, "path of 1 keys"),
        (SDK_SPECS, b"r", (b"ibc", KEY, b"x"), b"v", InvalidProof, "path of 3 keys"),
        (SDK_SPECS[:1], b"r", (KEY,), b"v", InvalidMerkleProof, "2 proofs for 1"),
        (SDK_SPECS, b"r", (b"ibc", KEY), b"", InvalidProof, "empty value"),
        ((IAVL_SPEC, IAVL_SPEC), b"r", (b"ibc", KEY), b"v", InvalidProof, "value"),
    ],
)
def test_h20_arguments_that_do_not_fit(specs, root, path, value, error, match, chain):
    with pytest.raises(error, match=match):
        verify_membership(specs, root, path, value, chain.prove(KEY))


def test_h20_an_empty_proof_is_refused(chain):
    for proof in (b"", b"\x0a\x00", b"\x0a\x00\x0a\x00"):
        with pytest.raises((InvalidMerkleProof, InvalidProof)):
            verify_membership(SDK_SPECS, chain.root, (b"ibc", KEY), b"v", proof)
        with pytest.raises((InvalidMerkleProof, InvalidProof)):
            verify_non_membership(SDK_SPECS, chain.root, (b"ibc", KEY), proof)


def test_h23_a_store_proof_of_another_store_is_refused(chain, items):
    stores = MultiStore({b"ibc": chain.tree.root, b"bank": b"r" * 32})
    proof = join_proofs(chain.tree.prove(KEY), stores.prove(b"bank"))
    with pytest.raises(InvalidProof):
        verify_membership(SDK_SPECS, stores.root, (b"ibc", KEY), items[KEY], proof)
    with pytest.raises(InvalidProof):
        verify_membership(SDK_SPECS, stores.root, (b"bank", KEY), items[KEY], proof)


def test_h22_a_chain_of_two_absence_proofs_whose_root_equals_the_value_is_refused(chain):
    # cosmos-sdk #6091: an absence proof must not pass for the step above it.
    absent = chain.tree.prove(ABSENT)
    with pytest.raises(InvalidProof, match="must be an existence proof"):
        verify_non_membership(SDK_SPECS, chain.tree.root, (b"ibc", ABSENT), join_proofs(absent, absent))


def test_h22_a_membership_proof_does_not_prove_absence(chain):
    with pytest.raises(InvalidProof, match="non-existence"):
        verify_non_membership(SDK_SPECS, chain.root, (b"ibc", ABSENT), chain.prove(KEY))


def test_exist_replaced_by_an_empty_exist_is_refused_as_in_go(chain, items):
    # gogoproto replaces a repeated oneof member, upb would merge it and accept.
    lower = chain.tree.prove(KEY) + b"\x0a\x00"
    with pytest.raises(InvalidProof):
        verify_membership(
            SDK_SPECS, chain.root, (b"ibc", KEY), items[KEY], join_proofs(lower, chain.stores.prove(b"ibc"))
        )


def test_a_present_empty_suffix_is_refused_as_in_go():
    stores = MultiStore({b"a": b"1" * 32, b"ibc": b"2" * 32})
    good = stores.prove(b"ibc")
    verify_membership((TENDERMINT_SPEC,), stores.root, (b"ibc",), b"2" * 32, join_proofs(good))
    exist = good[2:]
    step = exist.index(b"\x22\x25\x08\x01\x12\x21\x01")
    longer = exist[:step] + b"\x22\x27" + exist[step + 2 :] + b"\x1a\x00"
    with pytest.raises(InvalidProof, match="left child must be 01"):
        verify_membership(
            (TENDERMINT_SPEC,), stores.root, (b"ibc",), b"2" * 32, join_proofs(field(1, longer))
        )


def test_unknown_fields_are_skipped_as_in_go(chain, items):
    proof = chain.prove(KEY) + b"\x98\x06\x01" + b"\x9b\x06\x08\x01\x9c\x06"
    verify_membership(SDK_SPECS, chain.root, (b"ibc", KEY), items[KEY], proof, Memo())


@pytest.mark.parametrize(
    "tail", [b"\x0b", b"\x0c", b"\x98\x06", b"\x9a\x06\x05", b"\x08\x01", b"\x02", b"\x0f"]
)
def test_bytes_that_gogoproto_refuses(tail, chain, items):
    with pytest.raises(InvalidProof):
        verify_membership(SDK_SPECS, chain.root, (b"ibc", KEY), items[KEY], chain.prove(KEY) + tail, Memo())


def test_h18_every_bit_of_a_proof_is_bound(plain_chain, items):
    """Dragonberry: no mutated byte of a real proof may still prove the same thing."""
    proof = plain_chain.prove(KEY)
    accepted = []
    for at in range(len(proof)):
        mutated = proof[:at] + bytes([proof[at] ^ 0x01]) + proof[at + 1 :]
        if (
            refusal(
                lambda data=mutated: reference.verify_membership(
                    SDK_SPECS, plain_chain.root, (b"ibc", KEY), items[KEY], data
                )
            )
            is None
        ):
            accepted.append(at)
    assert accepted == []


def _mutated(proof: bytes, draw_at: int, kind: int, byte: int) -> bytes:
    at = draw_at % len(proof)
    if kind == 0:
        return proof[:at] + bytes([proof[at] ^ (byte or 1)]) + proof[at + 1 :]
    if kind == 1:
        return proof[:at] + proof[at + 1 + byte % 60 :]
    if kind == 2:
        return proof[:at] + bytes([byte]) + proof[at:]
    other = byte * len(proof) // 256
    return proof[:at] + proof[other : other + 45] + proof[at:]


@pytest.fixture(scope="module")
def warm(chain, items):
    memo = Memo()
    for key, value in items.items():
        verify_membership(SDK_SPECS, chain.root, (b"ibc", key), value, chain.prove(key), memo)
    return memo


@settings(max_examples=rounds(100, 400), deadline=None)
@given(
    at=st.integers(0, 10_000), kind=st.integers(0, 3), byte=st.integers(0, 255), key=st.integers(1000, 1063)
)
def test_cold_warm_and_reference_agree_on_mutated_proofs(at, kind, byte, key, chain, items, warm):
    name = b"commitments/sequences/%d" % key
    proof = _mutated(chain.prove(name), at, kind, byte)
    arguments = (SDK_SPECS, chain.root, (b"ibc", name), items[name], proof)
    expected = refusal(lambda: reference.verify_membership(*arguments))
    assert refusal(lambda: verify_membership(*arguments, Memo())) == expected
    assert refusal(lambda: verify_membership(*arguments, warm)) == expected
    assert refusal(lambda: verify_membership(*arguments, warm)) == expected


@settings(max_examples=rounds(100, 400), deadline=None)
@given(
    at=st.integers(0, 10_000), kind=st.integers(0, 3), byte=st.integers(0, 255), key=st.integers(1000, 1062)
)
def test_cold_warm_and_reference_agree_on_mutated_absence(at, kind, byte, key, chain, warm):
    name = b"commitments/sequences/%dx" % key
    proof = chain.prove(name) if byte == 255 else _mutated(chain.prove(name), at, kind, byte)
    arguments = (SDK_SPECS, chain.root, (b"ibc", name), proof)
    expected = refusal(lambda: reference.verify_non_membership(*arguments))
    assert refusal(lambda: verify_non_membership(*arguments, Memo())) == expected
    assert refusal(lambda: verify_non_membership(*arguments, warm)) == expected
    assert refusal(lambda: verify_non_membership(*arguments, warm)) == expected


@pytest.mark.parametrize("pair", [(0, 2), (3, 7), (10, 11), (31, 33), (62, 63), (5, 5), (9, 8)])
def test_roads_agree_on_any_two_sides(pair, chain, items, warm):
    """Two existence proofs put together as neighbours, whether they are or not."""
    keys = list(items)
    sides = []
    for place in pair:
        proof = chain.tree.prove(keys[place])
        sides.append(proof[3:] if proof[1] >= 0x80 else proof[2:])
    name = keys[pair[0]] + b"x"
    made = field(2, field(1, name) + field(2, sides[0]) + field(3, sides[1]))
    arguments = (SDK_SPECS, chain.root, (b"ibc", name), join_proofs(made, chain.stores.prove(b"ibc")))
    expected = refusal(lambda: reference.verify_non_membership(*arguments))
    assert (expected is None) is (pair[1] == pair[0] + 1)
    for memo in (Memo(), warm):
        assert refusal(lambda known=memo: verify_non_membership(*arguments, known)) == expected


@pytest.mark.parametrize("name", [b"y" + ABSENT[1:], ABSENT[:-1], b""], ids=["other", "shorter", "none"])
def test_the_key_that_an_absence_proof_names_is_not_read_on_either_road(name, chain, items):
    """As in ics23/go: the neighbours alone say what is absent, and never a key that is there."""
    lowest = pb.CommitmentProof.FromString(chain.tree.prove(ABSENT))
    lowest.nonexist.key = name
    named = join_proofs(lowest.SerializeToString(), chain.stores.prove(b"ibc"))
    assert named != chain.prove(ABSENT)
    for verify in (reference.verify_non_membership, verify_non_membership):
        verify(SDK_SPECS, chain.root, (b"ibc", ABSENT), named)
        with pytest.raises(InvalidProof):
            verify(SDK_SPECS, chain.root, (b"ibc", next(iter(items))), named)


def test_h22_garbage_above_a_known_node_is_refused_on_a_warm_node(chain, items):
    warm = Memo()
    proof = chain.prove(KEY)
    verify_membership(SDK_SPECS, chain.root, (b"ibc", KEY), items[KEY], proof, warm)
    upper = proof.rindex(b"\x1a\x21\x20", 0, proof.index(b"\x0a\x03ibc"))
    forged = proof[: upper + 5] + bytes(4) + proof[upper + 9 :]
    for memo in (warm, Memo()):
        with pytest.raises(InvalidProof, match=r"proof has root|another value"):
            verify_membership(SDK_SPECS, chain.root, (b"ibc", KEY), items[KEY], forged, memo)
