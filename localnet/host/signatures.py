"""Signatures of transactions: what is signed, and a memo between CheckTx and the block."""

from hashlib import sha256

from ibc_module.relayer import secp256k1
from ibc_module.wire._generated.cosmos.tx.v1beta1.tx_pb2 import SignDoc


def sign_doc(body_bytes: bytes, auth_info_bytes: bytes, chain_id: str, account_number: int) -> bytes:
    """The bytes that SIGN_MODE_DIRECT signs."""
    return SignDoc(
        body_bytes=body_bytes,
        auth_info_bytes=auth_info_bytes,
        chain_id=chain_id,
        account_number=account_number,
    ).SerializeToString(deterministic=True)


def sign_doc_digest(body_bytes: bytes, auth_info_bytes: bytes, chain_id: str, account_number: int) -> bytes:
    """SHA-256 of the sign doc."""
    return sha256(sign_doc(body_bytes, auth_info_bytes, chain_id, account_number)).digest()


class SignatureMemo:
    """Signatures found good once are not verified again: a pure function of (key, digest, signature).

    Two generations of at most `limit` entries; only good ones are kept.
    """

    def __init__(self, limit: int = 10_000) -> None:
        self._limit = limit
        self._young: set[tuple[bytes, bytes, bytes]] = set()
        self._old: set[tuple[bytes, bytes, bytes]] = set()

    def verify(self, public_key: bytes, digest: bytes, signature: bytes) -> bool:
        """Whether the signature is good."""
        entry = (public_key, digest, signature)
        if entry in self._young or entry in self._old:
            return True
        if not secp256k1.verify(public_key, digest, signature):
            return False
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, set()
        self._young.add(entry)
        return True
