"""What a transaction lacks whose signer first asks for its gas, so that the answer holds for the signed one.

CosmJS leaves out signature, sign mode, fee and gas limit, others the public key too; cosmpy signs, with a gas
limit of 0; Hermes signs with the largest fee it would pay.
"""

from ibc_module.core.address import Address
from ibc_module.core.coin import coin
from ibc_module.core.messages import AnyMessage
from ibc_module.relayer import secp256k1
from ibc_module.wire._generated.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from ibc_module.wire.tx import DIRECT, Fee, SignerInfo, Tx, encode_auth_info, encode_tx

PLACEHOLDER_KEY = b"\x02" + bytes(32)
"""As long as a secp256k1 key: an account that has none is charged for the storage of one."""

ANY_SEQUENCE = -1
"""Of a signer of whom the transaction says nothing."""

_SIGNATURE = bytes(64)
_GAS_LIMIT = 10_000_000  # four bytes on the wire, as most
_FEE = 1_000_000


def completed(tx: Tx, size: int, signers: list[Address], denom: str) -> tuple[Tx, int]:
    """The transaction with what it lacks, and the bytes that it will have when it is signed.

    A gas limit of 0 says that the fee is not decided either: moving one coin of `denom` is counted.
    """
    infos = [_info(tx, index) for index in range(len(signers))]
    signatures = [_signature(tx, index) for index in range(len(signers))]
    undecided = tx.fee.gas_limit == 0
    fee = tx.fee if not undecided else tx.fee._replace(amount=tx.fee.amount or (coin(denom, 0),))
    shown = tx.fee if not undecided else Fee((coin(denom, _FEE),), _GAS_LIMIT, tx.fee.payer, tx.fee.granter)
    auth_info = encode_auth_info([_with_key(info) for info in infos], shown)
    whole = encode_tx(tx.body_bytes, auth_info, signatures)
    lacks = undecided or len(tx.signer_infos) < len(infos) or signatures != list(tx.signatures)
    return tx._replace(signer_infos=tuple(infos), fee=fee), max(size, len(whole)) if lacks else size


def _info(tx: Tx, index: int) -> SignerInfo:
    return tx.signer_infos[index] if index < len(tx.signer_infos) else SignerInfo(None, DIRECT, ANY_SEQUENCE)


def _signature(tx: Tx, index: int) -> bytes:
    given = tx.signatures[index] if index < len(tx.signatures) else b""
    return given if len(given) >= len(_SIGNATURE) else _SIGNATURE


def _with_key(info: SignerInfo) -> SignerInfo:
    key = PubKey(key=PLACEHOLDER_KEY).SerializeToString()
    given = info.public_key or AnyMessage(secp256k1.TYPE_URL, key)
    return SignerInfo(given, DIRECT, max(info.sequence, 0))
