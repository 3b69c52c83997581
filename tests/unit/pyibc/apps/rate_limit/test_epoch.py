"""Hours: which block begins the next one, and what of them is stored."""

import base64

import pytest

from pyibc.apps.rate_limit.limit import HOUR_NS, HourEpoch
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.errors import InvalidEpoch
from pyibc.core.wire.states import read
from pyibc.core.wire.table import table_of, unpack
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb

START = 1_704_067_200 * 10**9
NOW = HourEpoch(7, HOUR_NS, START, 40)
UNSET = HourEpoch(0, HOUR_NS, GO_ZERO_TIME_NS, 0)
"""What a chain has whose genesis had no time."""


def test_an_hour_ends_after_its_last_nanosecond():
    assert NOW.after(START + HOUR_NS, 50) is None
    assert NOW.after(START + HOUR_NS + 1, 50) == HourEpoch(8, HOUR_NS, START + HOUR_NS, 50)


def test_hours_that_nobody_set_do_not_pass():
    assert UNSET.after(START, 50) is None


def test_the_number_wraps_as_go_s_does():
    last = NOW._replace(epoch_number=2**64 - 1)
    assert last.after(START + 2 * HOUR_NS, 50).epoch_number == 0


def test_the_epoch_that_ibc_go_stored_without_a_time():
    raw = base64.b64decode("EgMIkBwaCwiAkrjDmP7///8B")  # a recording's first block
    assert unpack(HourEpoch, read(pb.HourEpoch, raw)) == UNSET
    assert table_of(HourEpoch).encode(UNSET) == raw


@pytest.mark.parametrize(
    "changes",
    [
        {"epoch_number": -1},
        {"epoch_number": 2**64},
        {"duration_ns": 0},
        {"duration_ns": 2**63},
        {"duration_ns": -(2**63)},
        {"start_ns": GO_ZERO_TIME_NS - 1},
        {"start_ns": 253_402_300_800 * 10**9},
        {"start_height": 2**63},
        {"start_height": -(2**63) - 1},
    ],
)
def test_what_does_not_fit_the_store(changes):
    with pytest.raises(InvalidEpoch):
        NOW._replace(**changes).validate()
    NOW.validate()
