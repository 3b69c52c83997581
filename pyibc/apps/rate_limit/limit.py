"""Rate limits, and address pairs that are exempt from them.

A limit says how much of a coin may leave or enter over one channel or client in a window. Its threshold is a
percentage of the coin's supply when the window began, rounded down. It applies to net flow: inflow makes room
for outflow and vice versa. All integers are Go's `math.Int`: 256 bits and a sign.
"""

from typing import Annotated, Any, NamedTuple

from pyibc.codec.gotime import GO_ZERO_TIME_NS, NANOSECONDS, is_timestamp
from pyibc.core.coin import parse_amount
from pyibc.core.errors import InvalidEpoch, LogicFault, QuotaExceeded, TxDecode
from pyibc.core.numbers import MAX_I64, MAX_U64
from pyibc.core.value import sealed
from pyibc.core.wire.columns import Codec, Wire
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb


@on_wire(pb.WhitelistedAddressPair)
@sealed
class WhitelistedAddressPair(NamedTuple):
    """Exempt transfers from `sender` to `receiver`, as packets spell them; one direction only."""

    sender: str
    receiver: str


_BITS = 256


def _read_int(text: str) -> int:
    """Parse a number as Go's `math.Int` does; raise TxDecode if it is malformed."""
    number = parse_amount(text)
    if number is None:
        raise TxDecode(f"integer {text[:100]!a}")
    return number


INT = Codec(_read_int, str)
"""Codec of a `math.Int`, a decimal text on the wire."""
# guard: ratelimit-an-absent-percentage drop:'0' test_a_percentage_that_is_absent_is_zero
PERCENT = Codec(lambda text: _read_int(text or "0"), str)
"""Codec of a `math.Int` in a message; an absent one is 0, as after the SDK decodes a transaction."""


@on_wire(pb.Quota)
@sealed
class Quota(NamedTuple):
    """Thresholds of a window, and its length."""

    max_percent_send: Annotated[int, Wire("max_percent_send", INT)]  # of the supply when the window began
    max_percent_recv: Annotated[int, Wire("max_percent_recv", INT)]
    duration_hours: int


@on_wire(pb.Flow)
@sealed
class Flow(NamedTuple):
    """Inflow and outflow in the current window."""

    inflow: Annotated[int, Wire("inflow", INT)]
    outflow: Annotated[int, Wire("outflow", INT)]
    channel_value: Annotated[int, Wire("channel_value", INT)]  # the supply when the window began


@on_wire(pb.RateLimit)
@sealed
class RateLimit(NamedTuple):
    """Limit of one coin over one channel, or one client of IBC v2."""

    denom: Annotated[str, Wire("path.denom")]  # the coin's name on this chain: `stake`, `ibc/HASH`
    channel_or_client_id: Annotated[str, Wire("path.channel_or_client_id")]  # of this chain
    quota: Quota
    flow: Flow

    def with_inflow(self, amount: int) -> "RateLimit":
        """Return the limit after an inflow of `amount`.

        Raises:
            QuotaExceeded: the net inflow would be above the threshold.
            LogicFault: a number would have more than 256 bits; ibc-go panics.
        """
        flow = self.flow
        # guard: ratelimit-what-left-makes-no-room drop:outflow
        #   test_what_came_in_makes_room_and_the_other_way_round
        net = _checked(_checked(flow.inflow - flow.outflow) + amount)
        self._require_below(net, self.quota.max_percent_recv, "Inflow")
        return self._replace(flow=flow._replace(inflow=_checked(flow.inflow + amount)))

    def with_outflow(self, amount: int) -> "RateLimit":
        """Return the limit after an outflow of `amount`.

        Raises:
            QuotaExceeded: the net outflow would be above the threshold.
            LogicFault: see `with_inflow`.
        """
        flow = self.flow
        # guard: ratelimit-what-came-in-makes-no-room drop:inflow
        #   test_what_came_in_makes_room_and_the_other_way_round
        net = _checked(_checked(flow.outflow - flow.inflow) + amount)
        self._require_below(net, self.quota.max_percent_send, "Outflow")
        return self._replace(flow=flow._replace(outflow=_checked(flow.outflow + amount)))

    def without_inflow(self, amount: int) -> "RateLimit":
        """Return the limit with `amount` less inflow, for a packet that was refused later; at least 0."""
        # guard: ratelimit-an-inflow-below-nothing drop:max test_what_is_taken_off_never_goes_below_nothing
        return self._replace(flow=self.flow._replace(inflow=max(0, self.flow.inflow - amount)))

    def without_outflow(self, amount: int) -> "RateLimit":
        """Return the limit with `amount` less outflow, for a refunded packet; at least 0."""
        # guard: ratelimit-an-outflow-below-nothing drop:max test_a_transcript_is_followed_to_its_last_block
        return self._replace(flow=self.flow._replace(outflow=max(0, self.flow.outflow - amount)))

    def _require_below(self, net: int, percent: int, direction: str) -> None:
        """Refuse a net flow above the threshold; a coin without supply has no threshold."""
        value = self.flow.channel_value
        # guard: ratelimit-the-threshold-is-refused {> => >=}
        #   test_the_threshold_itself_passes_and_one_more_does_not
        # guard: ratelimit-no-threshold test_the_threshold_itself_passes_and_one_more_does_not
        # guard: ratelimit-a-coin-without-supply-is-shut-in drop:value
        #   test_a_coin_without_supply_has_no_threshold
        if value and net > _checked(value * percent) // 100:
            raise QuotaExceeded(direction, net, value, percent)


def _checked(number: int) -> int:
    # guard: h180-numbers-have-no-end test_h180_integers_beyond_256_bits_are_no_verdict_on_a_packet
    #   test_h180_a_flow_beyond_256_bits_leaves_the_packet_unreceived
    #   test_h183_neither_gas_nor_a_broken_invariant_is_an_answer
    if number.bit_length() > _BITS:
        raise LogicFault("a number of a rate limit would have more than 256 bits")
    return number


def new_flow(supply: int) -> Flow:
    """Return the flow of a new window, given the coin's supply at its start."""
    return Flow(0, 0, supply)


# -- hour epoch, which rate limit windows are counted in

HOUR_NS = 3600 * NANOSECONDS
_MAX_DURATION_NS = MAX_I64


def _read_time(wire: Any) -> int:
    time_ns: int = wire.seconds * NANOSECONDS + wire.nanos
    return time_ns


def _write_time(time_ns: int) -> dict[str, int]:
    seconds, nanos = divmod(time_ns, NANOSECONDS)
    return {"seconds": seconds, "nanos": nanos}


def _write_duration(duration_ns: int) -> dict[str, int]:
    """Split as Go's durationpb does: seconds and nanoseconds have the same sign."""
    seconds, nanos = divmod(abs(duration_ns), NANOSECONDS)
    sign = -1 if duration_ns < 0 else 1
    return {"seconds": sign * seconds, "nanos": sign * nanos}


@on_wire(pb.HourEpoch)
@sealed
class HourEpoch(NamedTuple):
    """One-hour epoch: number and start. A window of N hours ends when the number is a multiple of N."""

    epoch_number: int
    duration_ns: Annotated[int, Wire("duration", Codec(_read_time, _write_duration))]
    start_ns: Annotated[int, Wire("epoch_start_time", Codec(_read_time, _write_time))]  # unix nanoseconds
    start_height: Annotated[int, Wire("epoch_start_height")]  # first block of the epoch

    @property
    def is_set(self) -> bool:
        """Return whether the epoch advances: not if its start is year 1, from a genesis without a time."""
        return self.start_ns != GO_ZERO_TIME_NS

    def after(self, time_ns: int, height: int) -> "HourEpoch | None":
        """Return the next epoch if `time_ns` is past this one's end, else None; one epoch per block."""
        end_ns = self.start_ns + self.duration_ns
        # guard: ratelimit-an-unset-hour-passes drop:is_set test_hours_that_nobody_set_do_not_pass
        # guard: ratelimit-an-hour-ends-too-early {<= => <} test_an_hour_ends_after_its_last_nanosecond
        if not self.is_set or time_ns <= end_ns:
            return None
        return HourEpoch((self.epoch_number + 1) & MAX_U64, self.duration_ns, end_ns, height)

    def validate(self) -> None:
        """Check that the epoch can be stored.

        Raises:
            InvalidEpoch: a number is outside its 64 bits, the start outside the years 1 to 9999, or the
                duration zero.
        """
        seconds, nanos = divmod(self.start_ns, NANOSECONDS)
        # guard: h184-a-start-outside-the-calendar test_what_does_not_fit_the_store
        if not is_timestamp(seconds, nanos):
            raise InvalidEpoch("start is outside the years 1 to 9999")
        # guard: h184-a-number-beyond-64-bits test_what_does_not_fit_the_store
        if not 0 <= self.epoch_number <= MAX_U64:
            raise InvalidEpoch("number is outside 64 bits")
        # guard: h184-hours-of-no-length test_what_does_not_fit_the_store
        if not 0 < abs(self.duration_ns) <= _MAX_DURATION_NS:
            raise InvalidEpoch("duration is zero, or outside 64 bits")
        # guard: h184-a-height-beyond-64-bits test_what_does_not_fit_the_store
        if not -MAX_I64 - 1 <= self.start_height <= MAX_I64:
            raise InvalidEpoch("height is outside 64 bits")
