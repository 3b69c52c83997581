"""Gas meters."""

import pytest

from pyibc.core.errors import OutOfGas
from pyibc.core.host.gas import UNLIMITED, Allowance, GasMeter


def test_the_limit_may_be_reached_and_not_passed():
    meter = GasMeter(100)
    meter.consume(60)
    meter.consume(40)
    with pytest.raises(OutOfGas) as refused:
        meter.consume(1)
    assert refused.value.limit == 100
    assert meter.used == 101  # what a failed transaction used is charged too


def test_reset_starts_the_next_transaction():
    meter = GasMeter(5)
    meter.consume(5)
    meter.reset(7)
    assert (meter.used, meter.limit) == (0, 7)


def test_no_limit():
    meter = GasMeter()
    meter.consume(UNLIMITED)
    with pytest.raises(OutOfGas):
        meter.consume(1)


def test_an_allowance_is_a_part_of_what_is_left():
    meter = GasMeter(100)
    meter.consume(10)
    allowance = Allowance(meter, 50)
    assert meter.remaining == 50
    meter.consume(50)
    assert allowance.close() is False
    assert (meter.used, meter.limit, meter.remaining) == (60, 100, 40)


def test_what_exceeds_an_allowance_is_not_charged():
    meter = GasMeter(100)
    meter.consume(10)
    allowance = Allowance(meter, 50)
    with pytest.raises(OutOfGas):
        meter.consume(51)
    assert allowance.close() is True
    assert (meter.used, meter.limit) == (60, 100)


def test_an_allowance_is_never_more_than_there_is():
    meter = GasMeter(100)
    meter.consume(90)
    allowance = Allowance(meter, 50)
    assert meter.remaining == 10
    assert allowance.close() is False
    assert meter.remaining == 10


def test_allowances_are_nested():
    meter = GasMeter(1_000)
    outer = Allowance(meter, 100)
    meter.consume(10)
    inner = Allowance(meter, 500)
    assert meter.remaining == 90
    with pytest.raises(OutOfGas):
        meter.consume(91)
    assert inner.close() is True
    assert meter.remaining == 0
    with pytest.raises(OutOfGas):
        meter.consume(1)
    assert outer.close() is True
    assert (meter.used, meter.limit) == (100, 1_000)


def test_an_allowance_may_be_spent_whatever_was_used():
    for used in (0, 30, 31):
        meter = GasMeter(100)
        allowance = Allowance(meter, 30)
        meter.used += used
        allowance.spend()
        assert allowance.close() is False
        assert meter.used == 30


@pytest.mark.parametrize("limit", [100, UNLIMITED])
def test_h244_more_than_63_bits_is_out_of_gas_at_any_limit(limit):
    meter = GasMeter(limit)
    meter.consume(60)
    with pytest.raises(OutOfGas):
        meter.consume(2**65)
    assert meter.used > meter.limit  # remembered, should the caller swallow the error
    assert meter.reported == UNLIMITED
