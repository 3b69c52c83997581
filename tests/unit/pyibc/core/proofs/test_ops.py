import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.crypto.hashes import ripemd160
from pyibc.core.errors import InvalidProof
from pyibc.core.proofs import decode, spec
from pyibc.core.proofs.decode import commitment_proof, leaf_op
from pyibc.core.proofs.spec import IAVL_SPEC, SMT_SPEC, TENDERMINT_SPEC, InnerOp, LeafOp, ProofSpec
from pyibc.core.proofs.verify import (
    Shape,
    check_inner,
    check_leaf,
    check_leftmost,
    check_neighbours,
    check_rightmost,
)
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from tests.sampling import rounds

LEFT = InnerOp(1, b"\x02\x04\x02\x20", b"\x20" + b"s" * 32)
RIGHT = InnerOp(1, b"\x02\x04\x02\x20" + b"s" * 32 + b"\x20")


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (b"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"),
        (b"abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
        (b"1234567890" * 8, "9b752e45573d4b39f4dbd3323cab82bf63326bfb"),
    ],
)
def test_ripemd160_of_its_authors_examples(text, digest):
    assert ripemd160(text).hex() == digest


@pytest.mark.parametrize(
    ("operation", "name"), [(1, "sha256"), (2, "sha512"), (6, "sha512_256"), (7, "blake2b"), (8, "blake2s")]
)
def test_hash_operations(operation, name):
    assert spec.hash_bytes(operation, b"food") == hashlib.new(name, b"food").digest()


@pytest.mark.parametrize("operation", [0, 3, 9, 10, -1])
def test_unsupported_hash_operations(operation):
    with pytest.raises(InvalidProof, match="unsupported hash"):
        spec.hash_bytes(operation, b"food")


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (0, b""),
        (1, b"\x04"),
        (3, b"\0\0\0\x04"),
        (4, b"\x04\0\0\0"),
        (5, b"\0" * 7 + b"\x04"),
        (6, b"\x04" + b"\0" * 7),
    ],
)
def test_length_operations(operation, expected):
    assert spec.with_length(operation, b"food") == expected + b"food"


def test_length_operations_that_refuse():
    assert spec.with_length(7, b"x" * 32) == b"x" * 32
    assert spec.with_length(8, b"x" * 64) == b"x" * 64
    for operation, data in ((7, b"x" * 31), (8, b"x" * 32), (2, b"x"), (9, b"x")):
        with pytest.raises(InvalidProof, match=r"not|unsupported"):
            spec.with_length(operation, data)


@pytest.mark.parametrize("prefix", ["000204", "00020a", "0002808080808080808001"])
def test_iavl_leaf_prefixes_that_pass(prefix):
    check_leaf(IAVL_SPEC.leaf_spec._replace(prefix=bytes.fromhex(prefix)), IAVL_SPEC)


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "00",
        "0002",
        "00020400",
        "020204",
        "000404",
        "000104",
        "000203",
        "0002" + "80" * 10 + "00",
        "01020a",
    ],
)
def test_h18_iavl_leaf_prefixes_that_do_not_pass(prefix):
    with pytest.raises(InvalidProof, match="IAVL"):
        check_leaf(IAVL_SPEC.leaf_spec._replace(prefix=bytes.fromhex(prefix)), IAVL_SPEC)


@pytest.mark.parametrize("field", ["hash", "prehash_key", "prehash_value", "length"])
def test_leaf_operations_are_the_specified_ones(field):
    leaf = IAVL_SPEC.leaf_spec._replace(prefix=b"\x00\x02\x02", **{field: 2})
    with pytest.raises(InvalidProof, match="leaf operations"):
        check_leaf(leaf, IAVL_SPEC)


@pytest.mark.parametrize(
    ("inner", "match"),
    [
        (LEFT._replace(hash=2), "hash operation"),
        (LEFT._replace(prefix=b"\x02\x04\x02"), "0 bytes after"),
        (LEFT._replace(prefix=b"\x02\x04\x02\x20\x20"), "2 bytes after"),
        (LEFT._replace(prefix=b"\x00\x04\x02\x20"), "below layer"),
        (LEFT._replace(prefix=b"\x01\x04\x02\x20"), "out of range"),
        (LEFT._replace(suffix=b"s" * 32), "whole number"),
        (RIGHT._replace(prefix=RIGHT.prefix + b"\x20"), "35 bytes after"),
    ],
)
def test_h18_iavl_inner_operations_that_do_not_pass(inner, match):
    check_inner(LEFT, IAVL_SPEC, 1)
    check_inner(RIGHT, IAVL_SPEC, 1)
    with pytest.raises(InvalidProof, match=match):
        check_inner(inner, IAVL_SPEC, 1)


@pytest.mark.parametrize(
    ("inner", "match"),
    [
        (InnerOp(1, b"", b"s" * 32), "begin with 01"),
        (InnerOp(1, b"\x02", b"s" * 32), "begin with 01"),
        (InnerOp(1, b"\x01" + b"s" * 32, b""), "must be 01"),
        (InnerOp(1, b"\x01" + b"s" * 32, b"s" * 32), "must be 01"),
        (InnerOp(1, b"\x01" + b"s" * 33), "33|34 bytes"),
    ],
)
def test_h21_simple_tree_operations_that_do_not_pass(inner, match):
    with pytest.raises(InvalidProof, match=match):
        check_inner(inner, TENDERMINT_SPEC, 1)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"child_size": 0}, "child size|bytes"),
        ({"child_size": 2**31 - 1, "min_prefix_length": 1, "max_prefix_length": 5}, "allow another child"),
        ({"max_prefix_length": 33}, "allow another child"),
    ],
)
def test_h21_specifications_that_are_unsound(change, match):
    shape = TENDERMINT_SPEC.inner_spec._replace(**change)
    with pytest.raises(InvalidProof, match=match):
        check_inner(InnerOp(1, b"\x01", b"s" * 32), ProofSpec(LeafOp(prefix=b"\x00"), shape), 1)


def test_specifications_with_missing_parts():
    for broken in (ProofSpec(), IAVL_SPEC._replace(leaf_spec=None), IAVL_SPEC._replace(inner_spec=None)):
        with pytest.raises(InvalidProof, match="specification"):
            check_inner(LEFT, broken, 1)


def test_paths_that_do_not_part_are_refused_where_ics23_go_panics():
    for left, right in (((), ()), ((LEFT,), (LEFT,)), ((LEFT,), (RIGHT, LEFT)), ((), (LEFT,))):
        with pytest.raises(InvalidProof, match="do not diverge"):
            check_neighbours(Shape(IAVL_SPEC.inner_spec), left, right)


def test_h19_steps_that_fit_no_place_have_no_neighbours():
    odd = InnerOp(1, b"\x02\x04\x02\x20", b"s" * 66)
    for left, right in ((odd, LEFT), (LEFT, odd)):
        with pytest.raises(InvalidProof, match="no place"):
            check_neighbours(Shape(IAVL_SPEC.inner_spec), [left], [right])


def test_h21_child_orders_that_lack_a_branch():
    shape = Shape(IAVL_SPEC.inner_spec._replace(child_order=(5, 6)))
    for check in (check_leftmost, check_rightmost):
        with pytest.raises(InvalidProof, match="not in the child order"):
            check(shape, ())


def test_three_children_are_neighbours_only_side_by_side():
    shape = Shape(spec.InnerSpec((0, 1, 2), 32, 1, 1, hash=1))
    steps = [InnerOp(1, b"\x01" + b"c" * 32 * n, b"c" * 32 * (2 - n)) for n in range(3)]
    check_neighbours(shape, steps[:1], steps[1:2])
    check_neighbours(shape, steps[1:2], steps[2:])
    for left, right in ((0, 2), (1, 0), (2, 0)):
        with pytest.raises(InvalidProof, match="not neighbours"):
            check_neighbours(shape, [steps[left]], [steps[right]])


def test_placeholders_make_an_edge():
    empty = SMT_SPEC.inner_spec.empty_child
    check_leftmost(Shape(SMT_SPEC.inner_spec), [InnerOp(1, b"\x01" + empty)])
    check_rightmost(Shape(SMT_SPEC.inner_spec), [InnerOp(1, b"\x01", empty)])
    with pytest.raises(InvalidProof, match="left-most"):
        check_leftmost(Shape(SMT_SPEC.inner_spec), [InnerOp(1, b"\x01" + b"x" * 32)])


def test_embedded_messages_that_come_twice_are_merged():
    assert leaf_op(b"\x08\x01", leaf_op(b"\x18\x01\x2a\x01\x00")) == LeafOp(1, 0, 1, 0, b"\x00")


def test_enums_are_cut_to_32_bits_as_in_go():
    assert leaf_op(b"\x08\x81\x80\x80\x80\x10").hash == 1
    assert leaf_op(b"\x08" + b"\xff" * 9 + b"\x01").hash == -1


def test_h19_batches_are_unrecognized():
    assert commitment_proof(b"\x1a\x00") is None
    assert commitment_proof(b"\x22\x00") is None
    assert commitment_proof(b"\x0a\x00\x1a\x00") is None


@settings(max_examples=rounds(50, 200), deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_decode_or_are_refused(data):
    try:
        commitment_proof(data)
    except InvalidProof:
        return


@pytest.mark.parametrize("data", [b"\x80", b"\x08", b"\x08\x80", b"\x08" + b"\x80" * 10, b"\xff" * 10])
def test_varints_that_do_not_end(data):
    with pytest.raises(InvalidProof, match="varint"):
        list(decode.fields(data, {1: decode.VARINT}, decode.Allowance(len(data))))


def test_what_is_beyond_64_bits_is_dropped_as_gogoproto_does():
    assert list(decode.fields(b"\x08" + b"\xff" * 9 + b"\x7f", {1: decode.VARINT}, decode.Allowance(20))) == [
        (1, 2**64 - 1, b"")
    ]
    long = b"\x81" + b"\x80" * 8 + b"\x02"  # 1, and a bit beyond
    assert list(decode.fields(b"\x0a" + long + b"x", {1: decode.BYTES}, decode.Allowance(20))) == [
        (1, 0, b"x")
    ]


@pytest.mark.parametrize("field", [3, 4])
def test_h19_a_batch_that_is_none_is_no_proof_whatever_comes_after_it(field):
    """ibc-go's decoder reads it before the member of the oneof that replaces it."""
    wanted = proofs_pb2.ExistenceProof(key=b"k", value=b"v", leaf=proofs_pb2.LeafOp(hash=1))
    exist = proofs_pb2.CommitmentProof(exist=wanted).SerializeToString()
    empty, malformed = bytes([field << 3 | 2, 0]), bytes([field << 3 | 2, 1, 0xEB])
    assert commitment_proof(empty + exist) == commitment_proof(exist)
    with pytest.raises(InvalidProof, match="BatchProof"):
        commitment_proof(malformed + exist)
