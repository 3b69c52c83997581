"""Gas prices as exact decimals: fixed, or queried from a chain with a dynamic price (EIP-1559).

There are no floats: a price is a fraction, and a fee is rounded up to the next unit.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from pyibc.codec.encoding import encode
from pyibc.codec.walk import LENGTH, read_field
from pyibc.core.coin import Coin, coin, is_denom
from pyibc.core.errors import IbcError
from pyibc.proto.cosmos.base.v1beta1 import coin_pb2
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer, PriceRefused
from pyibc.relayer.rpc.reading import read_answer

DECIMALS = 18
"""Decimal places of the SDK's `LegacyDec`; on the wire it is an integer multiple of 10^-18, as text."""

_PRICE = re.compile(r"(\d{1,30}(?:\.\d{1,18})?)([a-zA-Z].*)", re.ASCII)
_DECIMAL = re.compile(r"\d{1,30}(\.\d{1,18})?", re.ASCII)
_UNITS = re.compile(r"\d{1,77}", re.ASCII)


def read_decimal(text: str) -> Fraction:
    """Return a decimal number with at most 18 decimal places, such as `0.0001`.

    Raises:
        PriceRefused: the text is not a number, or is negative.
    """
    if not _DECIMAL.fullmatch(text):
        raise PriceRefused(text[:64], "not a decimal number")
    return Fraction(text)


class GasPrice(NamedTuple):
    """Price of a unit of gas in a denomination."""

    amount: Fraction
    denom: str

    @classmethod
    def parse(cls, text: str) -> "GasPrice":
        """Return the price in a text such as `0.025stake`.

        Raises:
            PriceRefused: the text is not a price.
        """
        found = _PRICE.fullmatch(text.strip())
        if found is None or not is_denom(found[2]):
            raise PriceRefused(text[:64], "not a gas price like 0.025stake")
        return cls(Fraction(found[1]), found[2])

    def fee(self, gas: int) -> tuple[Coin, ...]:
        """Return the fee of `gas`, rounded up; no coins if the price is 0."""
        # guard: h153-a-fee-rounded-down {-(-gas * self.amount.numerator // self.amount.denominator) => gas *
        #   self.amount.numerator // self.amount.denominator}
        #   test_h153_prices_below_one_unit_are_exact_and_rounded_up
        amount = -(-gas * self.amount.numerator // self.amount.denominator)
        return (coin(self.denom, amount),) if amount else ()

    def now(self, _query: Query) -> "GasPrice":
        """Return the price itself, since it is fixed."""
        return self


FREE = GasPrice(Fraction(0), "stake")


class PriceSource(NamedTuple):
    """Query of a chain's current price."""

    path: str
    request: Callable[[str], bytes]  # denomination -> request
    at: tuple[int, ...]  # field numbers of the path to the LegacyDec


def _by_denom(denom: str) -> bytes:
    # The only field of GasPriceRequest has the number of Coin's denomination.
    return encode(coin_pb2.Coin(denom=denom))


PRICE_SOURCES = {
    # skip-mev/feemarket: GasPriceResponse{DecCoin price = 1}, DecCoin{string denom = 1; string amount = 2}
    "feemarket": PriceSource("/feemarket.feemarket.v1.Query/GasPrice", _by_denom, (1, 2)),
    # osmosis x/txfees: QueryEipBaseFeeResponse{string base_fee = 1}
    "osmosis": PriceSource("/osmosis.txfees.v1beta1.Query/GetEipBaseFee", lambda _denom: b"", (1,)),
    # injective x/txfees: QueryEipBaseFeeResponse{EipBaseFee base_fee = 1}, EipBaseFee{string base_fee = 1}
    "injective": PriceSource("/injective.txfees.v1beta1.Query/GetEipBaseFee", lambda _denom: b"", (1, 1)),
}
"""Price sources by their names in configurations."""


class DynamicPrice(NamedTuple):
    """Current price of the chain, times `multiplier`, at most `maximum`."""

    source: PriceSource
    fallback: GasPrice  # if the chain does not return a price; has the fees' denomination
    multiplier: Fraction = Fraction(11, 10)
    maximum: Fraction = Fraction(1)

    @property
    def denom(self) -> str:
        """Denomination of fees."""
        return self.fallback.denom

    def now(self, query: Query) -> GasPrice:
        """Return the price of the next transaction.

        Raises:
            EndpointUnavailable: the node does not answer.
            MalformedAnswer: the answer is not a price.
        """
        try:
            answer = query(self.source.path, self.source.request(self.denom))
        except (EndpointUnavailable, MalformedAnswer):
            raise
        except IbcError:  # EndpointRefused by RPC, another error by an in-process chain
            return self.fallback._replace(amount=min(self.fallback.amount, self.maximum))
        price = read_answer(self.denom, self.source.path, lambda: self._read(answer), query.report_malformed)
        # guard: h153-a-price-without-a-maximum drop:min test_h153_a_price_beyond_the_maximum_is_never_paid
        return GasPrice(min(self.multiplier * price, self.maximum), self.denom)

    def _read(self, answer: bytes) -> Fraction:
        raw: bytes | None = answer
        for number in self.source.at:
            raw = None if raw is None else field_of(raw, number)
        text = "" if raw is None or not raw.isascii() else raw.decode("ascii")
        if not _UNITS.fullmatch(text):
            raise ValueError(f"not a price: {text[:64]!r}")
        return Fraction(int(text), 10**DECIMALS)


AnyPrice = GasPrice | DynamicPrice


def field_of(raw: bytes, wanted: int) -> bytes | None:
    """Return the last bytes field of number `wanted` in a protobuf message; None if there is none."""
    found, at = None, 0
    try:
        while at < len(raw):
            number, wire_type, start, at = read_field(raw, at, len(raw))
            if number == wanted and wire_type == LENGTH:
                found = raw[start:at]
    except IbcError:
        return None
    return found


# -- current gas price and fee limit of a relayer on a chain


class Offer(NamedTuple):
    """Current gas price, and the maximum fee per packet."""

    price: GasPrice
    max_fee: int | None  # units of the price's denomination; None: no limit

    def affords(self, gas: int) -> bool:
        """Return whether a transaction with this gas may be sent for one packet."""
        return self.allows(gas, 1)

    def allows(self, gas: int, packets: int) -> bool:
        """Return whether a transaction with this gas may be sent for so many packets; always if for none."""
        return self.max_fee is None or not packets or self.fee(gas) <= packets * self.max_fee

    def fee(self, gas: int) -> int:
        """Return the fee of this gas."""
        return sum(each.amount for each in self.price.fee(gas))


# -- maximum gas of a transaction: the configured one, or that of the chain's blocks if it is lower

REFRESH_BLOCKS = 200
"""Blocks after which the chain's maximum is queried again: governance may change it."""
LEAST = 1_000_000
"""Lowest maximum that is believed: below it a block has no room for a client update."""


class MaxGas:
    """Maximum gas of the transactions to one chain."""

    def __init__(self, configured: int) -> None:
        """Start with the configured maximum, which is never exceeded."""
        self._configured = configured
        self._queried_at: int | None = None  # height
        self.now = configured

    def is_due(self, height: int) -> bool:
        """Return whether to query the chain's maximum after block `height`; the next call is not due then."""
        due = self._queried_at is None or height - self._queried_at >= REFRESH_BLOCKS
        if due:
            self._queried_at = height
        return due

    def learn(self, found: int | None) -> bool:
        """Take over the maximum gas of the chain's blocks; None: there is none, or it is not known.

        Returns:
            Whether the maximum is higher than before.
        """
        before = self.now
        # guard: no-maximum-is-a-maximum {found < LEAST => False}
        #   test_a_maximum_that_no_chain_has_is_not_believed
        if found is None or found < LEAST:
            found = self._configured
        # guard: more-gas-than-a-block-has {min(found, self._configured) => self._configured}
        #   test_no_transaction_has_more_gas_than_a_block_of_the_chain
        self.now = min(found, self._configured)
        return self.now > before

    def doubt(self) -> None:
        """Query the chain's maximum with the next transaction, after the chain refused one for its size."""
        self._queried_at = None
