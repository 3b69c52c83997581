"""Comparison of RIPEMD-160 with pycryptodome's."""

from collections.abc import Iterator
from random import Random

from conformance.native.trial import Trial
from pyibc.core import native
from pyibc.core.crypto.hashes import ripemd160_by_pycryptodome


def trials(seed: int) -> Iterator[Trial]:
    """Yield inputs, mostly with lengths around block boundaries."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    ours = native.ripemd160_of(native.NATIVE)
    while ours is not None:
        data = rng.randbytes(rng.choice((0, 1, 32, 55, 56, 63, 64, 65, 119, 120, 128, rng.randrange(400))))
        yield Trial(True, ours(data), ripemd160_by_pycryptodome(data), data)
