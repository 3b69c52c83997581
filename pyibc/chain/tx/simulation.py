"""Completion of a transaction sent for gas estimation with placeholders for the parts added by signing.

CosmJS omits signature, sign mode, fee and gas limit; other wallets omit the public key as well; cosmpy signs
with a gas limit of 0; Hermes signs with the highest fee that it would pay.
"""

from pyibc.codec.anys import AnyMessage
from pyibc.core.address import Address
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.wire.tx import DIRECT, Fee, SignerInfo, Tx, encode_auth_info, encode_tx
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey

PLACEHOLDER_KEY = b"\x02" + bytes(32)
"""Placeholder with the length of a secp256k1 key: storing an account's first key costs gas."""

ANY_SEQUENCE = -1
"""Sequence of a signer for whom the transaction has no signer info."""

_SIGNATURE = bytes(64)
_SEQUENCE = 10_000
_GAS_LIMIT = 10_000_000  # four bytes on the wire, like most gas limits
OPEN_FEES = (10_000_000, 1)
"""Assumed fee amounts of a transaction without a fee: the first that the payer can pay is used."""


def with_placeholders(tx: Tx, size: int, signers: list[Address], denom: str) -> tuple[Tx, int]:
    """Return the transaction with missing parts filled in, and the size that it will have when signed.

    If neither gas limit nor fee is set (`is_fee_unset`), the size includes those of typical ones.
    """
    infos = [_info(tx, index) for index in range(len(signers))]
    signatures = [_signature(tx, index) for index in range(len(signers))]
    undecided = is_fee_unset(tx)
    likely = Fee((coin(denom, OPEN_FEES[0]),), _GAS_LIMIT, tx.fee.payer, tx.fee.granter)
    shown = likely if undecided else tx.fee
    auth_info = encode_auth_info([_with_key(info) for info in infos], shown)
    whole = encode_tx(tx.body_bytes, auth_info, signatures)
    lacks = undecided or len(tx.signer_infos) < len(infos) or signatures != list(tx.signatures)
    return tx._replace(signer_infos=tuple(infos)), max(size, len(whole)) if lacks else size


def is_fee_unset(tx: Tx) -> bool:
    """Return whether neither fee nor gas limit is set."""
    return not tx.fee.gas_limit and not tx.fee.amount


def _info(tx: Tx, index: int) -> SignerInfo:
    return tx.signer_infos[index] if index < len(tx.signer_infos) else SignerInfo(None, DIRECT, ANY_SEQUENCE)


def _signature(tx: Tx, index: int) -> bytes:
    given = tx.signatures[index] if index < len(tx.signatures) else b""
    return given if len(given) >= len(_SIGNATURE) else _SIGNATURE


def _with_key(info: SignerInfo) -> SignerInfo:
    key = PubKey(key=PLACEHOLDER_KEY).SerializeToString()
    given = info.public_key or AnyMessage(secp256k1.TYPE_URL, key)
    return SignerInfo(given, DIRECT, info.sequence if info.sequence != ANY_SEQUENCE else _SEQUENCE)
