"""Thresholds: net flow against a percentage of the supply, in Go's integers."""

import pytest

from pyibc.apps.rate_limit.limit import Flow, Quota, RateLimit
from pyibc.core.errors import LogicFault, QuotaExceeded, TxDecode
from pyibc.core.wire.states import read
from pyibc.core.wire.table import table_of, unpack
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb

MOST = 2**256 - 1


def limit(*, send=10, recv=20, value=1_000, inflow=0, outflow=0):
    return RateLimit("ibc/AB", "channel-4", Quota(send, recv, 24), Flow(inflow, outflow, value))


def test_the_threshold_itself_passes_and_one_more_does_not():
    assert limit().with_outflow(100).flow == Flow(0, 100, 1_000)
    assert limit().with_inflow(200).flow == Flow(200, 0, 1_000)
    with pytest.raises(QuotaExceeded) as out:
        limit().with_outflow(101)
    with pytest.raises(QuotaExceeded) as came:
        limit().with_inflow(201)
    assert (out.value.direction, out.value.net, out.value.percent) == ("Outflow", 101, 10)
    assert str(came.value) == (
        "Inflow exceeds quota - Net Inflow: 201, Channel Value: 1000, Threshold: 20%: quota exceeded"
    )


def test_a_threshold_is_of_whole_units_rounded_down():
    assert limit(send=1, value=199).with_outflow(1).flow.outflow == 1
    with pytest.raises(QuotaExceeded):
        limit(send=1, value=199).with_outflow(2)


def test_a_coin_without_supply_has_no_threshold():
    assert limit(value=0).with_outflow(MOST).flow.outflow == MOST


def test_what_is_taken_off_never_goes_below_nothing():
    assert limit(inflow=5, outflow=6).without_inflow(6).flow == Flow(0, 6, 1_000)
    assert limit(inflow=5, outflow=6).without_outflow(4).flow == Flow(5, 2, 1_000)


@pytest.mark.parametrize(
    "count",
    [
        lambda: limit(outflow=1, value=0).with_outflow(MOST),
        lambda: limit(inflow=1, value=0).with_inflow(MOST),
        lambda: limit(inflow=MOST, outflow=MOST, value=0).with_inflow(1),  # the net flow would fit
        lambda: limit(inflow=MOST, outflow=MOST, value=0).with_outflow(1),
        lambda: limit(send=100, value=2**250).with_outflow(1),  # the product, not the quotient
        lambda: limit(outflow=0, inflow=MOST, value=0).with_outflow(-1),
    ],
)
def test_h180_integers_beyond_256_bits_are_no_verdict_on_a_packet(count):
    with pytest.raises(LogicFault):
        count()


def test_a_limit_is_stored_as_go_writes_it():
    raw = table_of(RateLimit).encode(limit(recv=0, inflow=3))
    assert raw == (
        b"\x0a\x13\x0a\x06ibc/AB\x12\x09channel-4"
        b"\x12\x09\x0a\x0210\x12\x010\x18\x18"
        b"\x1a\x0c\x0a\x013\x12\x010\x1a\x041000"
    )
    assert unpack(RateLimit, read(pb.RateLimit, raw)) == limit(recv=0, inflow=3)


@pytest.mark.parametrize("text", ["", "x", "1.0", "1__0", "0b", str(2**256), "٣"])
def test_what_is_no_integer_of_go_s(text):
    with pytest.raises(TxDecode):
        unpack(Quota, pb.Quota(max_percent_send="1", max_percent_recv=text))


def test_what_came_in_makes_room_and_the_other_way_round():
    assert limit(inflow=50).with_outflow(150).flow == Flow(50, 150, 1_000)
    assert limit(send=0, recv=0, outflow=7).with_inflow(7).flow == Flow(7, 7, 1_000)
    with pytest.raises(QuotaExceeded):
        limit(send=0, recv=0, outflow=7).with_inflow(8)
