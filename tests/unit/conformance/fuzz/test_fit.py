"""How a cost grows: exponents of what is linear, quadratic, and nothing at all."""

import pytest

from conformance.fuzz.fit import Point, growth, slope

SIZES = (1000, 2000, 4000, 8000)


def points(cost):
    return [Point(size, cost(size)) for size in SIZES]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 3.0])
def test_the_slope_is_the_exponent(power):
    assert slope(points(lambda size: 7 * size**power), 0) == pytest.approx(power)


def test_what_is_below_the_floor_is_left_out():
    made = points(lambda size: max(5_000, size**2 / 1000))

    assert slope(made, 5_001) == 0.0
    assert slope([Point(500, 5_000), *made[2:], Point(16_000, 256_000)], 5_001) == pytest.approx(2.0)


def test_growth_does_not_mind_what_every_input_costs():
    assert growth(points(lambda size: 10**9 + size), 1) == pytest.approx(1.0)
    assert growth(points(lambda size: 10**9 + size**2), 1) == pytest.approx(2.0)


def test_an_increase_below_the_floor_is_no_growth():
    assert growth([Point(1, 0), Point(2, 0), Point(4, 99)], 100) == 0.0
    assert growth([Point(1, 0), Point(2, 0), Point(4, 100)], 100) == pytest.approx(1.0)
