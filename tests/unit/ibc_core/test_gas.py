"""Gas meters."""

import pytest

from ibc_core.errors import OutOfGas
from ibc_core.host.gas import UNLIMITED, GasMeter


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
