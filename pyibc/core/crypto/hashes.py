"""Hash functions that `hashlib` does not provide everywhere: RIPEMD-160 and SHA-512/256.

Not every OpenSSL build has them, and no verdict may depend on the build. RIPEMD-160 is OpenSSL's if
available, as it is five times as fast; else pyibc-native's if installed (`native.py`), else pycryptodome's,
in C. SHA-512/256 always is pycryptodome's. The tests compare all of them with plain Python.
"""

import hashlib
from collections.abc import Callable

from Crypto.Hash import RIPEMD160, SHA512

from pyibc.core import native

Digest = Callable[[bytes], bytes]

_RIPEMD160 = RIPEMD160.new()
"""Empty hash object, whose `new` costs half as much as the module's function, which creates two objects."""


def ripemd160_by_pycryptodome(data: bytes) -> bytes:
    """Return the RIPEMD-160 digest by pycryptodome, in about 3 us."""
    return _RIPEMD160.new(data).digest()


def _openssl() -> Digest | None:
    try:
        nothing = hashlib.new("ripemd160", usedforsecurity=False)
    except ValueError:  # not in this build, or the legacy provider is not loaded
        return None

    def ripemd160_by_openssl(data: bytes) -> bytes:
        made = nothing.copy()  # a lookup by name would cost twice as much
        made.update(data)
        return made.digest()

    return ripemd160_by_openssl


ripemd160_by_openssl: Digest | None = _openssl()
"""RIPEMD-160 of OpenSSL; None if this build has none."""

ripemd160_by_native: Digest | None = native.ripemd160_of(native.NATIVE)
"""RIPEMD-160 of pyibc-native; None if it is not used."""

ripemd160: Digest = ripemd160_by_openssl or ripemd160_by_native or ripemd160_by_pycryptodome
"""RIPEMD-160 (ISO/IEC 10118-3): bytes -> 20-byte digest."""


def sha512_256(data: bytes) -> bytes:
    """Return the 32-byte SHA-512/256 digest of `data` (FIPS 180-4)."""
    return SHA512.new(data, truncate="256").digest()
