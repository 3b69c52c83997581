"""H34: whatever a peer, a relayer or another chain sends, every decoder answers soon, small, and by name."""

import time
import tracemalloc

import pytest

from conformance.kit.staged_block import unless_panic
from light_client.solomachine import codec as solo
from light_client.tendermint.codec import decode_client_header
from light_client.tendermint.misbehaviour import decode_misbehaviour
from light_client.tendermint.states import decode_client_state, decode_consensus_state
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.packet_data import parse_valid_denom
from pyibc.codec import anys
from pyibc.core.errors import IbcError
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, Payload
from pyibc.core.proofs.decode import merkle_proof
from pyibc.core.wire.tx import decode_tx

SIZES = pytest.mark.parametrize("size", [30_000, pytest.param(300_000, marks=pytest.mark.exhaustive)])
SECONDS, PEAK = 4, 16 * 2**20
"""Far above what is measured, far below what a bomb takes."""


def nested(tag, depth):
    """A message in a message in a message: lengths grow from the inside out."""
    parts, size = [], 0
    for _ in range(depth):
        length, left = b"", size
        while left >= 0x80:
            length += bytes([left & 0x7F | 0x80])
            left >>= 7
        part = bytes([tag]) + length + bytes([left])
        parts.append(part)
        size += len(part)
    return b"".join(reversed(parts))


def hostile(size):
    return {
        "nothing": b"",
        "zeros": bytes(size),
        "ones": b"\xff" * size,
        "a length of 2^63": b"\x0a" + b"\xff" * 8 + b"\x7f",
        "a length of 2^32": b"\x0a\xff\xff\xff\xff\x0f" + b"x" * 100,
        "a length beyond the end": b"\x0a\x7f" + b"x" * 20,
        "a varint that never ends": b"\x08" + b"\x80" * size,
        "groups": b"\x0b" * size,
        "groups, closed": b"\x0b" * (size // 2) + b"\x0c" * (size // 2),
        "many empty fields": b"\x0a\x00" * (size // 2),
        "many empty second fields": b"\x12\x00" * (size // 2),
        "nested in the first field": nested(0x0A, size // 5),
        "nested in the second field": nested(0x12, size // 5),
        "nested in the fourth field": nested(0x22, size // 5),
        "brackets": b"[" * size,
        "braces": b'{"a":' * (size // 5),
        "quotes": b'"' * size,
        "escapes": b'"' + b"\\u0000" * (size // 6) + b'"',
        "slashes": b"transfer/channel-0/" * (size // 19),
        "dashes": b"a-" * (size // 2),
        "words": b"\xc2\x85" * (size // 2),
        "gzip": b"\x1f\x8b\x08\x00" + bytes(1_000),
    }


def payload(encoding):
    return lambda raw: packet_data.decode_payload(Payload("transfer", "transfer", "ics20-1", encoding, raw))


DECODERS = {
    "transaction": decode_tx,
    "merkle proof": merkle_proof,
    "any": anys.decode_any,
    "tendermint header": decode_client_header,
    "tendermint misbehaviour": decode_misbehaviour,
    "tendermint client state": decode_client_state,
    "tendermint consensus state": decode_consensus_state,
    "solo machine client state": solo.decode_client_state,
    "packet data": packet_data.decode,
    "acknowledgement": acks.parse,
    "canonical acknowledgement": acks.check_canonical,
    "payload in JSON": payload(JSON),
    "payload in protobuf": payload(PROTOBUF),
    "payload in ABI": payload(ABI),
    "denomination": lambda raw: parse_valid_denom(raw.decode("latin-1")),
}


def judge(decode, raw):
    """Seconds that a verdict took; anything but a value or an error of ours is raised through."""
    begun, text = time.process_time(), ""
    try:
        decode(raw)
    except IbcError as error:
        text = str(unless_panic(error))
    assert len(text) < 2_000
    return time.process_time() - begun


@SIZES
@pytest.mark.parametrize("name", DECODERS)
def test_h34_a_decoder_answers_soon_and_by_name(name, size):
    for kind, raw in hostile(size).items():
        assert judge(DECODERS[name], raw) < SECONDS, kind


@pytest.mark.parametrize("name", DECODERS)
def test_h34_a_decoder_takes_little_memory(name):
    for kind, raw in hostile(10_000).items():
        tracemalloc.start()
        judge(DECODERS[name], raw)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < PEAK, kind


@SIZES
def test_h34_so_does_every_message(scene, size):
    routes = scene.a.chain.app.pipeline.messages()
    assert len(routes) > 30
    for type_url, route in routes.items():
        for kind, raw in hostile(size).items():
            assert judge(route.decode, raw) < SECONDS, (type_url, kind)
