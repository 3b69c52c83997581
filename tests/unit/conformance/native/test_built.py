"""pyibc-native itself, where it is built: `make native`."""

from hashlib import sha512

import pytest
from nacl.signing import SigningKey

from conformance.native.command import FAMILIES
from conformance.native.trial import run_trials
from conformance.oracle.wire_noise import fields_of, write_fields
from conformance.vectors import synthetic_headers as make
from light_client.tendermint import codec, header_cache
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.walk import LENGTH
from pyibc.core import native
from pyibc.core.height import Height

pytestmark = pytest.mark.skipif(native.NATIVE is None, reason=f"pyibc-native is {native.WHY}: make native")

ORDER = 2**252 + 27742317777372353535851937790883648493
MOST_KEYS = 4096
_SIGN = 1 << 255
_P = 2**255 - 19
_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = [
    (y | sign).to_bytes(32, "little")
    for y in (0, 1, _P - 1, _P, _P + 1, _ORDER_8, _P - _ORDER_8)
    for sign in (0, _SIGN)
]
KEYS = [SigningKey(bytes([number]) * 32) for number in range(8)]


def vote(number, message=b"vote"):
    key = KEYS[number]
    return bytes(key.verify_key), message, key.sign(message).signature


def shifted(signed, by):
    key, message, signature = signed
    s = (int.from_bytes(signature[32:], "little") + by) % ORDER
    return key, message, signature[:32] + s.to_bytes(32, "little")


@pytest.mark.parametrize("family", FAMILIES)
def test_h197_spoilt_input_comes_out_as_in_python(family):
    result = run_trials(FAMILIES[family], 400, seed=20_000)
    assert result.disagreements == []
    assert result.accepted > 0


def test_h198_a_panic_has_not_accepted(capfd):
    assert native.NATIVE.fall(True) is False
    with pytest.raises(native.NATIVE.PanicException):
        native.NATIVE.fall(False)
    assert native._accepts("fall", False) is None
    assert not issubclass(native.NATIVE.PanicException, Exception)
    capfd.readouterr()  # Rust says where it was


def test_h200_errors_that_cancel_out_are_found():
    """Two wrong signatures whose errors add up to nothing: a batch with equal coefficients takes them."""
    one, two = vote(0), vote(1)
    assert native.all_verify([one, two])
    for by in (1, 8, ORDER - 1, 2**128):
        assert not native.all_verify([shifted(one, by), shifted(two, -by)])


def test_h200_errors_that_cancel_out_by_any_ratio_that_could_be_foreseen_are_found():
    one, two = vote(0), vote(1)
    for ratio in (2, 3, 4, 8, 255, 2**32, 2**64, 2**127):
        assert not native.all_verify([shifted(one, 1), shifted(two, -pow(ratio, -1, ORDER))])
        assert not native.all_verify([shifted(one, 1), shifted(two, -ratio)])


def test_h200_a_batch_has_one_verdict():
    good = [vote(number) for number in range(8)]
    for bad in range(8):
        spoilt = [*good[:bad], shifted(good[bad], 1), *good[bad + 1 :]]
        for _ in range(3):
            assert not native.all_verify(spoilt)
            native.NATIVE.forget_keys()
            assert native.all_verify(good)
            assert native.all_verify(good[::-1])
    assert not native.all_verify([])


def test_the_small_order_pairs_are_one_batch():
    pairs = [(key, b"Zcash", commitment + bytes(32)) for key in SMALL_ORDER for commitment in SMALL_ORDER]
    assert len(pairs) == 196
    assert native.all_verify(pairs)
    assert native.all_verify([*pairs, *(vote(number) for number in range(8))])
    assert not native.all_verify([*pairs, shifted(vote(0), 1)])
    key, message, signature = pairs[-1]
    assert not native.all_verify([*pairs[:-1], (key, message, signature[:63] + b"\x10")])


def test_h201_keys_of_batches_that_did_not_verify_are_not_kept():
    native.NATIVE.forget_keys()
    assert not native.all_verify([vote(0), shifted(vote(1), 1)])
    assert native.NATIVE.kept_keys() == 0
    assert native.all_verify([vote(0), vote(1)])
    assert native.NATIVE.kept_keys() == 2


def test_h201_no_more_keys_are_kept_than_fit():
    native.NATIVE.forget_keys()
    made = [SigningKey(sha512(b"%d" % number).digest()[:32]) for number in range(MOST_KEYS + 10)]
    votes = [(bytes(key.verify_key), b"", key.sign(b"").signature) for key in made]
    for start in range(0, len(votes), 500):
        assert native.all_verify(votes[start : start + 500])
        assert 0 < native.NATIVE.kept_keys() <= MOST_KEYS
    assert native.all_verify(votes)
    assert native.NATIVE.kept_keys() == MOST_KEYS
    native.NATIVE.forget_keys()


@pytest.fixture(scope="module")
def ring():
    return make.keyring([5, 4, 3, 2, 1])


def native_header(ring, **change):
    made = make.client_header(make.signed("gaia-1", 11, ring), ring, 10)._replace(
        trusted_height=Height(1, 10)
    )
    return header_cache.parse_native(codec.encode_client_header(made._replace(**change)))


def test_a_header_is_read(ring):
    found = native_header(ring)
    whole = found.decode()
    assert found.header == whole.header
    assert found.trusted_height == whole.trusted_height == Height(1, 10)
    assert found.trusted_hash == ring.validators.hash
    assert (
        (found.votes, found.entries, found.members)
        == (5, 5, 10)
        == (whole.votes, whole.entries, whole.members)
    )


def test_a_commit_is_verified_once_for_one_question(ring, monkeypatch):
    found = native_header(ring)
    asked = []
    verify = native.verify_commit
    monkeypatch.setattr(native, "verify_commit", lambda *given: asked.append(given[1:]) or verify(*given))
    for _ in range(2):
        assert found.verify_commit(True, TrustLevel(1, 3))
    assert found.verify_commit(False, TrustLevel(1, 3))
    assert found.verify_commit(False, TrustLevel(2, 3))
    assert not found.verify_commit(False, TrustLevel(1, 1))
    assert asked == [(True, 1, 3), (False, 1, 3), (False, 2, 3), (False, 1, 1)]


def begun(raw, depth=0):
    """Messages like `raw` in which one, at any depth, ends in the middle of one more field."""
    for tail in (b"\x0a", b"\x12", b"\x1a", b"\x22", b"\x22\x05", b"\x22\x80", b"\x22\xff\xff\x03"):
        yield raw + tail
    fields = fields_of(raw) or []
    for at, (number, wire_type, content) in enumerate(fields):
        if wire_type == LENGTH and content and depth < 6 and fields_of(content):
            for inner in begun(content, depth + 1):
                yield write_fields([*fields[:at], (number, wire_type, inner), *fields[at + 1 :]])


def test_h235_a_field_that_is_begun_and_does_not_end_is_not_read(ring):
    made = make.client_header(make.signed("gaia-1", 11, ring), ring, 10)
    raw = codec.encode_client_header(made._replace(trusted_height=Height(1, 10)))
    assert native.read_header(raw) is not None
    spoilt = list(begun(raw))
    assert len(spoilt) > 100
    assert [each for each in spoilt if native.read_header(each) is not None] == []
    assert [each for each in spoilt if native.verify_commit(each, True, 1, 3)] == []


def test_a_header_whose_trusted_height_is_its_own_is_not_read(ring):
    assert native_header(ring, trusted_height=Height(1, 11)) is None
    assert native_header(ring, trusted_height=Height(2, 1)) is None
