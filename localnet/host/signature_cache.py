"""A cache of verified transaction signatures, shared by CheckTx and block execution."""

from ibc_core.crypto import secp256k1


class SignatureCache:
    """Remembers valid signatures by (key, digest, signature).

    Two generations of at most `limit` entries; only valid signatures are kept.
    """

    def __init__(self, limit: int = 10_000) -> None:
        self._limit = limit
        self._young: set[tuple[bytes, bytes, bytes]] = set()
        self._old: set[tuple[bytes, bytes, bytes]] = set()

    def verify(self, public_key: bytes, digest: bytes, signature: bytes) -> bool:
        """Whether the signature is valid."""
        entry = (public_key, digest, signature)
        if entry in self._young or entry in self._old:
            return True
        if not secp256k1.verify_digest(public_key, digest, signature):
            return False
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, set()
        self._young.add(entry)
        return True
