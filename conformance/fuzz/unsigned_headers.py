"""Cases of work before any signature is verified, valid as far as they are read: headers, many messages.

A header has at most 10,000 votes and validators, so a large transaction contains several headers.
"""

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256

from conformance.fuzz.block_stage import Stage
from conformance.fuzz.case import Attack, Case
from conformance.fuzz.worlds import Worlds
from conformance.kit.encode import to_any
from conformance.vectors import synthetic_headers as make
from light_client.tendermint import codec
from light_client.tendermint.types import (
    ABSENT,
    ED25519,
    MAX_VALIDATORS,
    SECP256K1,
    ClientHeader,
    SignedHeader,
    Validator,
    ValidatorSet,
    in_canonical_order,
    validator,
)
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.coin import coin
from pyibc.proto.varint import encode_varint

_CHAIN, _HEIGHT = "hostile-1", 10
_VOTE = 17
"""Bytes of a vote with an invalid signature."""
_MEMBER = 70
"""Bytes of a validator with a voting power of seven bytes."""
_POWER = 1 << 45
_MESSAGES = 1_000
_SPOILT = 500
"""Bytes of a message that uses up nearly all of the free work of an input."""

Keys = Callable[[int], tuple[str, bytes]]


def unsigned_header_cases(made: Worlds) -> Iterator[Case]:
    """Return cases by key type: with and without votes, repeated in a header or not; votes only; messages."""
    stage = made.last
    for kind, keys in (("secp256k1", _secp256k1), ("Ed25519", _ed25519)):
        yield Case(f"sets of {kind} that nobody signed", partial(_sets, stage, keys), executed=True)
        yield Case(f"two sets of {kind} that nobody signed", partial(_two_sets, stage, keys), executed=True)
    yield Case("votes of nobody", partial(_votes, stage), executed=True)
    yield Case("many messages with fields again and again", partial(_dense, stage), executed=True)
    yield Case("a message of as many fields as it pays for", partial(_paid, stage), executed=True)


def _secp256k1(number: int) -> tuple[str, bytes]:
    return SECP256K1, b"\x02" + sha256(b"%d" % number).digest()


def _ed25519(number: int) -> tuple[str, bytes]:
    return ED25519, sha256(b"%d" % number).digest()


def _ring(keys: Keys, start: int, count: int) -> make.Keyring:
    members = in_canonical_order([_member(keys, number) for number in range(start, start + count)])
    return make.Keyring(ValidatorSet(members, members[0]), {})


def _member(keys: Keys, number: int) -> Validator:
    return validator(*keys(number), _POWER + number)


def _sent(stage: Stage, headers: list[ClientHeader]) -> Attack:
    updates = [MsgUpdateClient("07-tendermint-0", codec.pack_client_header(each), "") for each in headers]
    signer = stage.addresses[0]
    messages = [to_any(each.__class__(each.client_id, each.client_message, signer)) for each in updates]
    return stage.delivery(stage.signed(stage.context(), messages, signer))


def _header(ring: make.Keyring, trusted: make.Keyring) -> ClientHeader:
    head = make.header(_CHAIN, _HEIGHT + 5, ring)
    block = SignedHeader(head, make.commit(head, ring, absent=range(len(ring.validators))))
    return make.client_header(block, ring, _HEIGHT, trusted)


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """Return (start, count) of the headers that have `count` entries together."""
    for start in range(0, count, MAX_VALIDATORS):
        yield start, min(MAX_VALIDATORS, count - start)


def _sets(stage: Stage, keys: Keys, size: int) -> Attack:
    """Return headers with a vote for each validator, and the same trusted validators."""
    rings = [_ring(keys, *part) for part in _parts(max(2, size // (_VOTE + _MEMBER)))]
    few = _ring(keys, 0, 1)
    return _sent(stage, [_header(ring, few) for ring in rings])


def _two_sets(stage: Stage, keys: Keys, size: int) -> Attack:
    count = max(2, size // (_VOTE + 2 * _MEMBER))
    rings = [(_ring(keys, *part), _ring(keys, count + part[0], part[1])) for part in _parts(count)]
    return _sent(stage, [_header(*each) for each in rings])


def _votes(stage: Stage, size: int) -> Attack:
    """Return headers that are valid except for their validators, which are checked after all votes."""
    few = _ring(_ed25519, 0, 1)
    head = make.header(_CHAIN, _HEIGHT + 5, few)
    empty = make.commit(head, few, absent=(0,))
    headers = []
    for _, count in _parts(max(2, size // _VOTE)):
        block = SignedHeader(head, empty._replace(signatures=(ABSENT,) * count))
        headers.append(make.client_header(block, few, _HEIGHT))
    return _sent(stage, headers)


def _payment(stage: Stage, number: int) -> bytes:
    own = stage.addresses[0]
    return encode_send(own, own, (coin("stake", number + 1),))


def _spoilt(stage: Stage, spare: list[int]) -> Attack:
    """Return payments, each preceded by a field that is repeated many times."""
    messages = [
        AnyMessage(MSG_SEND, b"\x0a\x00" * times + _payment(stage, number))
        for number, times in enumerate(spare)
    ]
    return stage.delivery(stage.signed(stage.context(), messages, stage.addresses[0]))


def _dense(stage: Stage, size: int) -> Attack:
    """Return as many messages as possible, each of which uses up its free work."""
    count = max(1, min(_MESSAGES, size // (_SPOILT + 200)))
    return _spoilt(stage, [_SPOILT // 2] * count)


def _paid(stage: Stage, size: int) -> Attack:
    """Return one message with nearly as many fields as its bytes pay for, the rest in one of them."""
    bulk, fields = size * 9 // 10, size // 40
    spare = b"\x0a\x00" * fields + b"\x0a" + encode_varint(bulk) + b"c" * bulk
    message = AnyMessage(MSG_SEND, spare + _payment(stage, 0))
    return stage.delivery(stage.signed(stage.context(), [message], stage.addresses[0]))
