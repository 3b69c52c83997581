"""Comparison of state imports, intact and corrupted, in chunks of any size, with Python's importer."""

from collections.abc import Iterator
from random import Random

from conformance.native.trial import Trial
from iavl import IavlError, MultiStore, engine
from iavl.restore import checker

_NAMES = ("a", "empty", "\u00e9")
_MOST_KEYS = 60


def trials(seed: int) -> Iterator[Trial]:
    """Yield exports, half of them with bytes changed, removed or inserted; intact ones must be accepted."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    assert engine.active.checker is not None, engine.WHY  # noqa: S101 - whoever calls has looked
    while True:
        store = _grown(rng)
        told = b"".join(store.export(store.version, 1 << 20))
        for _ in range(50):
            raw = _spoilt(rng, told) if rng.random() < 0.5 else told
            size = rng.randint(1, len(told) + 1)
            chunks = [raw[at : at + size] for at in range(0, len(raw), size)]
            made = engine.active.checker(store.names(), store.version, store.app_hash)
            found = all(made.feed(chunk) for chunk in chunks) and made.finish()
            reference = by_python(store, chunks) if found else raw == told
            yield Trial(found, found, reference, raw)


def by_python(store: MultiStore, chunks: list[bytes]) -> bool:
    """Return whether Python accepts the chunks as the store's version."""
    importer = checker(store.names(), store.version, store.app_hash)
    try:
        for chunk in chunks:
            importer.feed(chunk)
        importer.finish()
    except IavlError:
        return False
    return True


def _grown(rng: Random) -> MultiStore:
    store = MultiStore(None, _NAMES)
    for _ in range(rng.randint(1, 6)):
        for name in rng.sample(("a", "\u00e9"), rng.randint(0, 2)):
            for _ in range(rng.randint(0, 20)):
                value = rng.randbytes(rng.choice((0, 1, 9, 127, 128, 300)))
                store.apply({name: [(b"key%d" % rng.randrange(_MOST_KEYS), value)]})
        store.commit(b"")
    return store


def _spoilt(rng: Random, raw: bytes) -> bytes:
    at, end = sorted((rng.randrange(len(raw)), rng.randrange(len(raw))))
    match rng.randrange(5):
        case 0:
            return raw[:at] + bytes([raw[at] ^ rng.randint(1, 255)]) + raw[at + 1 :]
        case 1:
            return raw[:at] + rng.randbytes(rng.randint(1, 9)) + raw[at:]
        case 2:
            return raw[:at] + raw[end:]
        case 3:
            return raw[:at]
        case _:
            return raw + raw[at:end]
