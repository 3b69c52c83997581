"""The hashes of chains that Python's own library does not have everywhere: RIPEMD-160 and SHA-512/256.

OpenSSL builds differ in whether they offer them, and no verdict may depend on that. Where one has none,
RIPEMD-160 is native if that is installed (`ibc_core/native.py`), and both are pycryptodome's, in C. OpenSSL's
RIPEMD-160 costs a fifth of that, so it is taken where there is one.
All give the same digest, which the tests hold against plain Python.
"""

import hashlib
from collections.abc import Callable

from Crypto.Hash import RIPEMD160, SHA512

from ibc_core import native

Digest = Callable[[bytes], bytes]

_RIPEMD160 = RIPEMD160.new()
"""Of nothing. It makes others at half the cost of the module's function, which makes two for each."""


def ripemd160_by_pycryptodome(data: bytes) -> bytes:
    """RIPEMD-160, at 3 us."""
    return _RIPEMD160.new(data).digest()


def _openssl() -> Digest | None:
    try:
        nothing = hashlib.new("ripemd160", usedforsecurity=False)
    except ValueError:  # not in this build, or not without its provider of old hashes
        return None

    def ripemd160_by_openssl(data: bytes) -> bytes:
        made = nothing.copy()  # a name that is looked up each time costs twice as much
        made.update(data)
        return made.digest()

    return ripemd160_by_openssl


ripemd160_by_openssl: Digest | None = _openssl()
"""None where OpenSSL has none."""

ripemd160_by_native: Digest | None = native.ripemd160_of(native.NATIVE)
"""None where pyibc-native is not used."""

ripemd160: Digest = ripemd160_by_openssl or ripemd160_by_native or ripemd160_by_pycryptodome
"""The 20-byte RIPEMD-160 digest of bytes (ISO/IEC 10118-3)."""


def sha512_256(data: bytes) -> bytes:
    """The 32-byte SHA-512/256 digest of `data` (FIPS 180-4): SHA-512 from other initial values, cut."""
    return SHA512.new(data, truncate="256").digest()
