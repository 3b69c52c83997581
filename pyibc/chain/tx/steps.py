"""The ante handler: steps before a transaction's messages run, each brought by a plugin of the host.

The order is the SDK's: cheap checks first, signatures last. Nothing is written before all stateless checks
have passed; if the ante handler fails, the caller reverts its writes.
"""

from base64 import b64encode
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ibc_module.pipeline import Registered
from pyibc.chain import events
from pyibc.chain.accounts.keeper import Account, Accounts
from pyibc.chain.bank.keeper import BankKeeper, coins_text
from pyibc.chain.config import FEE_COLLECTOR, HostConfig, module_address
from pyibc.chain.tx import ante
from pyibc.chain.tx.ante import (
    OPEN_FEES,
    PLACEHOLDER_KEY,
    ExecMode,
    SignatureCache,
    is_fee_unset,
    with_placeholders,
)
from pyibc.chain.tx.decoded_tx import DecodedTx
from pyibc.core.address import Address, AddressCodec
from pyibc.core.coin import Coin, coin
from pyibc.core.errors import InsufficientBalance
from pyibc.core.host.context import WriteContext
from pyibc.core.host.overlay import BlockContext
from pyibc.core.wire.tx import Tx

# -- what a step gets


class AnteHost(NamedTuple):
    """The host of an ante step: its rules, accounts and coins."""

    config: HostConfig
    accounts: Accounts
    bank: BankKeeper
    addresses: AddressCodec


class CheckedTx(NamedTuple):
    """A decoded transaction as the ante handler sees it."""

    tx: Tx  # in a simulation with placeholders for what is not signed yet
    size: int  # of the encoded transaction, bytes
    signers: list[Address]  # distinct, in message order, then the fee payer
    payer: Address  # one of the signers


class AnteStep(Protocol):
    """One part of the ante handler."""

    def check_form(self, tx: Tx, *, simulated: bool) -> None:
        """Check what needs no state; raise IbcError.

        A simulated transaction is not signed yet, and its gas limit may be a placeholder.
        """

    def run(self, ctx: BlockContext, checked: CheckedTx, mode: ExecMode) -> None:
        """Run the stateful checks and write; on IbcError the caller reverts the writes of all steps."""


# -- the host's own steps


class LimitsStep:
    """Sizes, timeouts, the number of signatures, and the gas of the transaction's bytes."""

    def __init__(self, host: AnteHost) -> None:
        self._config = host.config

    def check_form(self, tx: Tx, *, simulated: bool) -> None:
        """Check the number of messages, the memo and the gas limit."""
        limits = self._config.limits
        ante.message_count(tx, limits)
        ante.memo(tx, limits)
        if not simulated:
            ante.gas_limit(tx, self._config.block_gas, limits)

    def run(self, ctx: BlockContext, checked: CheckedTx, mode: ExecMode) -> None:
        """Check timeouts and the number of signatures; charge the bytes."""
        ante.timeouts(ctx, checked.tx)
        if mode is not ExecMode.SIMULATE:
            ante.signature_count(checked.tx, checked.signers, self._config.limits)
        ctx.gas.consume(self._config.gas.tx_byte * checked.size)


class FeesStep:
    """The fee: its form, the node's minimum, and the payment to the fee collector."""

    def __init__(self, host: AnteHost) -> None:
        self._host = host
        self._collector = host.addresses.encode(module_address(FEE_COLLECTOR))

    def check_form(self, tx: Tx, *, simulated: bool) -> None:  # noqa: ARG002
        """Check the fee's coins, and that nobody else is asked to pay."""
        ante.fee_form(tx.fee.amount)
        ante.fee_granter(tx)

    def run(self, ctx: BlockContext, checked: CheckedTx, mode: ExecMode) -> None:
        """Deduct the fee; CheckTx also compares it with the node's minimum."""
        tx = checked.tx
        if mode is ExecMode.CHECK:
            ante.gas_price(tx, self._host.config)
        if mode is ExecMode.SIMULATE and is_fee_unset(tx):
            self._try_fee(ctx, checked.payer)
        else:
            self._deduct_fee(ctx, tx.fee.amount, checked.payer)

    def _deduct_fee(self, ctx: WriteContext, amount: tuple[Coin, ...], payer: Address) -> None:
        ante.account_exists(ctx, self._host.accounts, payer)
        if amount:
            self._host.bank.send_coins(ctx, payer, self._collector, amount)
            ctx.emit(events.tx_fee(coins_text(amount), payer.text))

    def _try_fee(self, ctx: BlockContext, payer: Address) -> None:
        """Charge the gas of a fee deduction without deducting it: a simulation's fee is not decided yet."""
        for amount in OPEN_FEES:
            before = ctx.gas.used
            try:
                with ctx.branch() as branch:
                    self._deduct_fee(ctx, (coin(self._host.config.gas.denom, amount),), payer)
                    branch.discard()
            except InsufficientBalance:
                ctx.gas.used = before
            else:
                return


class SignaturesStep:
    """Public keys, sequences and signatures."""

    def __init__(self, host: AnteHost, signatures: SignatureCache | None = None) -> None:
        self._config = host.config
        self._accounts = host.accounts
        self._signatures = signatures or SignatureCache()

    def check_form(self, tx: Tx, *, simulated: bool) -> None:
        """Check extensions and sign modes."""
        ante.extensions(tx)
        if not simulated:
            ante.sign_modes(tx)

    def run(self, ctx: BlockContext, checked: CheckedTx, mode: ExecMode) -> None:
        """Verify all signatures; store public keys and sequences, and emit the `tx` events."""
        tx, used = checked.tx, []
        docs = ante.SignDocs(tx, ctx.chain_id)
        simulated = mode is ExecMode.SIMULATE
        for index, (signer, info) in enumerate(zip(checked.signers, tx.signer_infos, strict=False)):
            account = ante.account_exists(ctx, self._accounts, signer)
            if not simulated or info.public_key:
                account = ante.public_key(account, info, signer)
            elif not account.public_key:
                account = account._replace(public_key=PLACEHOLDER_KEY)
            ctx.gas.consume(self._config.gas.signature)
            ante.sequence(account, info)
            if not simulated and mode is not ExecMode.RECHECK:
                ante.signature(self._signatures, docs, info, account, tx.signatures[index])
            used.append((signer, account))
        for signer, account in used:
            self._accounts.put(ctx, signer.raw, account._replace(sequence=account.sequence + 1))
        self._emit_signatures(ctx, tx, used)

    def _emit_signatures(self, ctx: WriteContext, tx: Tx, used: list[tuple[Address, Account]]) -> None:
        for (signer, account), raw in zip(used, tx.signatures, strict=False):
            ctx.emit(events.tx_sequence(signer.text, account.sequence))
            ctx.emit(events.tx_signature(b64encode(raw).decode("ascii")))


# -- the ante handler


class Ante:
    """The ante handler: runs the steps in order."""

    def __init__(self, host: AnteHost, steps: Iterable[Registered]) -> None:
        """Make the steps that plugins registered."""
        self._config = host.config
        self._steps: tuple[AnteStep, ...] = tuple([each.answer(host) for each in steps])

    def stateless(self, tx: Tx, *, simulated: bool = False) -> None:
        """Run the stateless checks, except for the number of signatures."""
        for step in self._steps:
            step.check_form(tx, simulated=simulated)

    def run(self, ctx: BlockContext, decoded: DecodedTx, mode: ExecMode) -> None:
        """Run all stateful checks.

        Raises:
            IbcError: a check failed; the caller reverts all writes.
        """
        tx, size = decoded.tx, decoded.size
        if mode is ExecMode.SIMULATE:
            tx, size = with_placeholders(tx, size, decoded.signers, self._config.gas.denom)
        checked = CheckedTx(tx, size, decoded.signers, decoded.payer)
        for step in self._steps:
            step.run(ctx, checked, mode)
