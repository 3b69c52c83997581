"""The hashes of chains that Python's own library does not have everywhere: RIPEMD-160 and SHA-512/256.

OpenSSL builds differ in whether they offer them, and a node's verdict must not depend on its OpenSSL: both
are pycryptodome's, in C. What it must say is held against plain Python in the tests.
"""

from Crypto.Hash import RIPEMD160, SHA512

_RIPEMD160 = RIPEMD160.new()
"""Of nothing. It makes others at half the cost of the module's function, which makes two for each."""


def ripemd160(data: bytes) -> bytes:
    """The 20-byte RIPEMD-160 digest of `data` (ISO/IEC 10118-3)."""
    return _RIPEMD160.new(data).digest()


def sha512_256(data: bytes) -> bytes:
    """The 32-byte SHA-512/256 digest of `data` (FIPS 180-4): SHA-512 from other initial values, cut."""
    return SHA512.new(data, truncate="256").digest()
