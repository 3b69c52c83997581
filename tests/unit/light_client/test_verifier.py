import pytest

from conformance.vectors import synthetic_headers as make
from light_client.tendermint import verifier
from light_client.tendermint.types import NO_BLOCK, BlockId, CommitSig, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import (
    Trusted,
    TrustLevel,
    VerifierOptions,
    check_trusted_power,
    verify_header,
)
from pyibc.core.errors import (
    HeaderExpired,
    HeaderFromFuture,
    HeaderVerificationError,
    InvalidTrustLevel,
    MalformedCommit,
    MalformedHeader,
    NonMonotonicHeight,
    NonMonotonicTime,
    NotEnoughPower,
    NotEnoughTrust,
    WrongSignature,
    WrongValidatorAddress,
)

CHAIN = "gaia-1"
SECOND = 10**9
HOUR = 3600 * SECOND
THIRD = TrustLevel(1, 3)
OPTIONS = VerifierOptions(THIRD, HOUR, 10 * SECOND)
NOW = make.START_NS + 100 * SECOND
RING = make.keyring([40, 30, 20, 10])


def trusted(height=10, ring=RING, **change):
    header = make.header(CHAIN, height, ring)
    return Trusted(CHAIN, height, header.time_ns, ring.validators.hash)._replace(**change)


def resigned(header, ring=RING, **options):
    return SignedHeader(header, make.commit(header, ring, **options))


def verify(signed, base=None, ring=RING, trusted_ring=RING, options=OPTIONS, now=NOW):
    verify_header(base or trusted(), trusted_ring.validators, signed, ring.validators, options, now)


@pytest.mark.parametrize("height", [11, 20])
class TestBothRoads:
    def signed(self, height):
        return make.signed(CHAIN, height, RING)

    def test_the_trusting_period_ends_with_its_last_nanosecond(self, height):
        end = trusted().time_ns + HOUR
        verify(self.signed(height), now=end - 1)
        with pytest.raises(HeaderExpired) as caught:
            verify(self.signed(height), now=end)
        assert (caught.value.trusted_ns, caught.value.now_ns) == (trusted().time_ns, end)

    def test_a_header_from_the_future_is_refused_at_the_drift(self, height):
        signed = self.signed(height)
        bound = signed.header.time_ns - 10 * SECOND
        verify(signed, now=bound + 1)
        with pytest.raises(HeaderFromFuture) as caught:
            verify(signed, now=bound)
        assert caught.value.drift_ns == 10 * SECOND

    def test_time_must_grow(self, height):
        signed = self.signed(height)
        with pytest.raises(NonMonotonicTime):
            verify(signed, trusted(time_ns=signed.header.time_ns))
        verify(signed, trusted(time_ns=signed.header.time_ns - 1))

    def test_two_thirds_are_not_enough_and_one_more_is(self, height):
        ring = make.keyring([1] * 6)
        header = make.header(CHAIN, height, ring)
        base = trusted(ring=ring)
        verify(resigned(header, ring, absent={0}), base, ring, ring)
        with pytest.raises(NotEnoughPower) as caught:
            verify(resigned(header, ring, absent={0, 1}), base, ring, ring)
        assert (caught.value.got, caught.value.needed) == (4, 4)

    def test_signatures_for_another_chain_do_not_verify(self, height):
        with pytest.raises(WrongSignature):
            verify(resigned(make.header(CHAIN, height, RING), chain_id="gaia-2"))

    def test_h30_swapped_addresses_are_refused(self, height):
        """Tachyon: an entry's address must be that of the validator in its place."""
        signed = self.signed(height)
        one, two, *rest = signed.commit.signatures
        swapped = (
            one._replace(validator_address=two.validator_address),
            two._replace(validator_address=one.validator_address),
            *rest,
        )
        with pytest.raises((WrongValidatorAddress, WrongSignature)):
            verify(signed._replace(commit=signed.commit._replace(signatures=swapped)))


def test_skipping_needs_more_than_the_trust_level_of_the_trusted_validators():
    old = make.keyring([1] * 3, "old")
    mixed_members = [old.validators.validators[0], *make.keyring([1] * 3, "new").validators.validators]
    keys = old.keys | make.keyring([1] * 3, "new").keys
    mixed = make.Keyring(ValidatorSet(mixed_members), keys)
    header = make.header(CHAIN, 20, mixed)
    with pytest.raises(NotEnoughTrust) as caught:
        verify(resigned(header, mixed), trusted(ring=old), mixed, old)
    assert (caught.value.got, caught.value.needed) == (1, 1)
    two = make.Keyring(ValidatorSet([*old.validators.validators[:2], *mixed_members[1:]]), keys)
    verify(resigned(make.header(CHAIN, 20, two), two), trusted(ring=old), two, old)


def test_a_trust_level_whose_product_leaves_64_bits_is_refused():
    commit = make.signed(CHAIN, 20, RING).commit
    for level in (TrustLevel(2**62, 2**62), TrustLevel(1, 0)):
        with pytest.raises(InvalidTrustLevel):
            check_trusted_power(CHAIN, commit, RING.validators, level)


def with_forged_trust(ring, header):
    """A commit that strangers hold the majority of; the trusted validators' signatures are made up."""
    commit = make.commit(header, ring)
    forged = [sig._replace(signature=b"f" * 64) for sig in commit.signatures[1:]]
    return commit._replace(signatures=(commit.signatures[0], *forged))


def test_signatures_that_carry_trust_are_verified_even_where_the_majority_needs_none_of_them():
    old, stranger = make.keyring([1] * 3, "old"), make.keyring([100], "stranger")
    members = (*stranger.validators.validators, *old.validators.validators)
    mixed = make.Keyring(ValidatorSet(members), stranger.keys | old.keys)
    header = make.header(CHAIN, 20, mixed)
    verify(resigned(header, mixed), trusted(ring=old), mixed, old)
    with pytest.raises(WrongSignature) as caught:
        verify(SignedHeader(header, with_forged_trust(mixed, header)), trusted(ring=old), mixed, old)
    assert caught.value.index == 1


def test_a_trust_level_whose_product_is_the_greatest_of_64_bits_counts():
    seven = make.keyring([7])
    commit = make.signed(CHAIN, 20, seven).commit
    with pytest.raises(NotEnoughTrust) as caught:
        check_trusted_power(CHAIN, commit, seven.validators, TrustLevel((2**63 - 1) // 7, (2**63 - 1) // 7))
    assert (caught.value.got, caught.value.needed) == (7, 7)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version_block": 10}, "version"),
        ({"chain_id": "c" * 51}, "chain_id"),
        ({"height": 0}, "height"),
        ({"height": -1}, "height"),
        ({"last_block_id": BlockId(b"x")}, "last_block_id"),
        ({"last_block_id": BlockId(b"", 1, b"x" * 31)}, "last_block_id"),
        ({"last_commit_hash": b"x"}, "last_commit_hash"),
        ({"data_hash": b"x" * 33}, "data_hash"),
        ({"evidence_hash": b"x"}, "evidence_hash"),
        ({"validators_hash": b"x"}, "validators_hash"),
        ({"next_validators_hash": b"x"}, "next_validators_hash"),
        ({"consensus_hash": b"x"}, "consensus_hash"),
        ({"last_results_hash": b"x"}, "last_results_hash"),
        ({"proposer_address": b"x" * 19}, "proposer_address"),
        ({"proposer_address": b""}, "proposer_address"),
    ],
)
def test_malformed_headers(change, field):
    with pytest.raises(MalformedHeader) as caught:
        verify(resigned(make.header(CHAIN, 11, RING)._replace(**change)))
    assert caught.value.field == field


GOOD = make.signed(CHAIN, 11, RING).commit.signatures[0]


@pytest.mark.parametrize(
    ("sig", "reason"),
    [
        (GOOD._replace(flag=0), "unknown flag"),
        (GOOD._replace(flag=4), "unknown flag"),
        (GOOD._replace(validator_address=b"x" * 19), "address of 19"),
        (GOOD._replace(signature=b""), "signature of 0"),
        (GOOD._replace(signature=b"x" * 97), "signature of 97"),
        (GOOD._replace(flag=1), "absent, but"),
        (CommitSig(1, b"", 0, b""), "absent, but"),
        (CommitSig(1, signature=b"x"), "absent, but"),
    ],
)
def test_malformed_signatures(sig, reason):
    signed = make.signed(CHAIN, 11, RING)
    commit = signed.commit._replace(signatures=(sig, *signed.commit.signatures[1:]))
    with pytest.raises(MalformedCommit, match=reason):
        verify(signed._replace(commit=commit))


@pytest.mark.parametrize(
    "change",
    [
        {"height": -1},
        {"round": -1},
        {"block_id": NO_BLOCK},
        {"block_id": BlockId(b"x")},
        {"signatures": ()},
    ],
)
def test_malformed_commits(change):
    signed = make.signed(CHAIN, 11, RING)
    with pytest.raises(MalformedCommit):
        verify(signed._replace(commit=signed.commit._replace(**change)))


def test_the_costly_check_comes_last(monkeypatch):
    """An enormous validator set costs nothing unless the trusted validators signed."""
    calls = []
    monkeypatch.setattr(verifier, "check_own_power", lambda *_: calls.append("own"))
    stranger = make.keyring([1] * 4, "stranger")
    with pytest.raises(NotEnoughTrust):
        verify(make.signed(CHAIN, 20, stranger), ring=stranger)
    assert calls == []


def test_only_our_errors_leave_the_verifier():
    signed = make.signed(CHAIN, 20, RING)
    for ring in (make.Keyring(ValidatorSet(()), {}), make.keyring([1], "other")):
        with pytest.raises(HeaderVerificationError):
            verify(signed, ring=ring)
        with pytest.raises(HeaderVerificationError):
            verify(signed, trusted_ring=ring)


def test_height_must_grow():
    for height in (9, 10):
        with pytest.raises(NonMonotonicHeight):
            verify(
                make.signed(CHAIN, height, RING),
                trusted(time_ns=0),
                options=OPTIONS._replace(trusting_period_ns=NOW + 1),
            )
