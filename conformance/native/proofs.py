"""Comparison of corrupted ICS-23 proofs of SDK chains: native code must not accept more than Python."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from random import Random

from conformance.native.trial import Trial, asking
from conformance.oracle.wire_noise import noisy
from conformance.vectors.synthetic import ProvableChain, chain_of
from pyibc.core import native
from pyibc.core.errors import IbcError
from pyibc.core.proofs import SDK_SPECS, chain, verify_membership, verify_non_membership

_PREFIX = b"commitments/ports/transfer/channels/channel-0/sequences/"
_STORE = b"ibc"


def present(seed: int) -> Iterator[Trial]:
    """Yield proofs of presence."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    chains = _chains()
    while True:
        state = rng.choice(chains)
        key = rng.choice(state.tree.keys)
        root, path, value, proof = _spoilt(rng, state, key, state.tree.items[key])
        given = (SDK_SPECS, root, path, value, proof)
        accepted = native.verify_presence(root, *path, value, proof)
        yield _trial(accepted, verify_membership, chain.verify_membership, given)


def absent(seed: int) -> Iterator[Trial]:
    """Yield proofs of absence."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    chains = _chains()
    while True:
        state = rng.choice(chains)
        key = rng.choice(state.tree.keys) + rng.choice((b"", b"\0", b"x", b"x"))
        root, path, _, proof = _spoilt(rng, state, key, b"")
        accepted = native.verify_absence(root, *path, proof)
        yield _trial(
            accepted, verify_non_membership, chain.verify_non_membership, (SDK_SPECS, root, path, proof)
        )


def _trial(
    accepted: bool, ours: Callable[..., None], reference: Callable[..., None], given: tuple[object, ...]
) -> Trial:
    """Return a trial of native code against the reference, which must accept all that native code accepts."""
    if accepted:
        return Trial(True, "", _answer(reference, given), given)
    first = _answer(ours, given)
    with asking(None):
        return Trial(False, first, _answer(ours, given), given)


def _answer(verify: Callable[..., None], given: tuple[object, ...]) -> str:
    try:
        verify(*given)
    except IbcError as error:
        return f"{error.codespace}/{error.code}: {error}"
    return ""


def _chains() -> list[ProvableChain]:
    return [
        chain_of(
            {_PREFIX + b"%d" % n: sha256(b"%d" % n).digest() for n in range(first, first + size)},
            above,
            stores,
        )
        for first, size, above, stores in (
            (1, 1, 0, 1),
            (7, 5, 0, 2),
            (90, 40, 3, 7),
            (5, 300, 12, 24),
            (1, 9, 60, 3),
        )
    ]


def _spoilt(
    rng: Random, state: ProvableChain, key: bytes, value: bytes
) -> tuple[bytes, tuple[bytes, bytes], bytes, bytes]:
    root, store, proof = state.root, _STORE, state.prove(key)
    pick = rng.random()
    if pick < 0.03:
        root = rng.choice((b"", bytes(32), root[:-1], root + b"\0"))
    elif pick < 0.06:
        value = rng.choice((b"", value + b"\0", bytes(32)))
    elif pick < 0.1:
        key = rng.choice((b"", key + b"\0", rng.choice(state.tree.keys)))
    elif pick < 0.12:
        store = rng.choice((b"", b"bank", b"ib"))
    elif pick < 0.4:
        proof = noisy(rng, proof)
    elif pick < 0.65:
        proof = _edited(rng, proof)
    return root, (store, key), value, proof


def _edited(rng: Random, proof: bytes) -> bytes:
    """Return a proof with bytes changed, removed, inserted, doubled, truncated or exchanged."""
    at, other = rng.randrange(len(proof)), rng.randrange(len(proof))
    pick = rng.randrange(7)
    if pick == 0:
        return proof[:at]
    if pick == 1:
        return proof[:at] + proof[at + 1 :]
    if pick == 2:
        return proof[:at] + rng.randbytes(1) + proof[at:]
    if pick == 3:
        return proof[:at] + proof[at:other] + proof[at:]
    edited = bytearray(proof)
    edited[at] = rng.choice((0, 1, 2, 0x7F, 0x80, 0x22, 0x1A, edited[at] ^ 1 << rng.randrange(8)))
    if pick == 4:
        edited[other] = rng.randrange(256)
    return bytes(edited)
