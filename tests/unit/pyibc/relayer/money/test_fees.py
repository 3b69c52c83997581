"""Gas prices: exact, fixed or dynamic."""

from fractions import Fraction

import pytest

from pyibc.core.coin import coin
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, PriceRefused
from pyibc.relayer.money.fees import FREE, PRICE_SOURCES, DynamicPrice, GasPrice, field_of, read_decimal


def length(number, data):
    return bytes((number << 3 | 2, len(data))) + data


@pytest.mark.parametrize(
    ("price", "gas", "amount"),
    [
        ("0.025stake", 100_000, 2500),
        ("0.0001stake", 9_999, 1),
        ("0.0001stake", 10_001, 2),
        ("0.000000000000000001stake", 1, 1),
        ("0.1stake", 3, 1),  # 0.30000000000000004 to a float
        ("1.1stake", 10**17, 11 * 10**16),
        ("20000000000stake", 300_000, 6 * 10**15),
        ("7stake", 0, 0),
    ],
)
def test_h153_prices_below_one_unit_are_exact_and_rounded_up(price, gas, amount):
    assert GasPrice.parse(price).fee(gas) == ((coin("stake", amount),) if amount else ())


def test_denominations():
    assert GasPrice.parse("0.5ibc/ABC").denom == "ibc/ABC"
    assert GasPrice.parse(" 1factory/x/y ").denom == "factory/x/y"
    assert FREE.fee(10**9) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "stake",
        "1",
        "-1stake",
        "1.stake",
        ".1stake",
        "1,5stake",
        "1 stake",
        "1x",
        "0.1234567890123456789stake",
    ],
)
def test_what_is_no_price(text):
    with pytest.raises(PriceRefused, match="not a gas price"):
        GasPrice.parse(text)


@pytest.mark.parametrize("text", ["", "-1", "1e3", "nan", "1/2", "1.", "٣", "1_0"])
def test_what_is_no_decimal(text):
    with pytest.raises(PriceRefused, match="not a decimal"):
        read_decimal(text)


def dynamic(source, **more):
    return DynamicPrice(PRICE_SOURCES[source], GasPrice.parse("0.5uosmo"), **more)


class Chain:
    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def __call__(self, path, request):
        self.asked.append((path, request))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


FEEMARKET = length(1, length(1, b"uosmo") + length(2, b"25000000000000000"))
OSMOSIS = length(1, b"25000000000000000")


@pytest.mark.parametrize(
    ("source", "answer"), [("feemarket", FEEMARKET), ("osmosis", OSMOSIS), ("injective", length(1, OSMOSIS))]
)
def test_a_price_of_the_moment(source, answer):
    chain = Chain(answer)
    price = dynamic(source, multiplier=Fraction("1.1"), maximum=Fraction(1)).now(Query(chain))
    assert price == GasPrice(Fraction("0.0275"), "uosmo")
    assert price.fee(10**6) == (coin("uosmo", 27_500),)
    assert [path.split("/")[-1] for path, _ in chain.asked] in (["GasPrice"], ["GetEipBaseFee"])
    assert chain.asked[0][1] == (length(1, b"uosmo") if source == "feemarket" else b"")


def test_h153_a_price_beyond_the_maximum_is_never_paid():
    chain = Chain(length(1, str(10**30).encode()))
    assert dynamic("osmosis", maximum=Fraction("0.75")).now(Query(chain)).amount == Fraction("0.75")


def test_a_chain_without_such_a_price_has_the_fixed_one():
    refused = Chain(EndpointRefused("c", "q", "unknown query path"))
    assert dynamic("osmosis").now(Query(refused)) == GasPrice(Fraction(1, 2), "uosmo")
    assert dynamic("osmosis", maximum=Fraction(1, 4)).now(Query(refused)).amount == Fraction(1, 4)
    with pytest.raises(EndpointUnavailable):
        dynamic("osmosis").now(Query(Chain(EndpointUnavailable("c", "r"))))


@pytest.mark.parametrize(
    "answer", [b"", b"\xff", length(1, b"-5"), length(1, b"0.5"), length(1, b"9" * 78), b"\x08\x05"]
)
def test_what_is_no_price_of_the_moment(answer):
    with pytest.raises(MalformedAnswer, match="not a price"):
        dynamic("osmosis").now(Query(Chain(answer)))


def test_fields():
    assert field_of(length(1, b"a") + length(2, b"b") + length(1, b"c"), 1) == b"c"
    assert field_of(length(1, b"a"), 3) is None
    assert field_of(b"\x0a\x05a", 1) is None
