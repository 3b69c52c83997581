"""Relayer account on a chain behind an RPC: account sequence, and gas of its transactions."""

import threading
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from google.protobuf.message import DecodeError

from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import InvalidSdkSequence, UnauthorizedTx, WrongSequence
from pyibc.core.host.block import TxOutcome
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.relayer.chain.simulation import CODESPACE, expected_sequence
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import AccountCannotSign, EndpointRefused
from pyibc.relayer.links.outcomes import refused_for
from pyibc.relayer.money.budgets import NO_BUDGET, Budget
from pyibc.relayer.money.fees import FREE, AnyPrice, field_of
from pyibc.relayer.money.spending_file import SpendingFile
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.rpc.reading import read_answer

# -- query of an account's number and sequence (x/auth), for all account types that embed a BaseAccount
#
# Vesting accounts, Ethermint's EthAccount and others embed it as field 1, some of them one level deeper; a
# profile of Desmos holds any of these.

ACCOUNT = "/cosmos.auth.v1beta1.Query/Account"
MAX_NESTING = 3
"""Maximum nesting down to BaseAccount: ContinuousVestingAccount, BaseVestingAccount, BaseAccount."""

WITHOUT_KEY = ("ModuleAccount", "InterchainAccount")
"""Suffixes of the type URLs of accounts without a key."""


def ask_account(query: Query, chain_id: str, address: str) -> tuple[int, int]:
    """Query number and sequence of the account at `address`.

    Raises:
        EndpointRefused: the account does not exist, or the response is for another address.
        AccountCannotSign: it is a module account, or has no BaseAccount.
        MalformedAnswer: the response cannot be decoded.
    """
    answer = query(ACCOUNT, query_pb2.QueryAccountRequest(address=address).SerializeToString())
    packed = _account_inside(read_answer(chain_id, ACCOUNT, lambda: _packed(answer), query.report_malformed))
    # guard: h151-a-module-signs test_h151_a_module_signs_nothing
    if packed.type_url.endswith(WITHOUT_KEY):
        reason = f"a {packed.type_url[:64]} belongs to a module and has no key"
        raise AccountCannotSign(chain_id, address, reason)
    account = _base_account(packed)
    if account is None:
        reason = f"account type {packed.type_url[:64]!r} has no BaseAccount"
        raise AccountCannotSign(chain_id, address, reason)
    # guard: h151-somebody-else-s-account test_h151_an_account_of_somebody_else_inside
    if account.address != address:
        raise EndpointRefused(chain_id, ACCOUNT, f"the response is for account {account.address[:64]!r}")
    return account.account_number, account.sequence


def _packed(answer: bytes) -> Any:
    packed = query_pb2.QueryAccountResponse.FromString(answer).account
    if not packed.type_url:
        raise ValueError("the response has no account")
    return packed


def _account_inside(packed: Any) -> Any:
    """Return the account that a profile (Desmos x/profiles) holds as an Any in field 1; else the account."""
    try:
        inner = Any.FromString(field_of(packed.value, 1) or b"")
    except DecodeError:
        return packed
    return inner if inner.type_url.startswith("/") else packed


def _base_account(packed: Any) -> auth_pb2.BaseAccount | None:
    raw: bytes | None = packed.value
    for _ in range(MAX_NESTING):
        if raw is None:
            return None
        try:
            account = auth_pb2.BaseAccount.FromString(raw)
        except DecodeError:
            account = auth_pb2.BaseAccount()
        # A nested message begins with a tag byte, so that it is no bech32 address.
        if account.address.isascii() and account.address.isalnum():
            return account
        raw = field_of(raw, 1)
    return None


# -- relayer account on a chain behind an RPC: account sequence, and gas of its transactions


class FeeTerms(NamedTuple):
    """Price and limits of fees in one denomination."""

    price: AnyPrice = FREE
    max_fee: int | None = None
    budget: Budget = NO_BUDGET


class GasConfig(NamedTuple):
    """Gas limit and fee of a chain's transactions."""

    base: int = 1_000_000  # enough for a client update with some hundred validators
    per_message: int = 400_000
    per_byte: int = 60  # of message; dominates for messages with many packets
    limit: int = 100_000_000  # maximum gas of one transaction
    price: AnyPrice = FREE
    simulate: bool = True  # if the chain supports it; otherwise gas is estimated by the four fields above
    multiplier: Fraction = Fraction(6, 5)  # applied to the simulated gas
    granter: str = ""  # bech32 address of the fee granter (x/feegrant); "": the account pays
    memo: str = ""  # of every transaction
    max_fee: int | None = None  # per packet of a transaction, in units of the gas price's denom
    budget: Budget = NO_BUDGET  # per day, in the same units
    spending: SpendingFile | None = None  # keeps the day's spending; None: a restart begins a new count
    others: tuple[FeeTerms, ...] = ()  # in other denominations, while the account cannot pay in the first

    @property
    def terms(self) -> tuple[FeeTerms, ...]:
        """Terms in all denominations, the preferred one first."""
        return FeeTerms(self.price, self.max_fee, self.budget), *self.others

    def gas(self, messages: Sequence[AnyMessage]) -> int:
        """Estimate the gas limit of a transaction of these messages, without simulation."""
        by_size = self.per_byte * sum(len(message.value) for message in messages)
        return min(self.limit, max(self.base + self.per_message * len(messages), by_size))


class RelayerAccount:
    """One account on one chain; caches the sequence between transactions.

    A thread holds `lock` from signing until the node has the transaction: CheckTx refuses sequences out of
    order.
    """

    def __init__(self, wallet: Wallet, chain_id: str) -> None:
        """Create the account; its number and sequence are queried with the first transaction."""
        self.wallet = wallet
        self.lock = threading.RLock()
        self.skipped_turns = 0
        """Turns to skip, after the account could not pay the fee."""
        self._chain_id = chain_id
        self._state: tuple[int, int] | None = None  # account number, next sequence

    @property
    def address(self) -> str:
        """Address in bech32."""
        return self.wallet.address.text

    def state(self, query: Query) -> tuple[int, int]:
        """Return account number and next sequence; query them if they are not cached.

        Raises:
            EndpointRefused: the account does not exist.
            AccountCannotSign: accounts of this type have no key.
            MalformedAnswer: the response cannot be decoded.
        """
        if self._state is None:
            self._state = ask_account(query, self._chain_id, self.address)
        return self._state

    def accepted(self, sequence: int) -> None:
        """Record that the transaction with `sequence` was accepted by CheckTx."""
        if self._state is not None:
            self._state = self._state[0], sequence + 1

    def refused(self, outcome: TxOutcome, sequence: int) -> None:
        """Record that CheckTx refused the transaction with `sequence`.

        A refusal for a wrong sequence names the expected one. If that is higher, our own transactions in the
        mempool use those in between. If it is lower, the node may lag or have lost transactions: the sequence
        is queried again, like number and sequence after a refusal that may be due to either.
        """
        if self._state is None:
            return
        # guard: a-doubtful-account-is-not-asked-for drop
        #   test_an_account_is_asked_for_again_after_a_refusal_that_it_may_have_caused
        if _is_doubtful(outcome):
            self._state = None
            return
        if not refused_for(outcome, WrongSequence):
            self._state = self._state[0], sequence  # not consumed
            return
        expected = expected_sequence(outcome.log)
        self._state = (self._state[0], expected) if expected is not None and expected > sequence else None

    def forget(self) -> None:
        """Drop the cached sequence, for example after a lost transaction."""
        with self.lock:
            self._state = None


def _is_doubtful(outcome: TxOutcome) -> bool:
    """Return whether a wrong number or sequence may have caused a refusal that does not name it."""
    return outcome.codespace == CODESPACE or any(
        refused_for(outcome, kind) for kind in (InvalidSdkSequence, UnauthorizedTx)
    )
