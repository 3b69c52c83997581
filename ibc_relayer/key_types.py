"""The kinds of accounts a relayer signs for: how an address follows from a key, and which hash is signed.

Cosmos SDK: RIPEMD-160 of SHA-256 of the compressed key, signatures over SHA-256. Ethermint and descendants:
the last 20 bytes of Keccak-256 of the uncompressed key as on Ethereum, signatures over Keccak-256.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from ibc_core.crypto import ethereum, secp256k1


class KeyType(NamedTuple):
    """One kind of account."""

    name: str
    type_url: str  # of its public key in a transaction
    hd_path: str  # BIP-44: the path of its first key
    address: Callable[[bytes], bytes]  # compressed public key -> 20 bytes
    digest: Callable[[bytes], bytes]  # sign bytes -> the 32 bytes that are signed


def _sha256(data: bytes) -> bytes:
    return sha256(data).digest()


_ETHEREUM = "m/44'/60'/0'/0/0"

SECP256K1 = KeyType("secp256k1", secp256k1.TYPE_URL, "m/44'/118'/0'/0/0", secp256k1.address, _sha256)
ETHSECP256K1 = KeyType(
    "ethsecp256k1",
    "/ethermint.crypto.v1.ethsecp256k1.PubKey",
    _ETHEREUM,
    ethereum.address,
    ethereum.keccak256,
)
COSMOS_EVM = ETHSECP256K1._replace(name="cosmos-evm", type_url="/cosmos.evm.crypto.v1.ethsecp256k1.PubKey")
INJECTIVE = ETHSECP256K1._replace(name="injective", type_url="/injective.crypto.v1beta1.ethsecp256k1.PubKey")

KEY_TYPES = {each.name: each for each in (SECP256K1, ETHSECP256K1, COSMOS_EVM, INJECTIVE)}
"""Account types by the names that configurations use."""
