"""What a proof costs is in proportion to its bytes and to its specification. Work is counted, not timed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import InvalidMerkleProof, InvalidProof
from pyibc.core.proofs import Memo, decode, fast
from pyibc.core.proofs import chain as reference
from pyibc.core.proofs import decode as wire
from pyibc.core.proofs.spec import SDK_SPECS, ExistenceProof, InnerOp, InnerSpec
from pyibc.core.proofs.verify import Shape, check_leftmost, check_rightmost
from pyibc.proto.varint import encode_varint
from tests.sampling import rounds


def field(number, content):
    return encode_varint(number << 3 | 2) + encode_varint(len(content)) + content


ONE_STEP = field(4, b"")


@pytest.mark.parametrize("number", [2, 3])
def test_h61_a_neighbour_that_comes_again_and_again_is_put_together_once(monkeypatch, number):
    """gogoproto merges an embedded message that comes twice: here its path was copied each time."""
    copied = []

    def counting(*parts):
        made = ExistenceProof(*parts)
        copied.append(len(made.path))
        return made

    monkeypatch.setattr(decode, "ExistenceProof", counting)
    monkeypatch.setattr(wire, "FREE_FIELDS", 6_000)
    found = decode.commitment_proof(field(2, field(1, b"k") + field(number, ONE_STEP) * 3_000))
    sides = (found.left, found.right)
    assert sum(copied) == len(sides[number - 2].path) == 3_000
    assert sides[3 - number] is None


def test_h61_what_is_merged_is_what_gogoproto_merges():
    left = field(1, b"a") + field(4, field(2, b"one"))
    again = field(2, b"v") + field(3, b"\x08\x01") + field(4, field(2, b"two")) + field(1, b"b")
    found = decode.commitment_proof(field(2, field(2, left) + field(3, field(1, b"z")) + field(2, again)))
    assert found.left.key == b"b"
    assert found.left.value == b"v"
    assert found.left.leaf.hash == 1
    assert [step.prefix for step in found.left.path] == [b"one", b"two"]
    assert found.right == ExistenceProof(b"z")


EMPTY = {
    "proofs": field(1, b""),
    "existence proofs": field(1, field(1, b"") * 50_000),
    "steps": field(1, field(1, field(4, b"") * 50_000)),
    "leaves": field(1, field(1, field(3, b"") * 50_000)),
    "numbers of a leaf": field(1, field(1, field(3, b"\x08\x01" * 50_000))),
    "neighbours": field(1, field(2, field(3, b"") * 50_000)),
    "unknown numbers": b"\x78\x01",
    "unknown groups": b"\x7b" * 50_000 + b"\x7c" * 50_000,
}


@pytest.mark.parametrize("raw", EMPTY.values(), ids=EMPTY)
def test_h61_a_proof_has_so_many_fields_for_its_size(monkeypatch, raw):
    """Two bytes again and again cost a microsecond each: more than all hashes of a proof of that size."""
    raw = raw if len(raw) > 2 else raw * 50_000
    counted, read = [], wire.read_varint
    monkeypatch.setattr(wire, "read_varint", lambda *given: counted.append(1) or read(*given))
    with pytest.raises(InvalidProof, match="too many fields"):
        decode.merkle_proof(raw)
    assert len(counted) <= 2 * (len(raw) / wire.BYTES_A_FIELD + wire.FREE_FIELDS)


def test_a_field_that_is_unknown_is_counted_once():
    """150 of them are fewer than 256; and what has none that is known is no list of proofs at all."""
    assert decode.merkle_proof(b"\x78\x78" * 150) == ()
    with pytest.raises(InvalidMerkleProof):
        reference.verify_membership(SDK_SPECS, b"root", (b"ibc", b"key"), b"value", b"\x78\x78" * 150)


@pytest.mark.parametrize("steps", [1, 60, 1_024])
def test_h61_the_shortest_steps_of_a_tree_are_few_enough(steps):
    """Of a simple Merkle tree: a hash, and a prefix or a suffix of 33 bytes."""
    step = field(4, b"\x08\x01" + field(2, b"\x01") + field(3, bytes(32)))
    leaf = field(3, b"\x08\x01\x10\x00\x18\x01\x20\x01" + field(5, b"\x00"))
    exist = field(1, field(1, field(1, b"k") + field(2, b"v") + leaf + step * steps))
    assert [len(each.path) for each in decode.merkle_proof(exist * 3)] == [steps] * 3


class Counted(tuple):
    """A child order that counts how many of its entries are looked at."""

    __slots__ = ()
    seen = 0

    def __iter__(self):
        for each in tuple.__iter__(self):
            Counted.seen += 1
            yield each

    def __contains__(self, branch):
        return any(each == branch for each in self)

    def index(self, branch, *_):
        return next(at for at, each in enumerate(self) if each == branch)

    def __getitem__(self, at):
        Counted.seen += 1
        return tuple.__getitem__(self, at)


def test_h61_a_child_order_is_read_once_and_not_at_each_step():
    """16,000 children took a step eight seconds: each branch was looked for from the first entry."""
    count, steps = 2_000, 50
    order = Counted(reversed(range(count)))
    spec = InnerSpec(order, 1, 1, 1, b"\x00")
    Counted.seen = 0
    check_leftmost(Shape(spec), [InnerOp(1, b"x" + bytes(count - 1), b"")] * steps)
    check_rightmost(Shape(spec), [InnerOp(1, b"x", bytes(count - 1))] * steps)
    assert count < Counted.seen <= 2 * count + 4 * steps


def plain_branch(spec, step):
    """ics23/go's loop (`orderFromPadding`), as it is written there."""
    order = spec.child_order
    for branch in range(len(order)):
        if branch not in order:
            return None
        place = order.index(branch)
        before, after = place * spec.child_size, (len(order) - 1 - place) * spec.child_size
        low, high = before + spec.min_prefix_length, before + spec.max_prefix_length
        if low <= len(step.prefix) <= high and len(step.suffix or b"") == after:
            return branch
    return None


@given(
    st.lists(st.integers(-1, 5), max_size=5),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 15),
    st.integers(0, 15),
)
@settings(max_examples=rounds(100, 400), deadline=None)
def test_h61_a_branch_is_the_one_that_ics23_finds(order, size, low, room, prefix, suffix):
    spec = InnerSpec(tuple(order), size, low, low + room)
    step = InnerOp(1, bytes(prefix), bytes(suffix))
    expected = plain_branch(spec, step)
    if expected is None:
        with pytest.raises(InvalidProof):
            Shape(spec).branch_of(step)
    else:
        assert Shape(spec).branch_of(step) == expected


def verdict(verify, *arguments):
    try:
        verify(*arguments)
    except (InvalidProof, InvalidMerkleProof):
        return False
    return True


@given(st.data())
@settings(max_examples=rounds(75, 300), deadline=None)
def test_h63_what_the_fast_path_accepts_the_reference_accepts(chain, items, data):
    """Bytes changed, cut out, doubled and put in, most of them where a path's headers are."""
    key = data.draw(st.sampled_from(sorted(items)[:8]), "key")
    proof = bytearray(chain.prove(key))
    for _ in range(data.draw(st.integers(0, 3), "edits")):
        at = data.draw(st.integers(0, len(proof) - 1), "place")
        edit = data.draw(st.sampled_from(["set", "cut", "double", "insert"]), "edit")
        if edit == "set":
            proof[at] = data.draw(st.integers(0, 255), "byte")
        elif edit == "cut":
            del proof[at]
        elif edit == "double":
            proof[at:at] = proof[at : at + 1]
        else:
            proof[at:at] = data.draw(st.binary(min_size=1, max_size=10), "bytes")
    arguments = (SDK_SPECS, chain.root, (b"ibc", key), items[key], bytes(proof))
    try:
        accepted = fast._shows(chain.root, b"ibc", key, items[key], bytes(proof), Memo())
    except IndexError:
        accepted = False
    assert not accepted or verdict(reference.verify_membership, *arguments)


HEADERS = st.one_of(
    st.binary(min_size=1, max_size=13),
    st.integers(0, 2**70).map(encode_varint),
    st.lists(st.integers(0, 2**64).map(encode_varint), min_size=1, max_size=3).map(b"".join),
    st.tuples(st.integers(1, 10), st.integers(0, 127)).map(
        lambda n: b"\xfe" + b"\xff" * n[0] + bytes([n[1]])
    ),
)


@given(HEADERS)
@settings(max_examples=rounds(100, 400), deadline=None)
def test_h63_a_leafs_version_is_read_alike_on_both_roads(made_proof, version):
    """A header that hashes to the root: only its form can part the two."""
    root, proof = made_proof(b"\x00\x02" + version)
    arguments = (SDK_SPECS, root, (b"ibc", b"k"), b"v", proof)
    try:
        accepted = fast._shows(root, b"ibc", b"k", b"v", proof, Memo())
    except IndexError:
        accepted = False
    assert not accepted or verdict(reference.verify_membership, *arguments)
    assert verdict(fast.verify_membership, *arguments, Memo()) == verdict(
        reference.verify_membership, *arguments
    )


@given(HEADERS)
@settings(max_examples=rounds(50, 200), deadline=None)
def test_h63_a_nodes_header_is_read_alike_on_both_roads(made_proof, header):
    root, proof = made_proof(b"\x00\x02\x02", header)
    arguments = (SDK_SPECS, root, (b"ibc", b"k"), b"v", proof)
    assert verdict(fast.verify_membership, *arguments, Memo()) == verdict(
        reference.verify_membership, *arguments
    )


@pytest.mark.parametrize(("last", "legal"), [(0x01, True), (0x7F, False), (0x02, False)])
def test_h63_a_version_of_ten_bytes_is_judged_by_the_reference(made_proof, last, legal):
    root, proof = made_proof(b"\x00\x02\xfe" + b"\xff" * 8 + bytes([last]))
    assert not fast._shows(root, b"ibc", b"k", b"v", proof, Memo())
    memo = Memo()
    arguments = (SDK_SPECS, root, (b"ibc", b"k"), b"v", proof)
    if legal:
        fast.verify_membership(*arguments, memo)
    else:
        with pytest.raises(InvalidProof, match="version is out of range"):
            fast.verify_membership(*arguments, memo)
    assert len(memo) == 0
