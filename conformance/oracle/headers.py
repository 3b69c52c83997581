"""Cases of 07-tendermint headers: honest, signed after an edit, or edited after signing."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from conformance.memory import CLIENT, block
from conformance.oracle.program import Case, Verdict
from conformance.oracle.wire_noise import noisy
from conformance.vectors.synthetic_headers import START_NS, Keyring, commit, header, keyring
from light_client.tendermint import store
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.codec import HEADER_TYPE_URL, encode_client_header
from light_client.tendermint.states import (
    ClientState,
    ConsensusState,
    decode_client_state,
    decode_consensus_state,
    encode_client_state,
    encode_consensus_state,
)
from light_client.tendermint.store import Processed
from light_client.tendermint.types import ClientHeader, CommitSig
from light_client.tendermint.verifier import TrustLevel
from pyibc.codec.anys import AnyMessage
from pyibc.codec.strict import parse
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import validator_pb2

_CHAIN = "followed-3"
_TRUSTED = 7
_SECOND = 10**9
_DAY = 86_400 * _SECOND
_RINGS = tuple(
    keyring(powers, label)
    for powers, label in (
        ((10,), "a"), ((1, 1, 1), "a"), ((1, 2, 3, 4), "b"), ((5, 5, 5, 1), "c"), ((100, 1, 1, 1, 1), "a"),
        ((2**58, 2**59, 1), "d"), ((1, 1, 1, 1), "b"), ((3, 3, 3), "c"),
    )
)  # fmt: skip
_LEVELS = (TrustLevel(1, 3), TrustLevel(1, 3), TrustLevel(2, 3), TrustLevel(1, 1), TrustLevel(1, 2))

_Edit = Callable[[Random, ClientHeader], ClientHeader]


def cases(seed: int) -> Iterator[Case]:
    """Yield random headers endlessly."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    while True:
        trusted, following = rng.choice(_RINGS), rng.choice(_RINGS)
        signers = following if rng.random() < 0.7 else rng.choice(_RINGS)
        height = _TRUSTED + (1 if rng.random() < 0.4 else rng.choice((2, 5, 100)))
        made = _header(rng, height, signers, following)
        while rng.random() < 0.3:
            made = rng.choice(_EDITS)(rng, made)
        raw = encode_client_header(made)
        while rng.random() < 0.12:
            raw = _edit_validators(rng, raw)
        while rng.random() < 0.1:
            raw = noisy(rng, raw)
        yield Case("h", (*_client(rng, trusted, following), raw, _now(rng, made).to_bytes(8, "big")))


def _client(rng: Random, ring: Keyring, following: Keyring) -> tuple[bytes, bytes, bytes]:
    known = header(_CHAIN, _TRUSTED, ring, following)
    state = ClientState(
        _CHAIN, rng.choice(_LEVELS), rng.choice((_DAY, 14 * _DAY)), 21 * _DAY, rng.choice((_SECOND,
        40 * _SECOND)),
        Height(3, _TRUSTED),
    )  # fmt: skip
    consensus = ConsensusState(known.time_ns, known.app_hash, known.next_validators_hash)
    place = (3).to_bytes(8, "big") + _TRUSTED.to_bytes(8, "big")
    return encode_client_state(state), encode_consensus_state(consensus), place


def _header(rng: Random, height: int, ring: Keyring, following: Keyring) -> ClientHeader:
    """Return a header signed by all validators, by enough of them, or by too few."""
    made = header(_CHAIN, height, ring, rng.choice(_RINGS))
    if rng.random() < 0.2:
        made = made._replace(**_header_change(rng))
    places = range(len(ring.validators.validators))
    absent = [place for place in places if rng.random() < 0.08]
    nil = [place for place in places if rng.random() < 0.05]
    foreign = "other-3" if rng.random() < 0.03 else None
    votes = commit(made, ring, absent, nil, foreign)
    trusted = following.validators
    if rng.random() < 0.05:
        trusted = rng.choice(_RINGS).validators
    return ClientHeader(made, votes, ring.validators, Height(3, _TRUSTED), trusted)


def _header_change(rng: Random) -> dict[str, Any]:
    field = rng.choice(
        ("chain_id", "height", "time_ns", "validators_hash", "next_validators_hash", "app_hash",
        "proposer_address",
         "last_commit_hash", "data_hash", "version_block", "version_app")
    )  # fmt: skip
    wild: dict[str, tuple[Any, ...]] = {
        "chain_id": ("followed-4", "followed", "x" * 51, ""),
        "height": (0, -1, _TRUSTED, 1, 2**62),
        "time_ns": (START_NS, START_NS + 7 * _SECOND, START_NS + 30 * _DAY, 0, -1),
        "version_block": (10, 12, 0),
        "version_app": (1, 2**40),
        "app_hash": (b"", b"x", b"y" * 64),
    }
    return {field: rng.choice(wild.get(field, (b"", b"z" * 32, b"z" * 31, b"z" * 20)))}


def _now(rng: Random, made: ClientHeader) -> int:
    near = made.header.time_ns if 0 < made.header.time_ns < 2**62 else START_NS
    return near + rng.choice(
        (0, 1, 5 * _SECOND, -_SECOND, -41 * _SECOND, 3600 * _SECOND, 13 * _DAY, 15 * _DAY)
    )


# -- edits after signing


def _signatures(change: Callable[[Random, list[CommitSig]], None]) -> _Edit:
    def edit(rng: Random, made: ClientHeader) -> ClientHeader:
        votes = list(made.commit.signatures)
        if votes:
            change(rng, votes)
        return made._replace(commit=made.commit._replace(signatures=tuple(votes)))

    return edit


def _flip(rng: Random, votes: list[CommitSig]) -> None:
    at = rng.randrange(len(votes))
    edited = bytearray(votes[at].signature or b"\0")
    edited[rng.randrange(len(edited))] ^= 1 << rng.randrange(8)
    votes[at] = votes[at]._replace(signature=bytes(edited))


def _vote_field(rng: Random, votes: list[CommitSig]) -> None:
    at = rng.randrange(len(votes))
    change: dict[str, Any] = rng.choice(
        ({"flag": rng.randrange(5)}, {"validator_address": rng.choice((b"", b"v" * 20, b"v" * 19))},
         {"time_ns": START_NS}, {"signature": rng.choice((b"", b"s" * 64, b"s" * 65, b"s"))})
    )  # fmt: skip
    votes[at] = votes[at]._replace(**change)


def _swap(rng: Random, votes: list[CommitSig]) -> None:
    rng.shuffle(votes)


def _again(rng: Random, votes: list[CommitSig]) -> None:
    votes.insert(rng.randint(0, len(votes)), rng.choice(votes))


def _less(rng: Random, votes: list[CommitSig]) -> None:
    votes.pop(rng.randrange(len(votes)))


def _commit_field(rng: Random, made: ClientHeader) -> ClientHeader:
    change: dict[str, Any] = rng.choice(
        ({"height": rng.choice((0, 1, made.commit.height + 1, -1))}, {"round": rng.choice((1, -1,
        2**31 - 1))},
         {"block_id": made.commit.block_id._replace(hash=rng.choice((b"", b"q" * 32, b"q")))})
    )  # fmt: skip
    return made._replace(commit=made.commit._replace(**change))


def _trusted_height(rng: Random, made: ClientHeader) -> ClientHeader:
    height = rng.choice((Height(3, 0), Height(3, _TRUSTED + 1), Height(2, _TRUSTED), Height(0, _TRUSTED)))
    return made._replace(trusted_height=height)


def _edit_members(rng: Random, found: validator_pb2.ValidatorSet, at: int, pick: int) -> None:
    if pick == 0:
        del found.validators[:]
    elif pick == 1:
        found.validators.add().CopyFrom(found.validators[at])
    elif pick == 2:
        found.validators.insert(rng.randrange(2), found.validators.pop(at))
    else:
        del found.validators[at]


def _edit_validators(rng: Random, raw: bytes) -> bytes:
    """Change an encoded validator in one of the two sets; the value types cannot represent such errors."""
    made = tendermint_pb2.Header.FromString(raw)
    found = rng.choice((made.validator_set, made.trusted_validators))
    if not found.validators:
        return raw
    at, pick = rng.randrange(len(found.validators)), rng.randrange(9)
    member = found.validators[at]
    if pick < 4:
        _edit_members(rng, found, at, pick)
    elif pick == 4:
        member.voting_power = rng.choice((0, -1, 1, 2**60 - 1, 2**62, 2**63 - 1))
    elif pick == 5:
        member.address = rng.choice((b"", b"a" * 20, b"a" * 19))
    elif pick == 6:
        member.pub_key.ed25519 = rng.choice((b"", b"k" * 31, b"k" * 32))
    elif pick == 7:
        member.pub_key.secp256k1 = rng.choice((b"", b"\2" + b"k" * 32, b"k" * 33))
    else:
        found.total_voting_power = rng.choice((0, 1, -1, 2**63 - 1))
        if rng.random() < 0.5:
            found.ClearField("proposer")
    return made.SerializeToString()


_EDITS: tuple[_Edit, ...] = (
    *map(_signatures, (_flip, _vote_field, _vote_field, _swap, _again, _less)),
    _commit_field,
    _trusted_height,
)

_client_code = TendermintLightClient()


def ours(case: Case) -> Verdict:
    """Return this client's result."""
    state, consensus, place, raw, now = case.arguments
    ctx = block(int.from_bytes(now, "big"))
    _store(ctx, decode_client_state(state), decode_consensus_state(consensus), place)
    try:
        parse(tendermint_pb2.Header, raw)  # as in the decoder of transactions
        _client_code.verify_client_message(ctx, CLIENT, AnyMessage(HEADER_TYPE_URL, raw))
    except IbcError as error:
        return Verdict(f"{error.codespace}/{error.code}", str(error).encode())
    return Verdict("")


def _store(ctx: BlockContext, state: ClientState, consensus: ConsensusState, place: bytes) -> None:
    height = Height(int.from_bytes(place[:8], "big"), int.from_bytes(place[8:], "big"))
    store.set_client_state(ctx, CLIENT, state)
    store.set_consensus_state(ctx, CLIENT, height, consensus, Processed(Height(1, 1), 1))
