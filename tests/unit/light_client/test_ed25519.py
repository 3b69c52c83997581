import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from conformance.vectors.zip215 import implementations
from pyibc.core import native
from pyibc.core.crypto import ed25519, signatures, zip215
from tests.sampling import rounds

KEY = SigningKey(b"k" * 32)
PUBLIC = bytes(KEY.verify_key)
MESSAGE = b"message"
SIGNATURE = KEY.sign(MESSAGE).signature
ORDER = 2**252 + 27742317777372353535851937790883648493
IDENTITY = b"\x01" + bytes(31)

# The small-order points, canonical and not: encodings of the eight torsion points that decode.
SMALL_ORDER = [
    bytes.fromhex(text)
    for text in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    )
]


def verdicts(public_key, message, signature):
    return {name: verify(public_key, message, signature) for name, verify in implementations().items()}


def test_all_three_roads_are_here():
    optional = {"native"} if native.NATIVE else set()
    assert set(implementations()) == {"zip215", "sodium", "zebra"} | optional
    assert ed25519.verify is ed25519.verify_by_zebra


def test_an_honest_signature_verifies():
    assert set(verdicts(PUBLIC, MESSAGE, SIGNATURE).values()) == {True}


@pytest.mark.parametrize("key", SMALL_ORDER)
def test_d36_small_order_keys_and_commitments_verify_as_zip215_says(key):
    for commitment in SMALL_ORDER:
        assert set(verdicts(key, b"Zcash", commitment + bytes(32)).values()) == {True}


@pytest.mark.parametrize("size", [0, 1, 31, 33, 64])
def test_keys_of_wrong_length_do_not_verify(size):
    assert set(verdicts(bytes(size), MESSAGE, SIGNATURE).values()) == {False}


@pytest.mark.parametrize("size", [0, 1, 32, 63, 65, 128])
def test_signatures_of_wrong_length_do_not_verify(size):
    assert set(verdicts(PUBLIC, MESSAGE, bytes(size)).values()) == {False}


def test_s_beyond_the_order_does_not_verify():
    s = int.from_bytes(SIGNATURE[32:], "little") + ORDER
    forged = SIGNATURE[:32] + s.to_bytes(32, "little")
    assert set(verdicts(PUBLIC, MESSAGE, forged).values()) == {False}


def test_a_key_off_the_curve_does_not_verify():
    off_curve = (2).to_bytes(32, "little")
    assert zip215._decompress(off_curve) is None
    assert set(verdicts(off_curve, MESSAGE, SIGNATURE).values()) == {False}


@settings(max_examples=rounds(15, 60), deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80), st.integers(0, 511), st.booleans())
def test_all_roads_agree_on_changed_signatures(seed, message, bit, flip_key):
    key = SigningKey(seed)
    public, signature = bytearray(bytes(key.verify_key)), bytearray(key.sign(message).signature)
    target = public if flip_key else signature
    target[bit // 8 % len(target)] ^= 1 << bit % 8
    assert len(set(verdicts(bytes(public), message, bytes(signature)).values())) == 1


@settings(max_examples=rounds(15, 60), deadline=None)
@given(st.integers(0, 13), st.integers(0, 13), st.binary(min_size=32, max_size=32))
def test_all_roads_agree_on_keys_with_a_torsion_part(which, other, seed):
    """A' = A + T: the mixed-order keys on which libraries without the cofactor differ."""
    key = SigningKey(seed)
    mixed = _add_encoded(bytes(key.verify_key), SMALL_ORDER[which])
    signature = key.sign(MESSAGE).signature
    commitment = _add_encoded(signature[:32], SMALL_ORDER[other])
    assert len(set(verdicts(mixed, MESSAGE, commitment + signature[32:]).values())) == 1


def _add_encoded(one, two):
    x, y, z, _ = zip215._add(zip215._decompress(one), zip215._decompress(two))
    inverse = pow(z, -1, zip215._P)
    x, y = x * inverse % zip215._P, y * inverse % zip215._P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def test_a_mixed_order_signature_made_to_verify_verifies_everywhere():
    """An honest signer with the key A + T8: ZIP-215 accepts, libsodium alone would not."""
    import hashlib

    torsion = SMALL_ORDER[10]
    digest = hashlib.sha512(b"seed").digest()
    scalar = int.from_bytes(digest, "little") % ORDER
    nonce = int.from_bytes(hashlib.sha512(b"nonce").digest(), "little") % ORDER
    public = _add_encoded(_encode(zip215._multiply(scalar, zip215._base())), torsion)
    commitment = _encode(zip215._multiply(nonce, zip215._base()))
    refused_by_sodium = 0
    for number in range(8):
        message = b"%d" % number
        challenge = int.from_bytes(hashlib.sha512(commitment + public + message).digest(), "little") % ORDER
        s = (nonce + challenge * scalar) % ORDER
        signature = commitment + s.to_bytes(32, "little")
        assert set(verdicts(public, message, signature).values()) == {True}
        refused_by_sodium += _sodium_alone(public, message, signature)
    assert refused_by_sodium > 0


def _encode(point):
    return _add_encoded(IDENTITY, _raw(point))


def _raw(point):
    x, y, z, _ = point
    inverse = pow(z, -1, zip215._P)
    x, y = x * inverse % zip215._P, y * inverse % zip215._P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _sodium_alone(public, message, signature):
    from nacl.bindings import crypto_sign_open
    from nacl.exceptions import BadSignatureError

    try:
        crypto_sign_open(signature + message, public)
    except BadSignatureError:
        return True
    return False


def test_h62_signatures_that_verified_are_kept_and_no_others(monkeypatch):
    signatures.VERIFIED.clear()
    calls, verify = [], ed25519.verify
    monkeypatch.setattr(ed25519, "verify", lambda *given: calls.append(1) or verify(*given))
    assert signatures.verify_signature("ed25519", PUBLIC, MESSAGE, SIGNATURE)
    assert signatures.verify_signature("ed25519", PUBLIC, MESSAGE, SIGNATURE)
    assert len(calls) == len(signatures.VERIFIED) == 1
    for _ in range(2):
        assert not signatures.verify_signature("ed25519", PUBLIC, MESSAGE + b"x", SIGNATURE)
    assert len(calls) == 3
    assert len(signatures.VERIFIED) == 1


def test_unknown_key_types_do_not_verify():
    assert not signatures.verify_signature("bls12381", PUBLIC, MESSAGE, SIGNATURE)


def test_without_zebra_the_slower_road_is_taken(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(ed25519, "import_module", missing)
    assert ed25519._zebra() is None
