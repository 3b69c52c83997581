"""Timestamp and Duration in JSON: what gogoproto's jsonpb takes and prints, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.codec.gotime import print_duration, print_timestamp, read_duration, read_timestamp
from pyibc.codec.protojson import Unprintable, read_message, to_json
from pyibc.core.errors import TxDecode
from pyibc.proto.google.protobuf import duration_pb2, timestamp_pb2

FIRST, LAST = -62_135_596_800, 253_402_300_799
LONGEST = 315_576_000_000


@given(st.integers(FIRST, LAST), st.integers(0, 10**9 - 1))
def test_times_are_printed_as_protobuf_has_it_and_read_back(seconds, nanos):
    printed = print_timestamp(seconds, nanos)
    assert printed == timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos).ToJsonString()
    assert read_timestamp(printed) == (seconds, nanos)


@given(st.integers(0, LONGEST), st.integers(0, 10**9 - 1), st.sampled_from([1, -1]))
def test_durations_are_printed_as_protobuf_has_it_and_read_back(seconds, nanos, sign):
    seconds, nanos = sign * seconds, sign * nanos
    printed = print_duration(seconds, nanos)
    assert printed == duration_pb2.Duration(seconds=seconds, nanos=nanos).ToJsonString()
    if abs(seconds * 10**9 + nanos) < 1 << 63:
        assert read_duration(printed) == (seconds, nanos)


SLOPPY_TIMES = [
    "2024-1-2T03:04:05Z",  # what the protobuf library's reader takes
    "2024-01-02T03:04:05.1_0Z",
    "2024-01-02T03:04:05.5e-3Z",
    "2024-01-02T03:04:05+ 1:00",
    "2024-01-02T03:04:05+01:0_0",
    "\u0662\u0660\u0662\u0664-01-02T03:04:05Z",
    "2024-01-02T03:04:60Z",
    "2024-02-30T00:00:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "2024-01-02T03:04:05",
    "",
]
SLOPPY_DURATIONS = ["1_0s", " 1s", "1 s", "\u0661s", "1e3s", "1", "s", "", "--1s", "9223372036.854775808s"]


@pytest.mark.parametrize("text", SLOPPY_TIMES)
def test_no_other_time_is_read(text):
    with pytest.raises(ValueError, match=r"time|offset"):
        read_timestamp(text)
    with pytest.raises(TxDecode) as refused:
        read_message(timestamp_pb2.Timestamp, f'"{text}"')
    assert str(refused.value).endswith("is no Timestamp")


@pytest.mark.parametrize("text", SLOPPY_DURATIONS)
def test_no_other_duration_is_read(text):
    with pytest.raises(ValueError, match="no duration"):
        read_duration(text)
    with pytest.raises(TxDecode) as refused:
        read_message(duration_pb2.Duration, f'"{text}"')
    assert str(refused.value).endswith("is no Duration")


@pytest.mark.parametrize("content", ["1", "true", "[]", "{}"])
def test_they_are_texts(content):
    for cls in (timestamp_pb2.Timestamp, duration_pb2.Duration):
        with pytest.raises(TxDecode, match=f"is no {cls.DESCRIPTOR.name}"):
            read_message(cls, content)


@pytest.mark.parametrize(
    "message",
    [
        timestamp_pb2.Timestamp(seconds=FIRST - 1),
        timestamp_pb2.Timestamp(seconds=LAST + 1),
        timestamp_pb2.Timestamp(nanos=10**9),
        timestamp_pb2.Timestamp(nanos=-1),
        duration_pb2.Duration(seconds=LONGEST + 1),
        duration_pb2.Duration(seconds=-LONGEST - 1),
        duration_pb2.Duration(nanos=10**9),
        duration_pb2.Duration(seconds=1, nanos=-1),
        duration_pb2.Duration(seconds=-1, nanos=1),
    ],
)
def test_what_is_none_is_not_printed(message):
    with pytest.raises(Unprintable, match=r"no time|no duration"):
        to_json(message)
