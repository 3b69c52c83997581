"""Accounts of a relayer on one chain: choice of the signer, the gas limit and the fee.

Several accounts take turns, and each may have several transactions in flight, more than fit one block. The
transactions of one account reach the node in the order of their sequences.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import Any, NamedTuple, Protocol

from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import Coin
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.relayer.chain.second_opinion import Conclusion, Trials, nothing
from pyibc.relayer.chain.simulation import UNKNOWN, Estimate, Simulator, exceeds_gas_limit
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import AccountCannotSign, EndpointRefused, RelayerError
from pyibc.relayer.links.outcomes import Action, action_of, ran_out_of_gas
from pyibc.relayer.money.account import GasConfig, RelayerAccount
from pyibc.relayer.money.denominations import Denomination, check_price, denominations_of, lack_of_funds
from pyibc.relayer.money.fees import MaxGas, Offer
from pyibc.relayer.money.refusals import Draft, NodeAccess, broadcast, judge
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.packets import (
    CoveredPacket,
    covered_packet,
    is_permissionless,
    packets_in,
    with_signer,
)

SKIPPED_TURNS = 20
"""Number of turns that skip an account after it could not pay or sign."""
MAX_HEAVY = 10_000
"""Maximum number of packets remembered as out of gas; the oldest are dropped first."""


class SignedTx(NamedTuple):
    """Signed transaction of the relayer before its broadcast."""

    raw: bytes
    signer: str
    sequence: int
    gas: int
    fee: tuple[Coin, ...]
    messages: tuple[AnyMessage, ...]


class TxLog(Protocol):
    """Log of the relayer's transactions (`pyibc.relayer.money.ledger.Ledger`)."""

    def sent(self, chain_id: str, signed: SignedTx, height: int) -> None:
        """Record a transaction before its broadcast after block `height`."""

    def refused(self, raw: bytes, outcome: TxOutcome) -> None:
        """Record that CheckTx refused a transaction."""

    def observe(self, block: CommittedBlock) -> None:
        """Record the relayer's transactions in a block, and their fees."""


class SentTx(NamedTuple):
    """Transaction that was broadcast, or refused before."""

    account: RelayerAccount
    messages: tuple[AnyMessage, ...]
    raw: bytes
    gas: int  # gas limit
    refusal: TxOutcome | None  # of the simulation or CheckTx: no block will include the transaction
    conclude: Conclusion = nothing  # from its outcome, about a node that refused it


class _Request(NamedTuple):
    """Messages to send from an account."""

    account: RelayerAccount
    messages: tuple[AnyMessage, ...]
    node: NodeAccess
    multiple: int  # of the gas estimate


class SigningAccounts:
    """Accounts of a relayer on one chain; safe to use from several threads."""

    def __init__(
        self,
        wallets: Sequence[Wallet],
        chain_id: str,
        gas: GasConfig,
        log: TxLog | None = None,
        clock: Callable[[], float] = time.monotonic,
        simulator: Simulator | None = None,
    ) -> None:
        """Create the accounts. The first wallet signs messages that depend on their signer.

        Such messages are those of new clients, handshakes and transfers, for example. `clock` is in seconds,
        `simulator` that of the chain.

        Raises:
            ValueError: there is no wallet, or one twice.
        """
        if not wallets or len({wallet.address.text for wallet in wallets}) < len(wallets):
            raise ValueError(f"{chain_id}: no key, or the same key twice")
        self._accounts = tuple(RelayerAccount(wallet, chain_id) for wallet in wallets)
        self._chain_id = chain_id
        self._gas = gas
        self._max_gas = MaxGas(gas.limit)
        self._denominations = denominations_of(gas, chain_id)
        self._used = self._denominations[0]  # by the last transaction
        self.budgets = self._used.budgets
        """Spending of the current day in the first denomination."""
        self._simulator = simulator or Simulator()
        self._trials = Trials(clock)
        self._log = log
        self._lock = threading.Lock()
        self._turn = 0
        self._in_flight = 0
        self._heavy: OrderedDict[CoveredPacket | str, int] = OrderedDict()
        """Multiples of the gas estimate for messages that ran out of gas (`_multiple`)."""

    @property
    def address(self) -> str:
        """Address of the first account."""
        return self._accounts[0].address

    @property
    def addresses(self) -> tuple[str, ...]:
        """Addresses of all accounts."""
        return tuple(account.address for account in self._accounts)

    def broadcast(self, messages: Sequence[AnyMessage], node: NodeAccess) -> SentTx:
        """Sign and broadcast one transaction of `messages`, which name the first account as signer.

        Raises:
            EndpointUnavailable: no answer; the transaction may still be included.
            RelayerError: see `Account.state`; nothing was sent.
        """
        if not all(map(is_permissionless, messages)):
            return self._by(self._accounts[0], messages, node)
        for _ in self._accounts[1:]:
            account = self._next()
            try:
                sent = self._by(account, messages, node)
            # guard: h188-an-unknown-account-ends-it drop:EndpointRefused
            #   test_h188_an_account_that_the_chain_does_not_know_holds_up_none_of_the_others
            except (AccountCannotSign, EndpointRefused):  # the chain does not know the account
                account.skipped_turns = SKIPPED_TURNS
                continue
            if sent.refusal is None or action_of(sent.refusal) is not Action.ACCOUNT:
                return sent
            account.skipped_turns = SKIPPED_TURNS
        return self._by(self._next(), messages, node)

    @property
    def spent_today(self) -> dict[str, int]:
        """Fees of the current day, by denomination."""
        return {each.denom: each.budgets.spent for each in self._denominations}

    def offer(self, query: Query) -> Offer:
        """Return the current price and the fee limit in the denomination that was used last.

        Raises as the price does (`DynamicPrice.now`).
        """
        return self._used.offer(query)

    def done(self, sent: SentTx, outcome: TxOutcome | None) -> None:
        """Record the outcome of a transaction in a block; None: it was not included in time."""
        with self._lock:
            self._in_flight -= 1
        if outcome is None:
            sent.account.forget()
        else:
            self._learn(sent, outcome)
            sent.conclude(succeeded=outcome.code == 0)

    # -- inside

    def _next(self) -> RelayerAccount:
        """Return the account whose turn it is, without those that are skipped, unless all are."""
        with self._lock:
            account = self._take_turn()
            for _ in self._accounts[1:]:
                # guard: h188-the-empty-account-s-turn-again always
                #   test_h188_an_account_that_cannot_pay_holds_up_none_of_the_others
                if not account.skipped_turns:
                    break
                account.skipped_turns -= 1
                account = self._take_turn()
        return account

    def _take_turn(self) -> RelayerAccount:
        self._turn += 1
        return self._accounts[(self._turn - 1) % len(self._accounts)]

    def _by(self, account: RelayerAccount, messages: Sequence[AnyMessage], node: NodeAccess) -> SentTx:
        if account is not self._accounts[0]:
            messages = [with_signer(message, account.address) for message in messages]
        with account.lock:
            return self._broadcast(account, tuple(messages), node)

    def _broadcast(
        self, account: RelayerAccount, messages: tuple[AnyMessage, ...], node: NodeAccess
    ) -> SentTx:
        request = _Request(account, messages, node, self._multiple(messages))
        # guard: h152-in-vain-at-the-cap test_h152_after_running_out_of_gas_the_next_try_has_more
        if not request.multiple:
            return SentTx(account, messages, b"", 0, exceeds_gas_limit(self._max_gas.now))
        refused = []
        for each in self._denominations:
            sent = self._pay(request, each)
            # guard: in-the-first-denomination-alone always
            #   test_fees_are_paid_in_the_first_denomination_in_which_the_account_can
            if sent.refusal is None or action_of(sent.refusal) is not Action.ACCOUNT:
                self._used = each
                return sent
            refused.append(sent)
        return refused[0]

    def _pay(self, request: _Request, denomination: Denomination) -> SentTx:
        """Sign and broadcast a transaction whose fee is in one denomination."""
        account, messages, node, multiple = request
        refused = partial(SentTx, account, messages, b"", 0)
        # guard: what-waits-for-the-next-day-is-simulated drop
        #   test_nothing_is_simulated_for_a_budget_that_is_used_up
        if (held := denomination.budgets.reserve(messages, 0)) is not None:
            return refused(held)
        number, sequence = account.state(node.query)
        sign = self._signer(account, messages, number, sequence)
        self._refresh_max_gas(node)
        offer = denomination.offer(node.query)
        payer = self._gas.granter or account.address
        balance = denomination.balance(node.query, self._chain_id, payer)
        if (lack := lack_of_funds(balance, offer.price.fee(1))) is not None:
            return refused(lack)
        estimate, conclude = self._judge(request, sign, offer)
        # guard: h152-what-would-fail-is-sent test_h152_what_would_fail_is_not_sent_nor_paid
        if estimate.refusal is not None:
            account.refused(estimate.refusal, sequence)
            self._doubt_max_gas(estimate.refusal)
            return refused(estimate.refusal)
        gas = self._limit(messages, estimate, multiple)
        fee = offer.price.fee(gas)
        refusal = lack_of_funds(balance, fee) or check_price(offer, packets_in(messages), gas)
        if refusal is not None:
            return refused(refusal)
        amount = sum(each.amount for each in fee)
        if (held := denomination.budgets.reserve(messages, amount)) is not None:
            return refused(held)
        try:
            raw = sign(fee=fee, gas_limit=gas)
        except AccountCannotSign:  # a remote signer failed
            denomination.budgets.give_back(messages, amount)
            raise
        signed = SignedTx(raw, account.address, sequence, gas, fee, messages)
        sent = self._log_and_broadcast(account, signed, node, conclude)
        if sent.refusal is not None:
            denomination.budgets.give_back(messages, amount)
        return sent

    def _log_and_broadcast(
        self, account: RelayerAccount, signed: SignedTx, node: NodeAccess, conclude: Conclusion
    ) -> SentTx:
        # guard: h154-written-after-the-broadcast swap:broadcast
        #   test_h154_a_transaction_is_written_before_it_is_broadcast
        if self._log is not None:
            self._log.sent(self._chain_id, signed, node.height)
        account.accepted(signed.sequence)
        try:
            checked, overruling = broadcast(signed.raw, node)
        except RelayerError:
            account.forget()
            raise
        concluding = conclude if overruling is nothing else overruling
        sent = SentTx(account, signed.messages, signed.raw, signed.gas, None, concluding)
        if checked.code:
            conclude(succeeded=False)
            account.refused(checked, signed.sequence)
            self._doubt_max_gas(checked)
            self._learn(sent, checked)
            if self._log is not None:
                self._log.refused(signed.raw, checked)
            return sent._replace(refusal=checked)
        with self._lock:
            self._in_flight += 1
        return sent

    def _refresh_max_gas(self, node: NodeAccess) -> None:
        if self._max_gas.is_due(node.height) and self._max_gas.learn(node.max_gas()):
            with self._lock:
                self._heavy.clear()  # what ran out of gas at the maximum may have more now

    def _doubt_max_gas(self, refusal: TxOutcome) -> None:
        # guard: an-old-maximum-is-kept drop test_a_refusal_for_size_lets_the_maximum_be_queried_again
        if action_of(refusal) is Action.SHRINK:
            self._max_gas.doubt()

    def _judge(
        self, request: _Request, sign: Callable[..., bytes], offer: Offer
    ) -> tuple[Estimate, Conclusion]:
        """Return the estimate that counts, and what its outcome will show about a node that refused."""
        if not self._gas.simulate:
            return UNKNOWN, nothing
        _, messages, node, multiple = request
        # The fee is one unit: deducting a fee costs gas, and the account's balance does not matter yet.
        fee = offer.price.fee(1)[:1]
        # guard: h152-a-draft-that-can-be-broadcast drop:signed
        #   test_h152_what_is_simulated_cannot_be_broadcast
        draft = sign(fee=fee, gas_limit=self._max_gas.now, signed=False)
        with self._lock:
            pending = self._in_flight

        def refuse(used: int) -> TxOutcome | None:
            if used > self._max_gas.now:
                return exceeds_gas_limit(self._max_gas.now)
            return check_price(offer, packets, self._limit(messages, Estimate(used), multiple))

        packets = packets_in(messages)
        known = Draft(draft, packets, refuse, depends=bool(pending))
        return judge(known, node, self._simulator, self._trials)

    def _multiple(self, messages: Sequence[AnyMessage]) -> int:
        """Return the multiple of the estimated gas for these messages; 0: the maximum is too little."""
        with self._lock:
            known = [self._heavy.get(_name(message), 1) for message in messages]
        return 0 if 0 in known else max(known, default=1)

    def _limit(self, messages: Sequence[AnyMessage], estimate: Estimate, multiple: int) -> int:
        if estimate.gas is None:
            return min(self._max_gas.now, multiple * self._gas.gas(messages))
        more = estimate.gas * multiple * self._gas.multiplier
        return min(self._max_gas.now, -(-more.numerator // more.denominator))

    def _learn(self, sent: SentTx, outcome: TxOutcome) -> None:
        """Double the gas of messages that ran out of it, until they succeed."""
        names = {_name(message) for message in sent.messages}
        packets = {name for name in names if isinstance(name, CoveredPacket)}
        with self._lock:
            if outcome.code == 0:
                for name in names:
                    self._heavy.pop(name, None)
            # guard: a-limit-on-gas-doubles-it {ran_out_of_gas(outcome, len(packets)) => outcome.code == 11}
            #   test_a_limit_on_gas_per_transaction_halves_batches_and_doubles_no_gas
            elif ran_out_of_gas(outcome, len(packets)):
                self._raise_gas(names, packets, sent.gas)

    def _raise_gas(
        self, names: Set[CoveredPacket | str], packets: Set[CoveredPacket | str], gas: int
    ) -> None:
        """Double the gas of messages whose transaction ran out of `gas`."""
        is_most = gas >= self._max_gas.now
        # guard: at-the-maximum-each-of-many-gets-more drop
        #   test_at_the_maximum_fewer_messages_have_more_gas_each_without_doubling
        if is_most and len(packets) > 1:
            return
        for name in names:
            never = is_most and name in packets
            # guard: h152-the-same-guess-again {min(2 * self._heavy.get(name, 1), self._gas.limit) =>
            #   1} test_h152_after_running_out_of_gas_the_next_try_has_more
            self._heavy[name] = 0 if never else min(2 * self._heavy.get(name, 1), self._gas.limit)
            self._heavy.move_to_end(name)
        while len(self._heavy) > MAX_HEAVY:
            self._heavy.popitem(last=False)

    def _signer(
        self, account: RelayerAccount, messages: Sequence[AnyMessage], number: int, sequence: int
    ) -> Callable[..., bytes]:
        """Return the function that signs a transaction with the rest of the arguments of `Wallet.sign_tx`."""
        known: dict[str, Any] = {"chain_id": self._chain_id, "account_number": number, "sequence": sequence}
        known |= {"memo": self._gas.memo, "granter": self._gas.granter}
        return partial(account.wallet.sign_tx, messages, **known)


def _name(message: AnyMessage) -> CoveredPacket | str:
    """Return a name of a message that does not depend on its proof."""
    return covered_packet(message) or message.type_url
