"""Public keys of solo machines, single and threshold, and verification (Cosmos SDK crypto/keys)."""

from typing import NamedTuple, Union

from google.protobuf.message import DecodeError, Message

from light_client.solomachine.signatures import MultiSignature, Signature, SingleSignature
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.crypto.signatures import verify_signature
from pyibc.core.errors import InvalidConsensus, SignatureVerificationFailed
from pyibc.proto.cosmos.crypto.ed25519 import keys_pb2 as ed25519_pb2
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig_pb2
from pyibc.proto.cosmos.crypto.secp256k1 import keys_pb2 as secp256k1_pb2

MAX_DEPTH = 10
"""Maximum nesting of threshold keys, the same as of Anys."""

_SECP256K1 = "/cosmos.crypto.secp256k1.PubKey"
_ED25519 = "/cosmos.crypto.ed25519.PubKey"
_MULTISIG = "/cosmos.crypto.multisig.LegacyAminoPubKey"


_KINDS: dict[str, type[Message]] = {
    _SECP256K1: secp256k1_pb2.PubKey,
    _ED25519: ed25519_pb2.PubKey,
    _MULTISIG: multisig_pb2.LegacyAminoPubKey,
}


class SingleKey(NamedTuple):
    """A single public key."""

    key_type: str  # `secp256k1` or `ed25519`
    key: bytes


class ThresholdKey(NamedTuple):
    """A multisignature key, of whose keys `threshold` must sign."""

    threshold: int
    keys: tuple["PublicKey", ...]


PublicKey = Union[SingleKey, ThresholdKey]  # noqa: UP007 - recursive


# recursion: MAX_DEPTH threshold keys inside each other
def canonical(packed: AnyMessage, depth: int = 0) -> AnyMessage:
    """Return a key's Any in canonical form, as the SDK has it after unpacking and packing.

    Keys are compared, signed and stored in this form. Other Anys are unchanged; `decode_public_key` refuses
    them.
    """
    kind = _KINDS.get(packed.type_url)
    if kind is None or depth > MAX_DEPTH:
        return packed
    try:
        key = kind.FromString(packed.value)
    except DecodeError:
        return packed
    key.DiscardUnknownFields()
    if isinstance(key, multisig_pb2.LegacyAminoPubKey):
        for each in key.public_keys:
            each.value = canonical(AnyMessage(each.type_url, each.value), depth + 1).value
    return AnyMessage(packed.type_url, encode(key))


# recursion: MAX_DEPTH threshold keys inside each other
def decode_public_key(packed: AnyMessage, depth: int = 0) -> PublicKey:
    """Return the public key in an Any.

    Raises:
        InvalidConsensus: the key is absent, empty or of an unknown type.
    """
    try:
        if packed.type_url == _SECP256K1:
            return _single("secp256k1", secp256k1_pb2.PubKey.FromString(packed.value).key)
        if packed.type_url == _ED25519:
            return _single("ed25519", ed25519_pb2.PubKey.FromString(packed.value).key)
        if packed.type_url == _MULTISIG and depth < MAX_DEPTH:
            return _threshold(multisig_pb2.LegacyAminoPubKey.FromString(packed.value), depth)
    except DecodeError:
        raise InvalidConsensus(f"malformed {packed.type_url}") from None
    raise InvalidConsensus("public key cannot be empty, or of a type that is not known here")


def _single(key_type: str, key: bytes) -> SingleKey:
    if not key:
        raise InvalidConsensus("public key cannot be empty")
    return SingleKey(key_type, key)


def _threshold(wire: multisig_pb2.LegacyAminoPubKey, depth: int) -> ThresholdKey:
    keys = [decode_public_key(AnyMessage(key.type_url, key.value), depth + 1) for key in wire.public_keys]
    return ThresholdKey(wire.threshold, tuple(keys))


# recursion: as deep as the key, which has at most MAX_DEPTH levels
def check_signature(key: PublicKey, message: bytes, signature: Signature) -> None:
    """Check that `key` signed `message`.

    Raises:
        SignatureVerificationFailed: the signature does not verify, or is of another kind than the key.
    """
    if isinstance(key, ThresholdKey):
        if not isinstance(signature, MultiSignature):
            raise SignatureVerificationFailed("one signature for a threshold key").as_panic()
        _check_threshold(key, message, signature)
    elif not isinstance(signature, SingleSignature):
        raise SignatureVerificationFailed("several signatures for one key")
    elif not verify_signature(key.key_type, key.key, message, signature.signature):
        raise SignatureVerificationFailed(f"{key.key_type} key {key.key.hex()}")


def _check_threshold(key: ThresholdKey, message: bytes, signature: MultiSignature) -> None:
    signed, signatures = signature.signed, signature.signatures
    # guard: h251-bits-are-looked-at-before-they-are-counted {signed is None or signed.size != len(key.keys)
    #   => signed is None or len(signed.flags()) != len(key.keys)}
    #   test_h251_bits_are_counted_before_they_are_read
    if signed is None or signed.size != len(key.keys):
        raise SignatureVerificationFailed(f"not a bit for each of {len(key.keys)} keys")
    if not key.threshold <= len(signatures) <= len(key.keys):
        raise SignatureVerificationFailed(f"{len(signatures)} signatures, {key.threshold} needed")
    flags = signed.flags()
    count = sum(flags)
    if not key.threshold <= count <= len(signatures):
        error = SignatureVerificationFailed(f"{count} bits set for {len(signatures)} signatures")
        raise error.as_panic() if count > len(signatures) else error
    signers = [each for each, bit in zip(key.keys, flags, strict=True) if bit]
    for signer, each in zip(signers, signatures, strict=False):
        check_signature(signer, message, each)
