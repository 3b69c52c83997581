"""Private keys that sign transactions."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple

from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec, is_prefix
from pyibc.core.coin import Coin
from pyibc.core.crypto import ethereum, secp256k1
from pyibc.core.wire.tx import DIRECT, Fee, SignerInfo, encode_auth_info, encode_body, encode_tx, sign_bytes
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey

# -- account types that a relayer signs for: address of a public key, and hash that is signed
#
# Cosmos SDK: RIPEMD-160 of SHA-256 of the compressed key, signatures over SHA-256. Ethermint and its
# descendants: the last 20 bytes of Keccak-256 of the uncompressed key, as on Ethereum, signatures over
# Keccak-256.


class KeyType(NamedTuple):
    """Account type."""

    name: str
    type_url: str  # of the public key in a transaction
    hd_path: str  # BIP-44 path of the first key
    address: Callable[[bytes], bytes]  # compressed public key -> 20 bytes
    digest: Callable[[bytes], bytes]  # sign bytes -> 32 bytes to sign


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
"""Account types by their names in configurations."""


# -- wallets

UNSIGNED = bytes(secp256k1.SIGNATURE_SIZE)
"""Placeholder for a signature, of the same length, since a chain charges gas for each byte."""


def seed_key(text: str) -> bytes:
    """Return the private key of `Wallet.from_seed`, for programs that need a key file."""
    scalar = int.from_bytes(sha256(b"pyibc wallet:" + text.encode()).digest(), "big")
    return (scalar % (secp256k1.ORDER - 1) + 1).to_bytes(32, "big")


class Wallet:
    """Private key with its address on one chain; signs transactions."""

    def __init__(self, private_key: bytes, prefix: str, key_type: KeyType = SECP256K1) -> None:
        """Set the key, a 32-byte big-endian scalar, the chain's bech32 prefix and the account type.

        Raises:
            ValueError: the scalar is zero or not below the group's order, or the prefix is invalid.
        """
        self._key = secp256k1.PrivateKey(private_key)
        self._set_public(self._key.public_key, prefix, key_type)

    def _set_public(self, public_key: bytes, prefix: str, key_type: KeyType) -> None:
        if not is_prefix(prefix):
            raise ValueError(f"{prefix[:64]!a} is not a bech32 prefix: lower case, ASCII, at most 83")
        self.public_key = public_key
        self.key_type = key_type
        self.address = AddressCodec(prefix).encode(key_type.address(public_key))

    def sign(self, data: bytes, chain_id: str) -> bytes:  # noqa: ARG002 - a remote signer gets to know it
        """Return the signature of the sign bytes of a transaction for a chain."""
        return self._key.sign_digest(self.key_type.digest(data))

    @classmethod
    def from_seed(cls, text: str, prefix: str) -> "Wallet":
        """Derive a wallet from a text, for tests and local networks, never for funds of value."""
        return cls(seed_key(text), prefix)

    def __repr__(self) -> str:  # never the key
        return f"Wallet({self.address.text})"

    def sign_tx(  # noqa: PLR0913 - a transaction has as many parts
        self,
        messages: Sequence[AnyMessage],
        *,
        chain_id: str,
        account_number: int,
        sequence: int,
        fee: Sequence[Coin] = (),
        gas_limit: int,
        memo: str = "",
        timeout_height: int = 0,
        granter: str = "",
        signed: bool = True,
    ) -> bytes:
        """Return the TxRaw bytes of one transaction, signed with SIGN_MODE_DIRECT.

        Args:
            messages: In order; this wallet is the signer of all of them.
            chain_id: The chain's id; part of the sign bytes, as is `account_number`.
            account_number: The account's number on that chain.
            sequence: The account's sequence.
            fee: Coins offered, sorted by denomination.
            gas_limit: Maximum gas.
            memo: Free text, public.
            timeout_height: The last block that may include it; 0: any.
            granter: Bech32 address of the account that pays the fee (x/feegrant); "": this one.
            signed: False: zeros for the signature, for a simulation; such a transaction cannot be broadcast.
        """
        body_bytes = encode_body(messages, memo, timeout_height)
        key = AnyMessage(self.key_type.type_url, PubKey(key=self.public_key).SerializeToString())
        signer = SignerInfo(key, DIRECT, sequence)
        auth_bytes = encode_auth_info([signer], Fee(tuple(fee), gas_limit, granter=granter))
        data = sign_bytes(body_bytes, auth_bytes, chain_id, account_number)
        signature = self.sign(data, chain_id) if signed else UNSIGNED
        return encode_tx(body_bytes, auth_bytes, [signature])
