"""Gas prices: exact decimals, fixed or asked of a chain whose price moves (EIP-1559).

No float: a price is a fraction, a fee is rounded up to the next unit.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from ibc_core.coin import Coin, coin, is_denom
from ibc_core.errors import IbcError
from ibc_core.wire.encoding import encode
from ibc_core.wire.walk import LENGTH, read_field
from ibc_proto.cosmos.base.v1beta1 import coin_pb2
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from ibc_relayer.money_errors import PriceRefused
from ibc_relayer.rpc_read import read_answer

Query = Callable[[str, bytes], bytes]
"""A gRPC query of a chain: path and request to response."""

DECIMALS = 18
"""Of the SDK's `LegacyDec`; on the wire it is its number of 10^-18, as text."""

_PRICE = re.compile(r"(\d{1,30}(?:\.\d{1,18})?)([a-zA-Z].*)", re.ASCII)
_DECIMAL = re.compile(r"\d{1,30}(\.\d{1,18})?", re.ASCII)
_UNITS = re.compile(r"\d{1,77}", re.ASCII)


def read_decimal(text: str) -> Fraction:
    """A number as it is written, at most 18 digits behind the point: `0.0001`.

    Raises:
        PriceRefused: it is not a number, or negative.
    """
    if not _DECIMAL.fullmatch(text):
        raise PriceRefused(text[:64], "not a decimal number")
    return Fraction(text)


class GasPrice(NamedTuple):
    """So many units of a denomination for each unit of gas."""

    amount: Fraction
    denom: str

    @classmethod
    def parse(cls, text: str) -> "GasPrice":
        """The price that `0.025stake` says.

        Raises:
            PriceRefused: it says none.
        """
        found = _PRICE.fullmatch(text.strip())
        if found is None or not is_denom(found[2]):
            raise PriceRefused(text[:64], "not a gas price like 0.025stake")
        return cls(Fraction(found[1]), found[2])

    def fee(self, gas: int) -> tuple[Coin, ...]:
        """What `gas` costs, rounded up; nothing at a price of nothing."""
        # guard: h153-a-fee-rounded-down {-(-gas * self.amount.numerator // self.amount.denominator) => gas *
        #   self.amount.numerator // self.amount.denominator}
        #   test_h153_prices_below_one_unit_are_exact_and_rounded_up
        amount = -(-gas * self.amount.numerator // self.amount.denominator)
        return (coin(self.denom, amount),) if amount else ()

    def now(self, _query: Query) -> "GasPrice":
        """Itself: it is fixed."""
        return self


FREE = GasPrice(Fraction(0), "stake")


class PriceSource(NamedTuple):
    """Where a chain tells its price of the moment."""

    path: str
    request: Callable[[str], bytes]  # denomination -> request
    at: tuple[int, ...]  # field numbers that lead to the LegacyDec


def _by_denom(denom: str) -> bytes:
    # GasPriceRequest has its one field where Coin has its denomination.
    return encode(coin_pb2.Coin(denom=denom))


PRICE_SOURCES = {
    # skip-mev/feemarket: GasPriceResponse{DecCoin price = 1}, DecCoin{string denom = 1; string amount = 2}
    "feemarket": PriceSource("/feemarket.feemarket.v1.Query/GasPrice", _by_denom, (1, 2)),
    # osmosis x/txfees: QueryEipBaseFeeResponse{string base_fee = 1}
    "osmosis": PriceSource("/osmosis.txfees.v1beta1.Query/GetEipBaseFee", lambda _denom: b"", (1,)),
    # injective x/txfees: QueryEipBaseFeeResponse{EipBaseFee base_fee = 1}, EipBaseFee{string base_fee = 1}
    "injective": PriceSource("/injective.txfees.v1beta1.Query/GetEipBaseFee", lambda _denom: b"", (1, 1)),
}
"""The sources by the names that configurations use."""


class DynamicPrice(NamedTuple):
    """The chain's price of the moment, times `multiplier`, at most `maximum`."""

    source: PriceSource
    fallback: GasPrice  # where the chain does not tell; its denomination is that of the fees
    multiplier: Fraction = Fraction(11, 10)
    maximum: Fraction = Fraction(1)

    @property
    def denom(self) -> str:
        """What fees are paid in."""
        return self.fallback.denom

    def now(self, query: Query) -> GasPrice:
        """The price of the next transaction.

        Raises:
            EndpointUnavailable: the node does not answer.
            MalformedAnswer: the answer is no price.
        """
        try:
            answer = query(self.source.path, self.source.request(self.denom))
        except (EndpointUnavailable, MalformedAnswer):
            raise
        except IbcError:  # by RPC EndpointRefused; in process the chain's own
            return self.fallback._replace(amount=min(self.fallback.amount, self.maximum))
        price = read_answer(self.denom, self.source.path, lambda: self._read(answer), query)
        # guard: h153-a-price-without-a-maximum drop:min test_h153_a_price_beyond_the_maximum_is_never_paid
        return GasPrice(min(self.multiplier * price, self.maximum), self.denom)

    def _read(self, answer: bytes) -> Fraction:
        raw: bytes | None = answer
        for number in self.source.at:
            raw = None if raw is None else field_of(raw, number)
        text = "" if raw is None or not raw.isascii() else raw.decode("ascii")
        if not _UNITS.fullmatch(text):
            raise ValueError(f"a price of {text[:64]!r}")
        return Fraction(int(text), 10**DECIMALS)


AnyPrice = GasPrice | DynamicPrice


def field_of(raw: bytes, wanted: int) -> bytes | None:
    """The last field of number `wanted` and of bytes in a protobuf message; None where there is none."""
    found, at = None, 0
    try:
        while at < len(raw):
            number, wire_type, start, at = read_field(raw, at, len(raw))
            if number == wanted and wire_type == LENGTH:
                found = raw[start:at]
    except IbcError:
        return None
    return found
