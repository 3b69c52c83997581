"""The accounts of a relayer on one chain: which one signs, with what gas, for what fee.

Several accounts take turns, and each may have several transactions in flight: more than one fits a block. The
transactions of one account reach the node in the order of their sequences.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ibc_core.any_message import AnyMessage
from ibc_core.coin import Coin
from ibc_core.errors import OutOfGas
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_relayer.errors import EndpointRefused, RelayerError
from ibc_relayer.fees import GasPrice, Query
from ibc_relayer.money_errors import AccountCannotSign
from ibc_relayer.offer import Offer
from ibc_relayer.outcomes import Action, action_of
from ibc_relayer.rpc_account import Account, GasConfig
from ibc_relayer.served import Served, in_name_of, is_anybodys, served_by
from ibc_relayer.simulation import UNKNOWN, Estimate, Simulator, needs_more, too_dear
from ibc_relayer.submission import refused_for
from ibc_relayer.wallet import Wallet

RESTS = 20
"""Turns that are not an account's after it could not pay or sign: the others go on without it."""
REMEMBERED = 10_000
"""Packets whose transactions ran out of gas: more of them are forgotten, the oldest first."""


class Signed(NamedTuple):
    """A transaction of ours before it is broadcast."""

    raw: bytes
    signer: str
    sequence: int
    gas: int
    fee: tuple[Coin, ...]
    messages: tuple[AnyMessage, ...]


class Book(Protocol):
    """Where transactions are written down (`ibc_relayer.ledger.Ledger`)."""

    def sent(self, chain_id: str, signed: Signed, height: int) -> None:
        """Before it is broadcast, after block `height`."""

    def refused(self, raw: bytes, outcome: TxOutcome) -> None:
        """CheckTx refused it."""

    def observe(self, block: CommittedBlock) -> None:
        """A block of the chain: which of ours it includes, and what they cost."""


class Node(NamedTuple):
    """What an account needs of a node."""

    query: Query
    broadcast: Callable[[bytes], TxOutcome]  # CheckTx's answer
    height: int  # of a block before whose end nothing was broadcast


class Sent(NamedTuple):
    """A transaction that was broadcast, or refused before."""

    account: Account
    messages: tuple[AnyMessage, ...]
    raw: bytes
    gas: int  # that it may use
    refusal: TxOutcome | None  # of the simulation, or CheckTx: no block will include it


class Accounts:
    """The accounts on one chain; safe to use from several threads."""

    def __init__(
        self, wallets: Sequence[Wallet], chain_id: str, gas: GasConfig, book: Book | None = None
    ) -> None:
        """The first wallet signs what is not anybody's to send (clients, handshakes, transfers).

        Raises:
            ValueError: no wallet, or one twice.
        """
        if not wallets or len({wallet.address.text for wallet in wallets}) < len(wallets):
            raise ValueError(f"{chain_id}: no key, or the same key twice")
        self._accounts = tuple(Account(wallet, chain_id) for wallet in wallets)
        self._chain_id = chain_id
        self._gas = gas
        self._simulator = Simulator()
        self._book = book
        self._lock = threading.Lock()
        self._turn = 0
        self._in_flight = 0
        self._heavy: OrderedDict[Served | str, int] = OrderedDict()  # after running out of gas: `_times`

    @property
    def address(self) -> str:
        """The first account's address."""
        return self._accounts[0].address

    @property
    def addresses(self) -> tuple[str, ...]:
        """All accounts' addresses."""
        return tuple(account.address for account in self._accounts)

    def broadcast(self, messages: Sequence[AnyMessage], node: Node) -> Sent:
        """Signs and broadcasts one transaction of `messages`, which name the first account as signer.

        Raises:
            EndpointUnavailable: no answer: it may be included all the same.
            RelayerError: as `Account.state`; nothing was sent.
        """
        if not all(map(is_anybodys, messages)):
            return self._by(self._accounts[0], messages, node)
        for _ in self._accounts[1:]:
            account = self._next()
            try:
                sent = self._by(account, messages, node)
            # guard: h188-an-unknown-account-ends-it drop:EndpointRefused
            #   test_h188_an_account_that_the_chain_does_not_know_holds_up_none_of_the_others
            except (AccountCannotSign, EndpointRefused):  # the chain does not know it
                account.rests = RESTS
                continue
            if sent.refusal is None or action_of(sent.refusal) is not Action.ACCOUNT:
                return sent
            account.rests = RESTS
        return self._by(self._next(), messages, node)

    def offer(self, query: Query) -> Offer:
        """What is paid now. Raises as the price does (`ibc_relayer.fees`)."""
        return Offer(self._gas.price.now(query), self._gas.max_fee)

    def done(self, sent: Sent, outcome: TxOutcome | None) -> None:
        """The transaction is in a block; None: it was not included in time and may be lost."""
        with self._lock:
            self._in_flight -= 1
        if outcome is None:
            sent.account.forget()
        else:
            self._learn(sent, outcome)

    # -- inside

    def _next(self) -> Account:
        """The account whose turn it is; those that rest are left out, unless all do."""
        with self._lock:
            account = self._take_turn()
            for _ in self._accounts[1:]:
                # guard: h188-the-empty-account-s-turn-again always
                #   test_h188_an_account_that_cannot_pay_holds_up_none_of_the_others
                if not account.rests:
                    break
                account.rests -= 1
                account = self._take_turn()
        return account

    def _take_turn(self) -> Account:
        self._turn += 1
        return self._accounts[(self._turn - 1) % len(self._accounts)]

    def _by(self, account: Account, messages: Sequence[AnyMessage], node: Node) -> Sent:
        if account is not self._accounts[0]:
            messages = [in_name_of(message, account.address) for message in messages]
        with account.lock:
            return self._broadcast(account, tuple(messages), node)

    def _broadcast(self, account: Account, messages: tuple[AnyMessage, ...], node: Node) -> Sent:
        times = self._times(messages)
        # guard: h152-in-vain-at-the-cap test_h152_after_running_out_of_gas_the_next_try_has_more
        if not times:
            return Sent(account, messages, b"", 0, needs_more(self._gas.limit))
        number, sequence = account.state(node.query)
        price = self._gas.price.now(node.query)
        estimate = self._simulate(account, messages, price, node, number, sequence)
        # guard: h152-what-would-fail-is-sent test_h152_what_would_fail_is_not_sent_nor_paid
        if estimate.refusal is not None:
            account.refused(estimate.refusal, sequence)
            return Sent(account, messages, b"", 0, estimate.refusal)
        gas = self._limit(messages, estimate, times)
        packets = len({found for message in messages if (found := served_by(message))})
        offer = Offer(price, self._gas.max_fee)
        # guard: h155-whatever-it-costs test_h155_a_packet_that_costs_too_much_is_not_sent
        if offer.max_fee is not None and not offer.allows(gas, packets):
            refusal = too_dear(offer.fee(gas), packets, offer.max_fee, gas)
            return Sent(account, messages, b"", 0, refusal)
        fee = price.fee(gas)
        raw = self._sign(account, messages, fee, gas, number, sequence)
        signed = Signed(raw, account.address, sequence, gas, fee, messages)
        return self._hand_over(account, signed, node)

    def _hand_over(self, account: Account, signed: Signed, node: Node) -> Sent:
        # guard: h154-written-after-the-broadcast swap:broadcast
        #   test_h154_a_transaction_is_written_before_it_is_broadcast
        if self._book is not None:
            self._book.sent(self._chain_id, signed, node.height)
        account.sent(signed.sequence)
        sent = Sent(account, signed.messages, signed.raw, signed.gas, None)
        try:
            checked = node.broadcast(signed.raw)
        except RelayerError:
            account.forget()
            raise
        if checked.code:
            account.refused(checked, signed.sequence)
            self._learn(sent, checked)
            if self._book is not None:
                self._book.refused(signed.raw, checked)
            return sent._replace(refusal=checked)
        with self._lock:
            self._in_flight += 1
        return sent

    def _simulate(
        self,
        account: Account,
        messages: tuple[AnyMessage, ...],
        price: GasPrice,
        node: Node,
        number: int,
        sequence: int,
    ) -> Estimate:
        if not self._gas.simulate:
            return UNKNOWN
        # A fee of one unit: deducting a fee costs gas, and what the account holds does not matter yet.
        fee = price.fee(1)[:1]
        # guard: h152-a-draft-that-can-be-broadcast drop:signed
        #   test_h152_what_is_simulated_cannot_be_broadcast
        draft = self._sign(account, messages, fee, self._gas.limit, number, sequence, signed=False)
        found = self._simulator.simulate(node.query, draft)
        if found.gas is not None and found.gas > self._gas.limit:
            return Estimate(None, needs_more(self._gas.limit))
        with self._lock:
            pending = self._in_flight
        # It may rest on a transaction that no block includes yet: then the simulation shows nothing.
        return UNKNOWN if found.refusal is not None and pending else found

    def _times(self, messages: Sequence[AnyMessage]) -> int:
        """Multiples of the gas these messages would have; 0: the most that one may have is too little."""
        with self._lock:
            known = [self._heavy.get(_name(message), 1) for message in messages]
        return 0 if 0 in known else max(known, default=1)

    def _limit(self, messages: Sequence[AnyMessage], estimate: Estimate, times: int) -> int:
        if estimate.gas is None:
            return min(self._gas.limit, times * self._gas.gas(messages))
        more = estimate.gas * times * self._gas.multiplier
        return min(self._gas.limit, -(-more.numerator // more.denominator))

    def _learn(self, sent: Sent, outcome: TxOutcome) -> None:
        """What ran out of gas gets twice as much the next time, until it succeeds."""
        names = {_name(message) for message in sent.messages}
        packets = [name for name in names if isinstance(name, Served)]
        hopeless = sent.gas >= self._gas.limit and len(packets) == 1
        with self._lock:
            for name in names:
                if outcome.code == 0:
                    self._heavy.pop(name, None)
                elif refused_for(outcome, OutOfGas):
                    never = hopeless and name in packets
                    # guard: h152-the-same-guess-again {min(2 * self._heavy.get(name, 1), self._gas.limit) =>
                    #   1} test_h152_after_running_out_of_gas_the_next_try_has_more
                    self._heavy[name] = 0 if never else min(2 * self._heavy.get(name, 1), self._gas.limit)
                    self._heavy.move_to_end(name)
            while len(self._heavy) > REMEMBERED:
                self._heavy.popitem(last=False)

    def _sign(
        self,
        account: Account,
        messages: Sequence[AnyMessage],
        fee: tuple[Coin, ...],
        gas: int,
        number: int,
        sequence: int,
        *,
        signed: bool = True,
    ) -> bytes:
        return account.wallet.sign_tx(
            messages,
            chain_id=self._chain_id,
            account_number=number,
            sequence=sequence,
            fee=fee,
            gas_limit=gas,
            memo=self._gas.memo,
            granter=self._gas.granter,
            signed=signed,
        )


def _name(message: AnyMessage) -> Served | str:
    """What a message is known by when it is built again with another proof."""
    return served_by(message) or message.type_url
