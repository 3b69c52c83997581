"""A transaction in which every part can be changed before signing."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc.chain.bank.send import MSG_SEND
from pyibc.codec.encoding import encode
from pyibc.core.address import AddressCodec
from pyibc.core.coin import Coin, coin
from pyibc.core.crypto import secp256k1
from pyibc.proto.cosmos.bank.v1beta1 import tx_pb2 as bank_pb2
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.signing.v1beta1.signing_pb2 import SIGN_MODE_DIRECT
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2

GAS = 300_000


class Signer(NamedTuple):
    """A key with its account number and sequence."""

    key: bytes
    number: int
    sequence: int
    prefix: str = "cosmos"

    @property
    def public_key(self) -> bytes:
        """The public key, 33 bytes."""
        return secp256k1.PrivateKey(self.key).public_key

    @property
    def address(self) -> str:
        """Return the address with `prefix`."""
        return AddressCodec(self.prefix).encode(secp256k1.address(self.public_key)).text


class Draft:
    """A payment of 1stake, valid as created; change it, then call `signed`."""

    def __init__(self, chain_id: str, signers: Sequence[Signer]) -> None:
        """Create it with its signers: the payer first, then others that a case may need."""
        self.chain_id = chain_id
        self.people = tuple(signers)
        self.body = tx_pb2.TxBody()
        self.auth = tx_pb2.AuthInfo()
        self.auth.fee.gas_limit = GAS
        self.signing: list[Signer] = []
        self.tails = {"body": b"", "auth": b"", "tx": b""}
        self.pay(self.people[0])
        self.sign_by(self.people[0])

    def pay(self, sender: Signer, coins: Sequence[Coin] = (coin("stake", 1),), receiver: str = "") -> None:
        """Add a MsgSend."""
        message = bank_pb2.MsgSend(from_address=sender.address, to_address=receiver or self.people[0].address)
        for each in coins:
            message.amount.add(denom=each.denom, amount=str(each.amount))
        self.add(MSG_SEND, encode(message))

    def add(self, type_url: str, value: bytes) -> None:
        """Add an encoded message."""
        self.body.messages.add(type_url=type_url, value=value)

    def sign_by(self, signer: Signer) -> None:
        """Add a signer."""
        info = self.auth.signer_infos.add(sequence=signer.sequence)
        info.public_key.type_url = secp256k1.TYPE_URL
        info.public_key.value = encode(PubKey(key=signer.public_key))
        info.mode_info.single.mode = SIGN_MODE_DIRECT
        self.signing.append(signer)

    def parts(self) -> tuple[bytes, bytes]:
        """Return the encoded TxBody and AuthInfo, with the appended bytes."""
        return encode(self.body) + self.tails["body"], encode(self.auth) + self.tails["auth"]

    def signatures(self) -> list[bytes]:
        """Return the signatures of all signers."""
        body, auth = self.parts()
        found = []
        for each in self.signing:
            document = tx_pb2.SignDoc(
                body_bytes=body, auth_info_bytes=auth, chain_id=self.chain_id, account_number=each.number
            )
            found.append(secp256k1.PrivateKey(each.key).sign(encode(document)))
        return found

    def signed(self, signatures: Sequence[bytes] | None = None) -> bytes:
        """Return the encoded TxRaw."""
        body, auth = self.parts()
        shown = self.signatures() if signatures is None else signatures
        return (
            encode(tx_pb2.TxRaw(body_bytes=body, auth_info_bytes=auth, signatures=shown)) + self.tails["tx"]
        )
