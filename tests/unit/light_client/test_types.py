import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.vectors import synthetic_headers as make
from light_client.tendermint import codec, hashing
from light_client.tendermint.encoding import (
    EMPTY_HASH,
    duration,
    inner_hash,
    leaf_hash,
    merkle_root,
    sfixed64_field,
    timestamp,
    varint_field,
)
from light_client.tendermint.types import (
    ED25519,
    MAX_TOTAL_POWER,
    NO_BLOCK,
    SECP256K1,
    BlockId,
    ValidatorSet,
    validator,
    validator_leaf,
)
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.errors import InvalidClientHeader, InvalidRequest, MalformedValidatorSet, TxDecode, UnpackAny
from pyibc.core.height import Height
from pyibc.proto.google.protobuf.timestamp_pb2 import Timestamp
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import types_pb2, validator_pb2
from tests.sampling import rounds

RING = make.keyring([5, 4, 3])
MEMBERS = RING.validators.validators


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"power": -1}, "voting_power"),
        ({"power": 2**63}, "voting_power"),
        ({"power": 5 - 2**64}, "voting_power"),
        ({"power": MAX_TOTAL_POWER}, "total_voting_power"),
        ({"address": b"x" * 20}, "address"),
        ({"address": b""}, "address"),
        ({"public_key": b"x" * 31}, "pub_key"),
        ({"key_type": "bls12381"}, "pub_key"),
        ({"key_type": SECP256K1}, "pub_key"),
    ],
)
def test_h31_impossible_validators(change, field):
    with pytest.raises(MalformedValidatorSet) as caught:
        ValidatorSet([MEMBERS[0]._replace(**change), *MEMBERS[1:]])
    assert caught.value.field == field


@pytest.mark.parametrize("power", [5 - 2**64, 5 + 2**64, -(2**64), 2**64])
def test_h31_d6_a_power_has_one_spelling(power):
    """p and p - 2^64 have the same 64 bits, so the hash of a set would not tell them apart."""
    for build in (ValidatorSet, hashing.validator_set_hash):
        with pytest.raises((MalformedValidatorSet, InvalidRequest)):
            build([MEMBERS[0]._replace(power=power), *MEMBERS[1:]])


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_d6_what_does_not_fit_64_bits_is_not_encoded(number):
    for encode in (varint_field, sfixed64_field):
        with pytest.raises(InvalidRequest):
            encode(1, number)
    assert varint_field(1, 2**64 - 1) == varint_field(1, -1)  # an unsigned field's, and a signed one's
    header = make.header("gaia-1", 5, RING)
    with pytest.raises(InvalidRequest):
        hashing.header_hash(header._replace(height=5 - 2**64))


def test_h26_a_validator_twice_is_refused():
    ValidatorSet(MEMBERS).check_distinct()
    twice = ValidatorSet([MEMBERS[0], MEMBERS[1], MEMBERS[0]._replace(power=1)])
    twice.check_readable()
    with pytest.raises(MalformedValidatorSet, match="twice"):
        twice.check_distinct()


def test_h29_the_proposer_is_one_of_the_set():
    with pytest.raises(MalformedValidatorSet, match="not in the set"):
        ValidatorSet(MEMBERS[:2], MEMBERS[2])
    with pytest.raises(MalformedValidatorSet, match="outside"):
        ValidatorSet(MEMBERS, MEMBERS[0]._replace(power=-1))


def test_the_greatest_total_is_allowed():
    assert ValidatorSet([MEMBERS[0]._replace(power=MAX_TOTAL_POWER)]).total_power == MAX_TOTAL_POWER


def test_h29_priorities_and_proposers_are_in_no_hash():
    other = ValidatorSet([member._replace(priority=9) for member in MEMBERS], MEMBERS[1])
    assert other.hash == RING.validators.hash == hashing.validator_set_hash(MEMBERS)


def test_h33_sets_that_differ_in_a_key_a_power_or_the_order_differ_in_hash():
    hashes = {
        RING.validators.hash,
        ValidatorSet(MEMBERS[:2]).hash,
        ValidatorSet(MEMBERS[::-1]).hash,
        ValidatorSet([MEMBERS[0]._replace(power=6), *MEMBERS[1:]]).hash,
        ValidatorSet([validator(ED25519, b"k" * 32, 5), *MEMBERS[1:]]).hash,
    }
    assert len(hashes) == 5


def test_h33_every_field_of_a_header_is_in_its_hash():
    base = make.header("gaia-1", 5, RING)
    changes = {
        field: (value + 1 if isinstance(value, int) else value + ("x" if isinstance(value, str) else b"x"))
        for field, value in base._asdict().items()
        if field != "last_block_id"
    }
    hashes = {hashing.header_hash(base._replace(**{field: value})) for field, value in changes.items()}
    for block_id in (BlockId(b"h" * 32), BlockId(b"", 2), BlockId(b"", 0, b"p" * 32)):
        hashes.add(hashing.header_hash(base._replace(last_block_id=block_id)))
    assert len(hashes | {hashing.header_hash(base)}) == len(changes) + 3 + 1


def test_a_header_without_validators_hash_has_none():
    assert hashing.header_hash(make.header("gaia-1", 5, RING)._replace(validators_hash=b"")) == b""


def test_h33_every_field_of_a_vote_and_of_a_commit_is_in_its_bytes():
    base = ("gaia-1", 2, 5, 1, BlockId(b"h" * 32, 1, b"p" * 32), 7)
    others = [("gaia-2", *base[1:]), (base[0], 1, *base[2:]), (*base[:2], 6, *base[3:])]
    others += [(*base[:3], 2, *base[4:]), (*base[:4], NO_BLOCK, 7), (*base[:4], BlockId(b"i" * 32), 7)]
    others += [(*base[:4], BlockId(b"h" * 32, 2, b"p" * 32), 7), (*base[:5], 8)]
    assert len({hashing.vote_sign_bytes(*each) for each in (base, *others)}) == len(others) + 1
    commit = make.signed("gaia-1", 5, RING).commit
    first, *rest = commit.signatures
    changed = [
        first._replace(flag=3),
        first._replace(validator_address=b"a" * 20),
        first._replace(time_ns=first.time_ns + 1),
        first._replace(signature=b"s" * 64),
    ]
    hashes = {hashing.commit_hash(commit._replace(signatures=(each, *rest))) for each in (first, *changed)}
    assert len(hashes) == 5


def test_h33_every_field_of_a_result_that_is_hashed_is_in_the_hash():
    base = hashing.TxResult(1, b"d", 10, 9)
    changed = [
        base._replace(**each) for each in ({"code": 2}, {"data": b"e"}, {"gas_wanted": 11}, {"gas_used": 8})
    ]
    assert len({hashing.results_hash([each]) for each in (base, *changed)}) == 5


@given(st.lists(st.binary(max_size=8), max_size=40))
def test_the_tree_splits_at_the_largest_power_of_two(leaves):
    def split(items):
        if not items:
            return EMPTY_HASH
        if len(items) == 1:
            return leaf_hash(items[0])
        middle = 1 << (len(items) - 1).bit_length() - 1
        return inner_hash(split(items[:middle]), split(items[middle:]))

    assert merkle_root(leaves) == split(leaves)


def test_sign_bytes_of_a_commit_are_those_of_the_votes():
    block = make.signed("gaia-1", 5, RING)
    sign_bytes = hashing.commit_sign_bytes("gaia-1", block.commit)
    for sig in block.commit.signatures:
        commit = block.commit
        vote = hashing.vote_sign_bytes("gaia-1", 2, commit.height, commit.round, commit.block_id, sig.time_ns)
        assert sign_bytes(sig) == vote
    assert sign_bytes(sig) != hashing.commit_sign_bytes("gaia-2", block.commit)(sig)


def test_a_client_header_survives_its_bytes():
    header = make.client_header(make.signed("gaia-1", 5, RING, make.keyring([1])), RING, 3)
    raw = codec.encode_client_header(header)
    decoded = codec.decode_client_header(raw)
    assert decoded == header
    assert codec.encode_client_header(decoded) == raw
    assert codec.pack_client_header(header).type_url == codec.HEADER_TYPE_URL
    assert decoded.trusted_height == Height(1, 3)


def test_secp256k1_validators_survive_their_bytes():
    members = ValidatorSet([validator(SECP256K1, b"\x02" + b"x" * 32, 7, -3)])
    decoded = codec.validator_set_from(codec.validator_set_to(members))
    assert decoded == members
    assert decoded.proposer == members.validators[0]


@pytest.mark.parametrize("part", ["signed_header", "header", "commit"])
def test_missing_parts_of_a_client_header(part):
    message = codec.client_header_to(make.client_header(make.signed("gaia-1", 5, RING), RING, 3))
    (message.signed_header if part in ("header", "commit") else message).ClearField(part)
    with pytest.raises(InvalidClientHeader, match=f"{part} is nil"):
        codec.decode_client_header(message.SerializeToString())


@pytest.mark.parametrize(
    ("spoil", "error"), [("ClearField", InvalidClientHeader), ("Clear", MalformedValidatorSet)]
)
def test_validators_that_cannot_be_read_are_an_error_for_who_reads_them(spoil, error):
    message = codec.client_header_to(make.client_header(make.signed("gaia-1", 5, RING), RING, 3))
    if spoil == "Clear":
        message.validator_set.Clear()
        message.validator_set.SetInParent()
    else:
        message.ClearField("validator_set")
    unread = codec.decode_client_header(message.SerializeToString()).validator_set
    assert (len(unread), unread.total_power) == (0, 0)
    with pytest.raises(error) as first:
        unread.check_readable()
    with pytest.raises(error) as second:
        unread.check_readable()
    assert first.value is not second.value  # one error would remember every frame that it passed, for ever


def test_missing_parts_of_a_validator_set():
    for field, reason in (("proposer", "missing"), ("validators", "none")):
        message = codec.validator_set_to(RING.validators)
        message.ClearField(field)
        with pytest.raises(MalformedValidatorSet, match=reason):
            codec.validator_set_from(message)
    message = codec.validator_set_to(RING.validators)
    message.validators[0].ClearField("pub_key")
    with pytest.raises(MalformedValidatorSet, match="unknown type"):
        codec.validator_set_from(message)


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(0, 10**9), (0, -1), (253_402_300_800, 0), (-62_135_596_801, 0)]
)
def test_times_that_are_none(seconds, nanos):
    message = codec.client_header_to(make.client_header(make.signed("gaia-1", 5, RING), RING, 3))
    message.signed_header.header.time.seconds = seconds
    message.signed_header.header.time.nanos = nanos
    with pytest.raises(TxDecode, match="not a timestamp"):
        codec.decode_client_header(message.SerializeToString())


def test_d28_an_absent_time_is_gos_zero_time():
    message = tendermint_pb2.Header().signed_header.header
    assert codec.header_from(message).time_ns == GO_ZERO_TIME_NS


@settings(max_examples=rounds(37, 150), deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(data):
    with pytest.raises((UnpackAny, InvalidClientHeader)):
        codec.decode_client_header(data)


def test_timestamps_and_durations_as_gogoproto_writes_them():
    assert timestamp(0) == b""
    assert timestamp(GO_ZERO_TIME_NS).hex() == "088092b8c398feffffff01"
    assert duration(-1).hex() == "10ffffffffffffffffff01"
    assert duration(1_500_000_000).hex() == "08011080cab5ee01"


@pytest.mark.parametrize("power", [1, 127, 128, 16_383, 16_384, 2**60])
@pytest.mark.parametrize(("kind", "size"), [(ED25519, 32), (SECP256K1, 33), (ED25519, 31)])
def test_what_is_hashed_of_a_validator_is_simple_validator(kind, size, power):
    simple = validator_pb2.SimpleValidator(voting_power=power)
    setattr(simple.pub_key, kind, b"k" * size)
    assert validator_leaf(kind, b"k" * size, power) == leaf_hash(simple.SerializeToString())


@pytest.mark.parametrize(
    ("time", "time_ns"),
    [(None, GO_ZERO_TIME_NS), (Timestamp(), 0), (Timestamp(nanos=5), 5), (Timestamp(seconds=2), 2 * 10**9)],
)
def test_only_an_absent_time_of_a_vote_is_the_zero_time(time, time_ns):
    commit = types_pb2.Commit(signatures=[types_pb2.CommitSig(timestamp=time)])
    assert codec.commit_from(commit).signatures[0].time_ns == time_ns
