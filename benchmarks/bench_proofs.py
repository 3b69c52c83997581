"""Benchmark: ICS-23 proofs of 20 IAVL and 5 multistore steps: cold, in a batch, cached.

python -m benchmarks.bench_proofs        (PEERS_DIR=... for Go's figures)
"""

from collections.abc import Callable
from hashlib import sha256

from benchmarks.timing import GoOperation, Row, Work, beside, show
from conformance.vectors.synthetic import chain_of
from pyibc.core.proofs import SDK_SPECS, Memo, chain, verify_membership, verify_non_membership

_Case = tuple[bytes, tuple[bytes, bytes], bytes, bytes]
BATCH = 1024
COLD = 200


def rows() -> list[Row]:
    """Measure cold, batch and warm verification against the spec-driven reference."""
    go = GoOperation("ics23", "ics23/depth 20+5 calculate, then verify (as ibc-go)")
    peers = {"cold: nothing known": go, "batch: neighbours share their path": go}
    there, gone = _cases()
    baseline = "reference, every step by its specification"
    return beside(_work(there, gone), baseline, peers, _natives(there, gone))


def _items() -> dict[bytes, bytes]:
    prefix = b"commitments/ports/transfer/channels/channel-0/sequences/"
    return {prefix + b"%d" % n: sha256(b"%d" % n).digest() for n in range(1000, 1000 + BATCH)}


def _floor() -> None:
    block = b"x" * 96
    for _ in range(COLD * (20 + 5 + 4)):
        sha256(block).digest()


def _natives(there: list[_Case], gone: list[_Case]) -> dict[str, Work]:
    """Return native runs; native code has no cache, so cold and warm are the same."""

    def present() -> None:
        for root, path, value, proof in there:
            verify_membership(SDK_SPECS, root, path, value, proof)

    def absent() -> None:
        for root, path, _, proof in gone:
            verify_non_membership(SDK_SPECS, root, path, proof)

    kinds = ("cold: nothing known", "batch: neighbours share their path", "warm: the same proof again")
    found = dict.fromkeys(kinds, Work(present, BATCH))
    return found | dict.fromkeys(("absence, cold", "absence, batch"), Work(absent, COLD))


def _present(cases: list[_Case], memo: Callable[[], Memo] | None) -> None:
    for root, path, value, proof in cases:
        if memo is None:
            chain.verify_membership(SDK_SPECS, root, path, value, proof)
        else:
            verify_membership(SDK_SPECS, root, path, value, proof, memo())


def _absent(cases: list[_Case], memo: Callable[[], Memo] | None) -> None:
    for root, path, _, proof in cases:
        if memo is None:
            chain.verify_non_membership(SDK_SPECS, root, path, proof)
        else:
            verify_non_membership(SDK_SPECS, root, path, proof, memo())


def _one() -> Callable[[], Memo]:
    memo = Memo()
    return lambda: memo


def _cases() -> tuple[list[_Case], list[_Case]]:
    items = _items()
    state = chain_of(items, above=10)
    there = [(state.root, (b"ibc", key), value, state.prove(key)) for key, value in items.items()]
    gone = [(state.root, (b"ibc", key + b"x"), b"", state.prove(key + b"x")) for key in list(items)[:COLD]]
    return there, gone


def _work(there: list[_Case], gone: list[_Case]) -> dict[str, Work]:
    warm = _one()
    return {
        "reference, every step by its specification": Work(lambda: _present(there[:COLD], None), COLD),
        "cold: nothing known": Work(lambda: _present(there[:COLD], Memo), COLD),
        "batch: neighbours share their path": Work(lambda: _present(there, _one()), BATCH),
        "warm: the same proof again": Work(lambda: _present(there, warm), BATCH),
        "absence, reference": Work(lambda: _absent(gone, None), COLD),
        "absence, cold": Work(lambda: _absent(gone, Memo), COLD),
        "absence, batch": Work(lambda: _absent(gone, _one()), COLD),
        "floor: the hashes of a cold proof alone": Work(_floor, COLD),
    }


if __name__ == "__main__":
    show(rows())
