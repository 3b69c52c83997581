"""The checks before a transaction's messages run, one function and one error class per check.

The steps of the ante handler call them. A transaction sent for gas estimation is completed first, with
placeholders for what signing adds: CosmJS omits signature, sign mode, fee and gas limit; other wallets omit
the public key as well; cosmpy signs with a gas limit of 0; Hermes signs with the highest fee that it would
pay.
"""

from collections.abc import Sequence
from enum import Enum
from hashlib import sha256

from pyibc.chain.accounts.keeper import Account, Accounts
from pyibc.chain.bank.keeper import coins_text
from pyibc.chain.config import HostConfig, TxLimits
from pyibc.chain.tx import amino_json
from pyibc.chain.tx.amino_json import AminoDoc
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import Address
from pyibc.core.coin import Coin, coin, is_denom
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import (
    InsufficientFee,
    InvalidGasLimit,
    InvalidPubKey,
    InvalidSdkRequest,
    MemoTooLarge,
    NoSignatures,
    NotSupported,
    TooManySignatures,
    TxDecode,
    TxTimeout,
    TxTimeoutHeight,
    TxTooLarge,
    UnauthorizedTx,
    UnknownAccount,
    WrongSequence,
)
from pyibc.core.host.context import WriteContext
from pyibc.core.memo import memoize
from pyibc.core.numbers import MAX_I64
from pyibc.core.wire.tx import (
    DIRECT,
    LEGACY_AMINO_JSON,
    Fee,
    SignerInfo,
    Tx,
    encode_auth_info,
    encode_tx,
    sign_bytes,
)
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


# -- cache of verified transaction signatures, shared by CheckTx and block execution


class SignatureCache:
    """Cache of valid signatures by (key, digest, signature).

    Two generations of at most `limit` entries; only valid signatures are kept.
    """

    def __init__(self, limit: int = 10_000) -> None:
        self._limit = limit
        self._young: set[tuple[bytes, bytes, bytes]] = set()
        self._old: set[tuple[bytes, bytes, bytes]] = set()

    def verify(self, public_key: bytes, digest: bytes, signature: bytes) -> bool:
        """Return whether the signature is valid."""
        entry = (public_key, digest, signature)
        if entry in self._young or entry in self._old:
            return True
        if not secp256k1.verify_digest(public_key, digest, signature):
            return False
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, set()
        self._young.add(entry)
        return True


_SHOWN = 256
"""Maximum length of a fee in an error message: a fee may be as long as a transaction."""


class ExecMode(Enum):
    """Purpose of running a transaction, as the SDK's execution mode."""

    CHECK = "entering the mempool"
    RECHECK = "still in the mempool after a block"
    DELIVER = "in a block"
    SIMULATE = "gas estimation, without signature verification"


# -- stateless checks


def tx_size(size: int, limits: TxLimits) -> None:
    """Raise TxTooLarge if the limit is exceeded."""
    if size > limits.tx_bytes:
        raise TxTooLarge(size, limits.tx_bytes)


def message_count(tx: Tx, limits: TxLimits) -> None:
    """Raise InvalidSdkRequest if there are no messages, or too many."""
    if not tx.messages:
        raise InvalidSdkRequest("must contain at least one message")
    if len(tx.messages) > limits.messages:
        raise InvalidSdkRequest(f"{len(tx.messages)} messages; the limit is {limits.messages}")


def memo(tx: Tx, limits: TxLimits) -> None:
    """Raise MemoTooLarge if the memo, encoded in UTF-8, exceeds the limit in bytes."""
    size = len(tx.memo.encode())
    if size > limits.memo_bytes:
        raise MemoTooLarge(size, limits.memo_bytes)


def gas_limit(tx: Tx, block_gas: int, limits: TxLimits) -> None:
    """Raise InvalidGasLimit above the block's or a transaction's limit, InvalidSdkRequest above int64.

    0 is a valid limit, but no transaction can run within it (OutOfGas).
    """
    limit = tx.fee.gas_limit
    if block_gas >= 0 and limit > block_gas:
        raise InvalidGasLimit(limit, block_gas)
    if limit > MAX_I64:
        raise InvalidSdkRequest(f"invalid gas supplied; {limit} > {MAX_I64}")
    # guard: h275-any-gas-may-be-declared drop test_h275_a_transaction_declares_so_much_gas_and_no_more
    if limit > limits.gas:
        raise InvalidGasLimit(limit, limits.gas)


def fee_form(fee: tuple[Coin, ...]) -> None:
    """Raise InsufficientFee unless the coins are positive, sorted, and have valid denominations."""
    denoms = [coin.denom for coin in fee]
    if not all(coin.amount > 0 and is_denom(coin.denom) for coin in fee) or denoms != sorted(set(denoms)):
        raise InsufficientFee(coins_text(fee)[:_SHOWN], "valid coins")


def fee_granter(tx: Tx) -> None:
    """Raise InvalidSdkRequest if a fee granter is set: this host has no fee grants."""
    if tx.fee.granter:
        raise InvalidSdkRequest("fee grants are not enabled")


def extensions(tx: Tx) -> None:
    """Reject unsupported features.

    Raises:
        TxDecode: the transaction has an extension option, critical or not: none is registered.
        NotSupported: the transaction is unordered, or has a tip.
    """
    if tx.extension_options:
        raise TxDecode(f"{tx.extension_options[0][:64]!a} is not a registered extension option")
    if tx.unordered:
        raise NotSupported("unordered transactions are not enabled")
    if tx.has_tip:
        raise NotSupported("tips")


def sign_modes(tx: Tx) -> None:
    """Raise UnauthorizedTx unless each signature has a sign mode that can show the transaction."""
    modes = {info.mode for info in tx.signer_infos}
    if not modes <= {DIRECT, LEGACY_AMINO_JSON}:
        raise UnauthorizedTx(f"sign mode is neither SIGN_MODE_DIRECT nor {amino_json.MODE}")
    if LEGACY_AMINO_JSON in modes:
        amino_json.check_messages(tx.messages)


def signature_count(tx: Tx, signers: Sequence[Address], limits: TxLimits) -> None:
    """Check that there is one signature and one signer info per signer.

    Raises:
        NoSignatures, TooManySignatures, UnauthorizedTx: the number of signatures is wrong.
        TxDecode: the number of signer infos is wrong.
    """
    got = len(tx.signatures)
    if not got:
        raise NoSignatures
    if got != len(signers):
        raise UnauthorizedTx(f"wrong number of signers; expected {len(signers)}, got {got}")
    if got != len(tx.signer_infos):
        raise TxDecode(f"expected {got} signer infos, got {len(tx.signer_infos)}")
    if got > limits.signatures:
        raise TooManySignatures(got, limits.signatures)


# -- checks against the block and the host's configuration


def timeouts(ctx: WriteContext, tx: Tx) -> None:
    """Raise TxTimeoutHeight or TxTimeout if the transaction has timed out."""
    height = ctx.height.revision_height
    if tx.timeout_height and height > tx.timeout_height:
        raise TxTimeoutHeight(tx.timeout_height, height)
    if tx.timeout_ns and tx.timeout_ns < ctx.time_ns:
        raise TxTimeout(tx.timeout_ns, ctx.time_ns)


def gas_price(tx: Tx, config: HostConfig) -> None:
    """Raise InsufficientFee below the minimum gas price (checked by CheckTx only)."""
    gas = config.gas
    needed = -(-tx.fee.gas_limit * gas.micro // 1_000_000)
    offered = sum(coin.amount for coin in tx.fee.amount if coin.denom == gas.denom)
    if offered < needed:
        raise InsufficientFee(coins_text(tx.fee.amount)[:_SHOWN], f"{needed}{gas.denom}")


# -- checks against accounts


def account_exists(ctx: WriteContext, accounts: Accounts, signer: Address) -> Account:
    """Return the signer's account; raise UnknownAccount."""
    account = accounts.get(ctx, signer.raw)
    if account is None:
        raise UnknownAccount(signer.text)
    return account


def public_key(account: Account, info: SignerInfo, signer: Address) -> Account:
    """Return the account with its key; raise InvalidPubKey if the key does not match the address.

    An existing key is never replaced; the transaction may repeat or omit it.
    """
    key = _given_key(info) or account.public_key
    if not key:
        raise InvalidPubKey(f"{signer.text} has no public key yet; set one in the signer info")
    if _address_of(key) != signer.raw:
        raise InvalidPubKey(f"public key does not match {signer.text}")
    return account if key == account.public_key else account._replace(public_key=key)


@memoize(4096)
def _address_of(key: bytes) -> bytes:
    """Return the address of a public key, cached for CheckTx and the block; raise InvalidPubKey."""
    if not secp256k1.is_public_key(key):
        raise InvalidPubKey("not a compressed secp256k1 point")
    return secp256k1.address(key)


def _given_key(info: SignerInfo) -> bytes:
    """Return the key in the transaction; raise InvalidPubKey if it is not a secp256k1 key."""
    given = info.public_key
    if given is None:
        return b""
    if given.type_url != secp256k1.TYPE_URL:
        raise InvalidPubKey(f"type {given.type_url[:64]!a}")
    return PubKey.FromString(given.value).key


def sequence(account: Account, info: SignerInfo) -> None:
    """Raise WrongSequence unless the sequence is the account's."""
    if info.sequence not in {account.sequence, ANY_SEQUENCE}:
        raise WrongSequence(account.sequence, info.sequence)


class SignDocs:
    """Sign bytes of a transaction's signers, by sign mode."""

    def __init__(self, tx: Tx, chain_id: str) -> None:
        self._tx, self.chain_id = tx, chain_id
        self._amino: AminoDoc | None = None

    def sign_bytes(self, mode: int | None, account: Account) -> bytes:
        """Return what the signer of an account signs; raise UnauthorizedTx if the mode cannot show it."""
        if mode == LEGACY_AMINO_JSON:
            self._amino = self._amino or AminoDoc(self._tx, self.chain_id)
            return self._amino.sign_bytes(account.number, account.sequence)
        return sign_bytes(self._tx.body_bytes, self._tx.auth_info_bytes, self.chain_id, account.number)


def signature(
    verifier: SignatureCache, docs: SignDocs, info: SignerInfo, account: Account, raw: bytes
) -> None:
    """Raise UnauthorizedTx unless `raw` is a valid signature for this chain and account number."""
    data = docs.sign_bytes(info.mode, account)
    if not verifier.verify(account.public_key, sha256(data).digest(), raw):
        raise UnauthorizedTx(
            f"signature verification failed; please verify account number ({account.number}),"
            f" sequence ({account.sequence}) and chain-id ({docs.chain_id})"
        )
