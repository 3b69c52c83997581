"""The hour that windows of rate limits are counted in."""

from typing import Annotated, Any, NamedTuple

from ibc_core.errors import InvalidEpoch
from ibc_core.numbers import MAX_I64, MAX_U64
from ibc_core.value import sealed
from ibc_core.wire.columns import Codec, Wire
from ibc_core.wire.gotime import GO_ZERO_TIME_NS, NANOSECONDS, is_timestamp
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb

HOUR_NS = 3600 * NANOSECONDS
_MAX_DURATION_NS = MAX_I64


def _read_time(wire: Any) -> int:
    time_ns: int = wire.seconds * NANOSECONDS + wire.nanos
    return time_ns


def _write_time(time_ns: int) -> dict[str, int]:
    seconds, nanos = divmod(time_ns, NANOSECONDS)
    return {"seconds": seconds, "nanos": nanos}


def _write_duration(duration_ns: int) -> dict[str, int]:
    """Go's: seconds and nanoseconds have one sign."""
    seconds, nanos = divmod(abs(duration_ns), NANOSECONDS)
    sign = -1 if duration_ns < 0 else 1
    return {"seconds": sign * seconds, "nanos": sign * nanos}


@on_wire(pb.HourEpoch)
@sealed
class HourEpoch(NamedTuple):
    """An hour: its number, and when it began. Windows end when the number is a multiple of their hours."""

    epoch_number: int
    duration_ns: Annotated[int, Wire("duration", Codec(_read_time, _write_duration))]
    start_ns: Annotated[int, Wire("epoch_start_time", Codec(_read_time, _write_time))]  # unix nanoseconds
    start_height: Annotated[int, Wire("epoch_start_height")]  # the block that noticed

    @property
    def is_set(self) -> bool:
        """Whether hours pass: a chain whose genesis had no time has an epoch of the year 1, and none does."""
        return self.start_ns != GO_ZERO_TIME_NS

    def after(self, time_ns: int, height: int) -> "HourEpoch | None":
        """The next hour, if a block of this time is past its end; one hour a block, never more."""
        end_ns = self.start_ns + self.duration_ns
        # guard: ratelimit-an-unset-hour-passes drop:is_set test_hours_that_nobody_set_do_not_pass
        # guard: ratelimit-an-hour-ends-too-early {<= => <} test_an_hour_ends_after_its_last_nanosecond
        if not self.is_set or time_ns <= end_ns:
            return None
        return HourEpoch((self.epoch_number + 1) & MAX_U64, self.duration_ns, end_ns, height)

    def validate(self) -> None:
        """Checks that the epoch can be stored.

        Raises:
            InvalidEpoch: a number is outside its 64 bits, or the start outside the years 1 to 9999, or the
                duration is zero.
        """
        seconds, nanos = divmod(self.start_ns, NANOSECONDS)
        # guard: h184-a-start-outside-the-calendar test_what_does_not_fit_the_store
        if not is_timestamp(seconds, nanos):
            raise InvalidEpoch("its start is outside the years 1 to 9999")
        # guard: h184-a-number-beyond-64-bits test_what_does_not_fit_the_store
        if not 0 <= self.epoch_number <= MAX_U64:
            raise InvalidEpoch("its number is outside 64 bits")
        # guard: h184-hours-of-no-length test_what_does_not_fit_the_store
        if not 0 < abs(self.duration_ns) <= _MAX_DURATION_NS:
            raise InvalidEpoch("its duration is zero, or outside 64 bits")
        # guard: h184-a-height-beyond-64-bits test_what_does_not_fit_the_store
        if not -MAX_I64 - 1 <= self.start_height <= MAX_I64:
            raise InvalidEpoch("its height is outside 64 bits")
