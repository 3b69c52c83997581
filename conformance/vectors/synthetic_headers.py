"""Signed headers, honest or not, generated for tests and benchmarks."""

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import NamedTuple

from nacl.signing import SigningKey

from light_client.tendermint.encoding import EMPTY_HASH
from light_client.tendermint.hashing import commit_sign_bytes, header_hash
from light_client.tendermint.types import (
    ABSENT,
    ED25519,
    FLAG_COMMIT,
    FLAG_NIL,
    NO_BLOCK,
    BlockId,
    ClientHeader,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    Validator,
    ValidatorSet,
    in_canonical_order,
    validator,
)
from pyibc.core.height import Height, revision_of

START_NS = 1_700_000_000 * 10**9
"""Time of height 0 of a generated chain, unix nanoseconds; there is a block per second."""


class Keyring(NamedTuple):
    """A validator set and the keys of its members, by address."""

    validators: ValidatorSet
    keys: dict[bytes, SigningKey]


def keyring(powers: Sequence[int], label: str = "") -> Keyring:
    """Return validators of these powers; the same label and index give the same key."""
    keys: dict[bytes, SigningKey] = {}
    members: list[Validator] = []
    for place, power in enumerate(powers):
        key = SigningKey(sha256(f"{label} {place}".encode()).digest())
        member = validator(ED25519, bytes(key.verify_key), power)
        members.append(member)
        keys[member.address] = key
    ordered = in_canonical_order(members)
    return Keyring(ValidatorSet(ordered, ordered[0]), keys)


def header(
    chain_id: str, height: int, ring: Keyring, following: Keyring | None = None, app_hash: bytes = b"a" * 32
) -> Header:
    """Return an honest header; the next validators are `following`, by default the same."""
    return Header(
        chain_id,
        height,
        START_NS + height * 10**9,
        NO_BLOCK if height == 1 else BlockId(sha256(b"%d" % height).digest(), 1, EMPTY_HASH),
        EMPTY_HASH,
        EMPTY_HASH,
        ring.validators.hash,
        (following or ring).validators.hash,
        EMPTY_HASH,
        app_hash,
        EMPTY_HASH,
        EMPTY_HASH,
        ring.validators.validators[0].address,
    )


def commit(
    of: Header,
    ring: Keyring,
    absent: Collection[int] = (),
    nil: Collection[int] = (),
    chain_id: str | None = None,
) -> Commit:
    """Return the commit of a header, signed by all of `ring` except the validators at these indexes."""
    unsigned = Commit(of.height, 0, BlockId(header_hash(of), 1, EMPTY_HASH), ())
    signed_chain = of.chain_id if chain_id is None else chain_id
    for_block = commit_sign_bytes(signed_chain, unsigned)
    for_nil = commit_sign_bytes(signed_chain, unsigned._replace(block_id=NO_BLOCK))
    signatures = [
        ABSENT
        if place in absent
        else _sign(
            ring, member, place, of.time_ns, FLAG_NIL if place in nil else FLAG_COMMIT, for_block, for_nil
        )
        for place, member in enumerate(ring.validators.validators)
    ]
    return unsigned._replace(signatures=tuple(signatures))


def _sign(
    ring: Keyring,
    member: Validator,
    place: int,
    time_ns: int,
    flag: int,
    for_block: Callable[[CommitSig], bytes],
    for_nil: Callable[[CommitSig], bytes],
) -> CommitSig:
    unsigned = CommitSig(flag, member.address, time_ns + 1000 + place)
    message = for_block(unsigned) if flag == FLAG_COMMIT else for_nil(unsigned)
    return unsigned._replace(signature=ring.keys[member.address].sign(message).signature)


def signed(chain_id: str, height: int, ring: Keyring, following: Keyring | None = None) -> SignedHeader:
    """Return an honest header and its commit."""
    made = header(chain_id, height, ring, following)
    return SignedHeader(made, commit(made, ring))


def client_header(
    block: SignedHeader, ring: Keyring, trusted_height: int, trusted: Keyring | None = None
) -> ClientHeader:
    """Return the client message of a signed header; `trusted` are the validators after the trusted height."""
    base = Height(revision_of(block.header.chain_id), trusted_height)
    return ClientHeader(*block, ring.validators, base, (trusted or ring).validators)
