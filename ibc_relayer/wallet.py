"""A key that signs transactions."""

from collections.abc import Sequence
from hashlib import sha256

from ibc_core.address import AddressCodec, is_prefix
from ibc_core.any_message import AnyMessage
from ibc_core.coin import Coin
from ibc_core.crypto import secp256k1
from ibc_core.wire.tx import DIRECT, Fee, SignerInfo, encode_auth_info, encode_body, encode_tx, sign_bytes
from ibc_proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from ibc_relayer.key_types import SECP256K1, KeyType

UNSIGNED = bytes(secp256k1.SIGNATURE_SIZE)
"""In place of a signature: as long as one, since a chain takes gas for each byte."""


def seed_key(text: str) -> bytes:
    """The private key that `Wallet.from_seed` derives from a text: for programs that need a key file."""
    scalar = int.from_bytes(sha256(b"pyibc wallet:" + text.encode()).digest(), "big")
    return (scalar % (secp256k1.ORDER - 1) + 1).to_bytes(32, "big")


class Wallet:
    """A private key with its address on one chain; signs transactions."""

    def __init__(self, private_key: bytes, prefix: str, key_type: KeyType = SECP256K1) -> None:
        """Takes a 32-byte big-endian scalar, the chain's bech32 prefix and the kind of account.

        Raises:
            ValueError: the scalar is zero or not below the group's order, or no address has this prefix.
        """
        if not is_prefix(prefix):
            raise ValueError(f"{prefix[:64]!a} is no prefix of addresses: lower case, ASCII, at most 83")
        self._key = secp256k1.PrivateKey(private_key)
        self.public_key = self._key.public_key
        self.key_type = key_type
        self.address = AddressCodec(prefix).encode(key_type.address(self.public_key))

    @classmethod
    def from_seed(cls, text: str, prefix: str) -> "Wallet":
        """Derives the wallet from a text: for tests and local networks, never for funds of value."""
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
        """TxRaw bytes of one transaction, signed with SIGN_MODE_DIRECT.

        Args:
            messages: In order; this wallet is the signer of all of them.
            chain_id: The chain it is for; part of what is signed, as is `account_number`.
            account_number: The account's number on that chain.
            sequence: The account's sequence.
            fee: Coins offered, sorted by denomination.
            gas_limit: Gas it may use.
            memo: Free text, public.
            timeout_height: The last block that may include it; 0: any.
            granter: Bech32 address of the account that pays the fee (x/feegrant); "": this one.
            signed: False: zeros for the signature, to be simulated; nobody who sees it can broadcast it.
        """
        body_bytes = encode_body(messages, memo, timeout_height)
        key = AnyMessage(self.key_type.type_url, PubKey(key=self.public_key).SerializeToString())
        signer = SignerInfo(key, DIRECT, sequence)
        auth_bytes = encode_auth_info([signer], Fee(tuple(fee), gas_limit, granter=granter))
        data = sign_bytes(body_bytes, auth_bytes, chain_id, account_number)
        signature = self._key.sign_digest(self.key_type.digest(data)) if signed else UNSIGNED
        return encode_tx(body_bytes, auth_bytes, [signature])
