"""Hand-written cases: well-formed, correctly signed transactions that require as much work as possible."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from hashlib import sha256

from nacl.signing import SigningKey

from conformance.fuzz.block_stage import Stage
from conformance.fuzz.case import Attack, Case
from conformance.fuzz.worlds import Worlds
from conformance.kit.encode import to_any
from conformance.kit.solo_machine import SoloMachine
from conformance.vectors import synthetic_headers as make
from light_client.tendermint import codec, states
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL, ClientState
from light_client.tendermint.types import (
    ABSENT,
    ED25519,
    FLAG_NIL,
    SECP256K1,
    ClientHeader,
    CommitSig,
    SignedHeader,
    Validator,
    ValidatorSet,
    in_canonical_order,
    validator,
)
from light_client.tendermint.updates import consensus_state_of
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.coin import Coin, coin
from pyibc.core.height import Height
from pyibc.core.wire.message import Msg

_CHAIN, _HEIGHT = "hostile-1", 10
_DAY_NS = 86_400 * 10**9
_PER_VALIDATOR = 330
"""Bytes of a header per validator: two validator entries and a signature."""


def expert_cases(made: Worlds) -> Iterator[Case]:
    """Return cases with many validators, multisig keys, coins or messages."""
    stage = made.last
    for name, change in _COMMITS.items():
        yield Case(f"header of many validators, {name}", partial(_header, stage, change), executed=True)
    yield Case("header of many keys of secp256k1", partial(_other_keys, stage), executed=True)
    yield Case("solo machine of many keys", partial(_solo, stage), executed=True)
    yield Case("payment of many coins", partial(_coins, stage), executed=True)
    yield Case("fee of many coins", partial(_fee, stage), executed=True)
    yield Case("many messages", partial(_messages, stage), executed=True)
    yield Case("many messages of others", partial(_others, stage), executed=True)


def _tx(stage: Stage, messages: Sequence[Msg | AnyMessage]) -> Attack:
    return stage.delivery(stage.signed(stage.context(), [to_any(each) for each in messages], ""))


# -- headers


@lru_cache(1)
def _keys() -> list[tuple[SigningKey, Validator]]:
    return []


def _ring(count: int) -> make.Keyring:
    known = _keys()
    for number in range(len(known), count):
        key = SigningKey(sha256(b"validator %d" % number).digest())
        known.append((key, validator(ED25519, bytes(key.verify_key), 10)))
    members = known[:count]
    ordered = in_canonical_order([member for _, member in members])
    return make.Keyring(ValidatorSet(ordered, ordered[0]), {m.address: key for key, m in members})


def _nil(sig: CommitSig) -> CommitSig:
    return sig._replace(flag=FLAG_NIL)


def _wrong(sig: CommitSig) -> CommitSig:
    return sig._replace(signature=sig.signature[:-1] + bytes([sig.signature[-1] ^ 1]))


_COMMITS: dict[str, Callable[[int, int, CommitSig], CommitSig]] = {
    "all signing": lambda _place, _count, sig: sig,
    "a third absent": lambda place, _count, sig: ABSENT if place % 3 == 2 else sig,
    "all absent": lambda _place, _count, _sig: ABSENT,
    "all nil": lambda _place, _count, sig: _nil(sig),
    "the last one wrong": lambda place, count, sig: _wrong(sig) if place * 2 // count == 1 else sig,
}


def _update(stage: Stage, ring: make.Keyring, header: ClientHeader) -> Attack:
    """Create a client that trusts `ring` and update it with a header, in one transaction."""
    block = make.signed(_CHAIN, _HEIGHT, ring)
    first = consensus_state_of(make.client_header(block, ring, 0))
    trusted = Height(1, _HEIGHT)
    state = ClientState(_CHAIN, DEFAULT_TRUST_LEVEL, 9999 * _DAY_NS, 10000 * _DAY_NS, _DAY_NS, trusted)
    signer = stage.addresses[0]
    created = MsgCreateClient(
        AnyMessage(states.CLIENT_STATE_TYPE_URL, states.encode_client_state(state)),
        AnyMessage(states.CONSENSUS_STATE_TYPE_URL, states.encode_consensus_state(first)),
        signer,
    )
    client_id = f"07-tendermint-{_next_client(stage)}"
    return _tx(stage, [created, MsgUpdateClient(client_id, codec.pack_client_header(header), signer)])


def _next_client(stage: Stage) -> int:
    return int.from_bytes(stage.context().ibc.get(paths.NEXT_CLIENT_SEQUENCE) or b"", "big")


def _header(stage: Stage, change: Callable[[int, int, CommitSig], CommitSig], size: int) -> Attack:
    count = max(1, size // _PER_VALIDATOR)
    ring = _ring(count)
    honest = make.client_header(make.signed(_CHAIN, _HEIGHT + 5, ring), ring, _HEIGHT)
    signatures = [change(place, count, sig) for place, sig in enumerate(honest.commit.signatures)]
    forged = honest._replace(commit=honest.commit._replace(signatures=tuple(signatures)))
    return _update(stage, ring, forged)


def _other_keys(stage: Stage, size: int) -> Attack:
    """Return the keyring of a set in which every second validator has a key of another type."""
    count = max(2, size // _PER_VALIDATOR)
    ring = _ring(1)
    others = [
        validator(SECP256K1, b"\x02" + sha256(b"other %d" % number).digest(), 1) for number in range(count)
    ]
    members = in_canonical_order([*ring.validators.validators, *others])
    mixed = make.Keyring(ValidatorSet(members, members[0]), ring.keys)
    own = [place for place, member in enumerate(members) if member.address not in ring.keys]
    head = make.header(_CHAIN, _HEIGHT + 5, mixed)
    signed = SignedHeader(head, make.commit(head, mixed, absent=own))
    return _update(stage, _ring(1), make.client_header(signed, mixed, _HEIGHT, _ring(1)))


# -- others


def _solo(stage: Stage, size: int) -> Attack:
    """Return a threshold key with many members, all of which sign."""
    count = max(1, size // 300)
    machine, signer = SoloMachine("many", keys=count, threshold=count), stage.addresses[0]
    client_id = f"06-solomachine-{_next_client(stage)}"
    update = MsgUpdateClient(client_id, machine.header(SoloMachine("heir")), signer)
    return _tx(stage, [MsgCreateClient(*machine.states(), signer), update])


def _purse(size: int) -> tuple[Coin, ...]:
    return tuple([coin(f"coin{number:08d}", 1) for number in range(max(1, size // 20))])


def _coins(stage: Stage, size: int) -> Attack:
    own = stage.addresses[0]
    return _tx(stage, [AnyMessage(MSG_SEND, encode_send(own, own, _purse(size)))])


def _fee(stage: Stage, size: int) -> Attack:
    own = stage.addresses[0]
    send = AnyMessage(MSG_SEND, encode_send(own, own, (coin("stake", 1),)))
    return stage.delivery(stage.signed(stage.context(), [send], own, fee=_purse(size)))


def _messages(stage: Stage, size: int) -> Attack:
    """Return a transaction with the maximum number of messages, or more."""
    own = stage.addresses[0]
    send = AnyMessage(MSG_SEND, encode_send(own, own, (coin("stake", 1),)))
    return _tx(stage, [send] * max(1, size // 150))


def _others(stage: Stage, size: int) -> Attack:
    """Return messages with different signers, none of whom has signed."""
    codec_of = stage.chain.app.addresses
    texts = [codec_of.encode(sha256(b"%d" % number).digest()[:20]).text for number in range(size // 150)]
    return _tx(stage, [AnyMessage(MSG_SEND, encode_send(each, each, (coin("stake", 1),))) for each in texts])
