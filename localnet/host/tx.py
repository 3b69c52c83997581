"""A transaction's bytes as a value: TxRaw, its body and auth info, strictly decoded (SIGN_MODE_DIRECT)."""

from typing import NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message

from ibc_module.core.coin import Coin, coin
from ibc_module.core.messages import AnyMessage
from ibc_module.core.numbers import MAX_U256
from ibc_module.errors import TxDecode
from ibc_module.relayer import secp256k1
from ibc_module.wire._generated.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from ibc_module.wire._generated.cosmos.tx.signing.v1beta1.signing_pb2 import SIGN_MODE_DIRECT
from ibc_module.wire._generated.cosmos.tx.v1beta1.tx_pb2 import AuthInfo, TxBody, TxRaw
from ibc_module.wire._generated.cosmos.tx.v1beta1.tx_pb2 import SignerInfo as PbSignerInfo
from localnet.host.unknown import has_unknown_fields

M = TypeVar("M", bound=Message)
_MAX_DIGITS = 78  # of 2^256


class SignerInfo(NamedTuple):
    """What the transaction says of one signer."""

    public_key: bytes  # 33 bytes; empty: the account's is meant
    sequence: int


class DecodedTx(NamedTuple):
    """A transaction before anything of it is believed."""

    size: int  # bytes of the whole
    body_bytes: bytes
    auth_info_bytes: bytes
    signatures: tuple[bytes, ...]
    messages: tuple[AnyMessage, ...]
    memo: str
    timeout_height: int  # 0: none
    signer_infos: tuple[SignerInfo, ...]
    fee: tuple[Coin, ...]
    gas_limit: int
    fee_payer: str  # "": the first signer
    fee_granter: str


def decode_tx(raw: bytes) -> DecodedTx:
    """The transaction that `raw` encodes.

    Raises:
        TxDecode: not protobuf, a field nobody knows, an extension, a sign mode other than DIRECT, a key
            other than secp256k1, or a fee that is no number.
    """
    outer = _parse(TxRaw, raw, "tx")
    if outer.SerializeToString(deterministic=True) != raw:
        raise TxDecode("tx is not in its canonical encoding")  # two encodings would be two hashes
    body = _parse(TxBody, outer.body_bytes, "body")
    auth = _parse(AuthInfo, outer.auth_info_bytes, "auth_info")
    _no_extras(body, auth)
    return DecodedTx(
        len(raw),
        outer.body_bytes,
        outer.auth_info_bytes,
        tuple(outer.signatures),
        tuple([AnyMessage(each.type_url, each.value) for each in body.messages]),
        body.memo,
        body.timeout_height,
        tuple([_signer_info(info) for info in auth.signer_infos]),
        tuple([coin(each.denom, _amount(each.amount)) for each in auth.fee.amount]),
        auth.fee.gas_limit,
        auth.fee.payer,
        auth.fee.granter,
    )


def _parse(kind: type[M], raw: bytes, field: str) -> M:
    try:
        message = kind.FromString(raw)
    except DecodeError:
        raise TxDecode(f"{field} is not protobuf") from None
    if has_unknown_fields(message):
        raise TxDecode(f"{field} has unknown fields")
    return message


def _no_extras(body: TxBody, auth: AuthInfo) -> None:
    if body.extension_options or body.non_critical_extension_options:
        raise TxDecode("unknown extension options")
    if body.unordered or body.HasField("timeout_timestamp"):
        raise TxDecode("unordered transactions are not supported")
    if auth.HasField("tip"):
        raise TxDecode("tips are not supported")


def _signer_info(info: PbSignerInfo) -> SignerInfo:
    if info.mode_info.single.mode != SIGN_MODE_DIRECT:
        raise TxDecode("a sign mode other than SIGN_MODE_DIRECT")
    if not info.HasField("public_key"):
        return SignerInfo(b"", info.sequence)
    if info.public_key.type_url != secp256k1.TYPE_URL:
        raise TxDecode(f"public key of type {info.public_key.type_url[:64]!r}")
    return SignerInfo(_parse(PubKey, info.public_key.value, "public_key").key, info.sequence)


def _amount(text: str) -> int:
    """A fee's amount: decimal digits, below 2^256."""
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS or int(text) > MAX_U256:
        raise TxDecode(f"fee amount {text[:64]!r}")
    return int(text)
