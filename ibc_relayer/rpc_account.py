"""The relayer's account on a chain behind an RPC: its sequence, and the gas of its transactions."""

import threading
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.errors import WrongSequence
from ibc_core.host.block import TxOutcome
from ibc_relayer.chain_account import ask_account
from ibc_relayer.fees import FREE, AnyPrice, Query
from ibc_relayer.simulation import expected_sequence
from ibc_relayer.submission import refused_for
from ibc_relayer.wallet import Wallet


class GasConfig(NamedTuple):
    """Gas limit and fee of a chain's transactions."""

    base: int = 1_000_000  # enough for a client update with some hundred validators
    per_message: int = 400_000
    per_byte: int = 60  # for messages that hold many packets each
    limit: int = 100_000_000  # of one transaction
    price: AnyPrice = FREE
    simulate: bool = (
        True  # where the chain serves it; else, and elsewhere, gas is estimated by the four above
    )
    multiplier: Fraction = Fraction(6, 5)  # of the gas that a simulation used
    granter: str = ""  # bech32; who pays the fees (x/feegrant); "": the account itself
    memo: str = ""  # of every transaction
    max_fee: int | None = None  # for each packet of a transaction, in units of the price's denomination

    def gas(self, messages: Sequence[AnyMessage]) -> int:
        """Gas limit of a transaction of these messages, estimated."""
        by_size = self.per_byte * sum(len(message.value) for message in messages)
        return min(self.limit, max(self.base + self.per_message * len(messages), by_size))


class Account:
    """One account on one chain; remembers the sequence between transactions.

    Whoever signs holds `lock` until the node has the transaction: a node refuses sequences out of order.
    """

    def __init__(self, wallet: Wallet, chain_id: str) -> None:
        """Nothing is queried before the first transaction."""
        self.wallet = wallet
        self.lock = threading.RLock()
        self.rests = 0
        """Turns that are left out: it could not pay."""
        self._chain_id = chain_id
        self._state: tuple[int, int] | None = None  # account number, next sequence

    @property
    def address(self) -> str:
        """The address in bech32."""
        return self.wallet.address.text

    def state(self, query: Query) -> tuple[int, int]:
        """Account number and next sequence; queried if they are not known.

        Raises:
            EndpointRefused: the chain knows no such account.
            AccountCannotSign: no key signs for an account of its type.
            MalformedAnswer: the answer is no account.
        """
        if self._state is None:
            self._state = ask_account(query, self._chain_id, self.address)
        return self._state

    def sent(self, sequence: int) -> None:
        """A transaction of this sequence is on its way: the next has the next."""
        if self._state is not None:
            self._state = self._state[0], sequence + 1

    def refused(self, outcome: TxOutcome, sequence: int) -> None:
        """The node did not take the transaction of `sequence`.

        Of a wrong sequence it says the one it expects: those in between are ours that it holds. One
        behind ours is not believed: the node may lag, or transactions be lost; it is queried again.
        """
        if self._state is None:
            return
        if not refused_for(outcome, WrongSequence):
            self._state = self._state[0], sequence  # not consumed
            return
        expected = expected_sequence(outcome.log)
        self._state = (self._state[0], expected) if expected is not None and expected > sequence else None

    def forget(self) -> None:
        """Drops the sequence, after a lost transaction: it is queried again."""
        with self.lock:
            self._state = None
