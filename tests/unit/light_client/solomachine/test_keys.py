"""Keys and signatures: which fit, which bits count (Cosmos SDK multisig)."""

import pytest
from coincurve import PrivateKey

from conformance.fuzz.count import counting
from conformance.kit.solo_machine import Data, SoloMachine
from light_client.solomachine.keys import (
    MAX_DEPTH,
    SingleKey,
    ThresholdKey,
    check_signature,
    decode_public_key,
)
from light_client.solomachine.signatures import MAX_DEPTH as SIGNATURE_DEPTH
from light_client.solomachine.signatures import (
    Bits,
    MultiSignature,
    SingleSignature,
    count_of,
    decode_signature,
)
from pyibc.codec.anys import AnyMessage, pack, pack_any
from pyibc.codec.strict import parse
from pyibc.core.errors import InvalidConsensus, SignatureVerificationFailed, TxDecode
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig_pb2
from pyibc.proto.cosmos.crypto.multisig.v1beta1 import multisig_pb2 as bits_pb2
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.signing.v1beta1 import signing_pb2
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2
from pyibc.proto.varint import encode_varint
from pyibc.relayer.money.wallet import Wallet

MESSAGE = b"message"


def parts(count):
    """Keys, and the signature of each on MESSAGE."""
    machines = [SoloMachine(f"key {number}") for number in range(count)]
    keys = tuple(decode_public_key(each.public_key) for each in machines)
    signatures = tuple(SingleSignature(each._keys[0].sign(MESSAGE).signature) for each in machines)
    return keys, signatures


def multi(bits, *signatures):
    raw = int(bits.ljust(8, "0"), 2).to_bytes(1, "big")
    return MultiSignature(Bits(len(bits), raw), signatures)


def test_h251_bits_are_counted_before_they_are_read():
    keys, signatures = parts(2)
    many = MultiSignature(Bits(800_000, b"\xff" * 100_000), signatures)
    with counting() as counter, pytest.raises(SignatureVerificationFailed, match="not a bit for each of 2"):
        check_signature(ThresholdKey(2, keys), MESSAGE, many)
    assert counter.copied < 400_000


@pytest.mark.parametrize(
    ("threshold", "bits", "signers"),
    [(1, "100", [0]), (2, "011", [1, 2]), (2, "111", [0, 1, 2]), (0, "000", []), (1, "010", [1, 2])],
)
def test_thresholds_that_are_reached(threshold, bits, signers):
    keys, signatures = parts(3)
    check_signature(ThresholdKey(threshold, keys), MESSAGE, multi(bits, *[signatures[n] for n in signers]))


@pytest.mark.parametrize(
    ("threshold", "bits", "signers"),
    [
        (2, "100", [0]),
        (2, "110", [0]),  # a bit without a signature
        (2, "100", [0, 1]),  # a signature without a bit
        (1, "100", [1]),
        (2, "110", [1, 0]),
        (1, "11", [0, 1]),
        (1, "1000", [0]),
        (1, "", [0]),
        (0, "100", []),
        (1, "111", [0, 1, 2, 0]),
    ],
)
def test_thresholds_that_are_not(threshold, bits, signers):
    keys, signatures = parts(3)
    with pytest.raises(SignatureVerificationFailed):
        check_signature(
            ThresholdKey(threshold, keys), MESSAGE, multi(bits, *[signatures[n] for n in signers])
        )


def test_a_member_can_be_a_threshold_key():
    keys, signatures = parts(3)
    nested = ThresholdKey(1, (ThresholdKey(2, keys[:2]), keys[2]))
    inner = multi("11", *signatures[:2])
    check_signature(nested, MESSAGE, multi("10", inner))
    check_signature(nested, MESSAGE, multi("01", signatures[2]))
    for bad in (multi("10", signatures[0]), multi("01", inner), multi("10", multi("10", signatures[0]))):
        with pytest.raises(SignatureVerificationFailed):
            check_signature(nested, MESSAGE, bad)


def test_kinds_do_not_mix():
    keys, signatures = parts(2)
    check_signature(keys[0], MESSAGE, signatures[0])
    for key, signature in (
        (keys[0], multi("1", signatures[0])),
        (ThresholdKey(1, keys), signatures[0]),
        (keys[0], signatures[1]),
        (SingleKey("sr25519", keys[0].key), signatures[0]),
        (SingleKey("ed25519", keys[0].key[1:]), signatures[0]),
    ):
        with pytest.raises(SignatureVerificationFailed):
            check_signature(key, MESSAGE, signature)


def test_a_secp256k1_key_signs_low_and_compact():
    secret = PrivateKey(b"\x07" * 32)
    key = decode_public_key(pack(PubKey(key=secret.public_key.format())))
    compact = secret.sign_recoverable(MESSAGE)[:64]
    check_signature(key, MESSAGE, SingleSignature(compact))
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    high = compact[:32] + (order - int.from_bytes(compact[32:], "big")).to_bytes(32, "big")
    for bad in (high, secret.sign(MESSAGE), compact[:-1], b""):
        with pytest.raises(SignatureVerificationFailed):
            check_signature(key, MESSAGE, SingleSignature(bad))
    assert Wallet(b"\x07" * 32, "cosmos").public_key == key.key


def nest(depth):
    key = SoloMachine("solo").public_key
    for _ in range(depth):
        key = pack(multisig_pb2.LegacyAminoPubKey(threshold=1, public_keys=[pack_any(key)]))
    return key


def test_keys_inside_keys_end_somewhere():
    assert isinstance(decode_public_key(nest(MAX_DEPTH)), ThresholdKey)
    with pytest.raises(InvalidConsensus):
        decode_public_key(nest(MAX_DEPTH + 1))
    with pytest.raises(InvalidConsensus):
        decode_public_key(AnyMessage("/cosmos.crypto.multisig.LegacyAminoPubKey", b"\xff"))


def bits_of(extra, elems):
    array = bits_pb2.CompactBitArray(extra_bits_stored=extra, elems=elems)
    raw = Data(multi=Data.Multi(bitarray=array)).SerializeToString()
    return "".join("01"[bit] for bit in decode_signature(raw).signed.flags())


@pytest.mark.parametrize(
    ("extra", "elems", "bits"),
    [
        (0, b"", ""),
        (3, b"\xbf", "101"),
        (0, b"\x81", "10000001"),
        (8, b"\x81", "10000001"),
        (1, b"\x00\x80", "000000001"),
    ],
)
def test_bits_are_read_from_the_top(extra, elems, bits):
    assert bits_of(extra, elems) == bits


@pytest.mark.parametrize(("extra", "elems"), [(1, b""), (9, b"\xff"), (2**32 - 1, b"\xff")])
def test_bits_that_are_not_there(extra, elems):
    """No signature of a key with however many members, not even with none."""
    wire = Data(multi=Data.Multi(bitarray=bits_pb2.CompactBitArray(extra_bits_stored=extra, elems=elems)))
    signature = decode_signature(wire.SerializeToString())
    assert signature.signed is None
    for members in range(3):
        key = ThresholdKey(0, (SingleKey("ed25519", bytes(32)),) * members)
        with pytest.raises(SignatureVerificationFailed):
            check_signature(key, b"", signature)


@pytest.mark.parametrize("kind", ["single", "multi"])
def test_of_a_signature_that_comes_twice_the_last_counts(kind):
    """gogoproto puts the member of a choice that comes again in the first one's place; upb merges both."""
    one = Data(single=Data.Single(signature=b"one"))
    marked = bits_pb2.CompactBitArray(extra_bits_stored=2, elems=b"\x80")
    of_several = Data(multi=Data.Multi(bitarray=marked, signatures=[one]))
    wanted = (one if kind == "single" else of_several).SerializeToString()
    other = (of_several if kind == "single" else one).SerializeToString()
    assert decode_signature(wanted * 2) == decode_signature(wanted)
    assert decode_signature(other + wanted) == decode_signature(wanted)
    assert decode_signature(wanted + other) == decode_signature(other)


def test_signatures_are_so_deep_in_each_other():
    def nested(levels):
        raw = Data(single=Data.Single(signature=b"one")).SerializeToString()
        for _ in range(levels):
            raw = (
                b"\x12"
                + encode_varint(len(raw) + 1 + len(encode_varint(len(raw))))
                + (b"\x12" + encode_varint(len(raw)) + raw)
            )
        return raw

    assert count_of(decode_signature(nested(SIGNATURE_DEPTH - 1))) == 1
    with pytest.raises(SignatureVerificationFailed):
        decode_signature(nested(SIGNATURE_DEPTH))


def test_signatures_that_are_none():
    for raw in (b"\xff", b"", signing_pb2.SignatureDescriptor.Data().SerializeToString()):
        with pytest.raises(SignatureVerificationFailed):
            decode_signature(raw)


def test_keys_of_a_curve_without_a_verifier_are_refused_where_they_come_in():
    """ibc-go takes secp256r1 (docs/adr/0010); a transaction with one does not decode here."""
    foreign = AnyMessage("/cosmos.crypto.secp256r1.PubKey", b"\n\x21" + b"\x02" * 33)
    with pytest.raises(InvalidConsensus, match="of a type that is not known here"):
        decode_public_key(foreign)
    state = solomachine_pb2.ClientState(sequence=1)
    state.consensus_state.public_key.type_url = foreign.type_url
    state.consensus_state.public_key.value = foreign.value
    with pytest.raises(TxDecode):
        parse(solomachine_pb2.ClientState, state.SerializeToString())
