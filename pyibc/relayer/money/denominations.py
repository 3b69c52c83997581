"""Denominations in which fees are paid: the first in which the account has the funds."""

from typing import NamedTuple

from pyibc.core.coin import Coin
from pyibc.core.host.block import TxOutcome
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2
from pyibc.relayer.chain.simulation import too_expensive
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.money.account import FeeTerms, GasConfig
from pyibc.relayer.money.budgets import Budgets
from pyibc.relayer.money.fees import Offer
from pyibc.relayer.rpc.reading import read_answer

INSUFFICIENT_FUNDS = 5, "sdk"
"""Code and codespace of the SDK."""
BALANCE = "/cosmos.bank.v1beta1.Query/Balance"
MAX_DIGITS = 78
"""Digits of the largest amount, 2^256 - 1."""


class Denomination(NamedTuple):
    """Terms of fees in one denomination, and what was spent of it today."""

    terms: FeeTerms
    budgets: Budgets
    is_only: bool

    @property
    def denom(self) -> str:
        """Name of the denomination."""
        return self.terms.price.denom

    def offer(self, query: Query) -> Offer:
        """Return the current price and the fee limit. Raises as the price does (`DynamicPrice.now`)."""
        return Offer(self.terms.price.now(query), self.terms.max_fee)

    def balance(self, query: Query, chain_id: str, payer: str) -> int | None:
        """Return the payer's balance; None: the chain does not say, or nothing else can be paid in.

        Raises:
            EndpointUnavailable, MalformedAnswer: the node does not answer, or not as it should.
        """
        if self.is_only:
            return None
        request = query_pb2.QueryBalanceRequest(address=payer, denom=self.denom).SerializeToString()
        try:
            answer = query(BALANCE, request)
        except EndpointRefused:  # a chain without the bank module
            return None
        return read_answer(
            chain_id,
            BALANCE,
            lambda: amount_of(query_pb2.QueryBalanceResponse.FromString(answer)),
            query.report_malformed,
        )


def denominations_of(gas: GasConfig, chain_id: str) -> tuple[Denomination, ...]:
    """Return the denominations of a chain's fees, the preferred one first."""
    found = []
    for terms in gas.terms:
        denom = terms.price.denom
        saved = None if gas.spending is None else gas.spending.of_chain(chain_id, denom)
        found.append(Denomination(terms, Budgets(terms.budget, denom, saved=saved), not gas.others))
    return tuple(found)


def amount_of(answer: query_pb2.QueryBalanceResponse) -> int:
    """Return the amount in an answer to `BALANCE`.

    Raises:
        ValueError: it is no number, or longer than any amount of the SDK.
    """
    text = answer.balance.amount
    if len(text) > MAX_DIGITS:
        raise ValueError(f"an amount of {len(text)} digits")
    return int(text or "0")


def lack_of_funds(balance: int | None, fee: tuple[Coin, ...]) -> TxOutcome | None:
    """Return the refusal of a fee above the balance, as a chain would refuse it; None: it can be paid."""
    for each in fee:
        if balance is not None and balance < each.amount:
            log = f"not sent: the account has {balance}{each.denom}, the fee is {each.amount}{each.denom}"
            return TxOutcome(b"", *INSUFFICIENT_FUNDS, (), 0, 0, log=log)
    return None


def check_price(offer: Offer, packets: int, gas: int) -> TxOutcome | None:
    """Return the refusal of a transaction that costs more than its packets may cost."""
    # guard: h155-whatever-it-costs test_h155_a_packet_that_costs_too_much_is_not_sent
    if offer.max_fee is not None and not offer.allows(gas, packets):
        return too_expensive(offer.fee(gas), packets, offer.max_fee, gas)
    return None
