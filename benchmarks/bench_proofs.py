"""ICS-23 proofs of 20 IAVL and 5 multistore steps: cold, in a batch, seen before.

python -m benchmarks.bench_proofs        (PEERS_DIR=... for the Go figure beside it)
"""

from hashlib import sha256

from benchmarks.timing import Row, Work, compare, measure, peer, show
from ibc_module.conformance.synthetic import chain_of
from ibc_module.proofs import SDK_SPECS, Memo, chain, verify_membership, verify_non_membership

BATCH = 1024
COLD = 200


def rows() -> list[Row]:
    """Cold, batch and warm verification against the spec-driven reference."""
    go = peer("ics23")
    names = {"cold: nothing known": next((name for name in go if name.endswith("verify")), "")}
    return compare(measure(_work()), "reference, every step by its specification", go, names)


def _items() -> dict[bytes, bytes]:
    prefix = b"commitments/ports/transfer/channels/channel-0/sequences/"
    return {prefix + b"%d" % n: sha256(b"%d" % n).digest() for n in range(1000, 1000 + BATCH)}


def _floor() -> None:
    block = b"x" * 96
    for _ in range(COLD * (20 + 5 + 4)):
        sha256(block).digest()


def _work() -> dict[str, Work]:
    items = _items()
    state = chain_of(items, above=10)
    proofs = [((b"ibc", key), value, state.prove(key)) for key, value in items.items()]
    absent = [((b"ibc", key + b"x"), state.prove(key + b"x")) for key in list(items)[:50]]
    warm = Memo()

    def verify(memo: Memo) -> None:
        for path, value, proof in proofs:
            verify_membership(SDK_SPECS, state.root, path, value, proof, memo)

    def cold() -> None:
        for path, value, proof in proofs[:COLD]:
            verify_membership(SDK_SPECS, state.root, path, value, proof, Memo())

    def reference() -> None:
        for path, value, proof in proofs[:COLD]:
            chain.verify_membership(SDK_SPECS, state.root, path, value, proof)

    def absence() -> None:
        for path, proof in absent:
            verify_non_membership(SDK_SPECS, state.root, path, proof)

    return {
        "reference, every step by its specification": Work(reference, COLD),
        "cold: nothing known": Work(cold, COLD),
        "batch: neighbours share their path": Work(lambda: verify(Memo()), BATCH),
        "warm: the same proof again": Work(lambda: verify(warm), BATCH),
        "absence": Work(absence, len(absent)),
        "floor: the hashes of a cold proof alone": Work(_floor, COLD),
    }


if __name__ == "__main__":
    show(rows())
