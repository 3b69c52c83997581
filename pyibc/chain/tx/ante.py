"""The ante handler: checks before a transaction's messages run, one function and one error class per check.

The order is the SDK's: cheap checks first, signatures last. Nothing is written before all stateless checks
have passed; if the ante handler fails, the caller reverts its writes.
"""

from base64 import b64encode
from collections.abc import Sequence
from enum import Enum
from hashlib import sha256
from typing import NamedTuple

from pyibc.chain import events
from pyibc.chain.accounts.keeper import Account, Accounts
from pyibc.chain.bank.keeper import BankKeeper, coins_text
from pyibc.chain.config import FEE_COLLECTOR, HostConfig, TxLimits, module_address
from pyibc.chain.tx.decoded_tx import DecodedTx
from pyibc.chain.tx.simulation import (
    ANY_SEQUENCE,
    OPEN_FEES,
    PLACEHOLDER_KEY,
    is_fee_unset,
    with_placeholders,
)
from pyibc.core.address import Address, AddressCodec
from pyibc.core.coin import Coin, coin, is_denom
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import (
    InsufficientBalance,
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
from pyibc.core.host.overlay import BlockContext
from pyibc.core.memo import memoize
from pyibc.core.numbers import MAX_I64
from pyibc.core.wire.tx import DIRECT, SignerInfo, Tx, sign_bytes
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey

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


# -- the ante handler

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
    """Raise UnauthorizedTx unless all signatures use SIGN_MODE_DIRECT."""
    if any(info.mode != DIRECT for info in tx.signer_infos):
        raise UnauthorizedTx("sign mode is not SIGN_MODE_DIRECT")


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


def signature(verifier: SignatureCache, tx: Tx, account: Account, raw: bytes, chain_id: str) -> None:
    """Raise UnauthorizedTx unless `raw` is a valid signature for this chain and account number."""
    data = sign_bytes(tx.body_bytes, tx.auth_info_bytes, chain_id, account.number)
    if not verifier.verify(account.public_key, sha256(data).digest(), raw):
        raise UnauthorizedTx(
            f"signature verification failed; please verify account number ({account.number}),"
            f" sequence ({account.sequence}) and chain-id ({chain_id})"
        )


# -- the ante handler


class AnteKeepers(NamedTuple):
    """The keepers that the checks use."""

    accounts: Accounts
    bank: BankKeeper
    addresses: AddressCodec
    signatures: SignatureCache


class Ante:
    """The ante handler: runs the checks in order, and writes fee, public keys and sequences."""

    def __init__(self, config: HostConfig, keepers: AnteKeepers) -> None:
        self._config = config
        self._keepers = keepers
        self._collector = keepers.addresses.encode(module_address(FEE_COLLECTOR))

    def stateless(self, tx: Tx, *, simulated: bool = False) -> None:
        """Run the stateless checks, except for the number of signatures.

        A simulated transaction is not signed yet, and its gas limit may be a placeholder.
        """
        limits = self._config.limits
        message_count(tx, limits)
        memo(tx, limits)
        if not simulated:
            gas_limit(tx, self._config.block_gas, limits)
        fee_form(tx.fee.amount)
        fee_granter(tx)
        extensions(tx)
        if not simulated:
            sign_modes(tx)

    def run(self, ctx: BlockContext, decoded: DecodedTx, mode: ExecMode) -> None:
        """Run all stateful checks; write fee, keys and sequences, and emit the `tx` events.

        Raises:
            SdkError: a check failed; the caller reverts all writes.
        """
        tx, size, signers = decoded.tx, decoded.size, decoded.signers
        timeouts(ctx, tx)
        if mode is ExecMode.SIMULATE:
            tx, size = with_placeholders(tx, size, signers, self._config.gas.denom)
        else:
            signature_count(tx, signers, self._config.limits)
        ctx.gas.consume(self._config.gas.tx_byte * size)
        if mode is ExecMode.CHECK:
            gas_price(tx, self._config)
        if mode is ExecMode.SIMULATE and is_fee_unset(tx):
            self._try_fee(ctx, decoded.payer)
        else:
            self._deduct_fee(ctx, tx.fee.amount, decoded.payer)
        self._sign(ctx, tx, signers, mode)

    def _deduct_fee(self, ctx: WriteContext, amount: tuple[Coin, ...], payer: Address) -> None:
        account_exists(ctx, self._keepers.accounts, payer)
        if amount:
            self._keepers.bank.send_coins(ctx, payer, self._collector, amount)
            ctx.emit(events.tx_fee(coins_text(amount), payer.text))

    def _try_fee(self, ctx: BlockContext, payer: Address) -> None:
        """Charge the gas of a fee deduction without deducting it: a simulation's fee is not decided yet."""
        for amount in OPEN_FEES:
            before = ctx.gas.used
            try:
                with ctx.branch() as branch:
                    self._deduct_fee(ctx, (coin(self._config.gas.denom, amount),), payer)
                    branch.discard()
            except InsufficientBalance:
                ctx.gas.used = before
            else:
                return

    def _sign(self, ctx: WriteContext, tx: Tx, signers: list[Address], mode: ExecMode) -> None:
        keepers, used = self._keepers, []
        simulated = mode is ExecMode.SIMULATE
        for index, (signer, info) in enumerate(zip(signers, tx.signer_infos, strict=False)):
            account = account_exists(ctx, keepers.accounts, signer)
            if not simulated or info.public_key:
                account = public_key(account, info, signer)
            elif not account.public_key:
                account = account._replace(public_key=PLACEHOLDER_KEY)
            ctx.gas.consume(self._config.gas.signature)
            sequence(account, info)
            if not simulated and mode is not ExecMode.RECHECK:
                signature(keepers.signatures, tx, account, tx.signatures[index], ctx.chain_id)
            used.append((signer, account))
        for signer, account in used:
            keepers.accounts.put(ctx, signer.raw, account._replace(sequence=account.sequence + 1))
        self._emit_signatures(ctx, tx, used)

    def _emit_signatures(self, ctx: WriteContext, tx: Tx, used: list[tuple[Address, Account]]) -> None:
        for (signer, account), raw in zip(used, tx.signatures, strict=False):
            ctx.emit(events.tx_sequence(signer.text, account.sequence))
            ctx.emit(events.tx_signature(b64encode(raw).decode("ascii")))
