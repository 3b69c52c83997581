"""A rate limit: how much of a coin may leave or enter over one channel or client in a window.

A window's threshold is a percentage of the coin's supply when the window began, in whole units, and counts
net flow: what came in makes room for what leaves, and the other way round. All integers are Go's
`math.Int`: 256 bits and a sign.
"""

from typing import Annotated, NamedTuple

from ibc_core.coin import parse_amount
from ibc_core.errors import LogicFault, QuotaExceeded, TxDecode
from ibc_core.value import sealed
from ibc_core.wire.columns import Codec, Wire
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2 as pb

_BITS = 256


def _read_int(text: str) -> int:
    """The number that Go's `math.Int` reads; raises TxDecode where it reads none."""
    number = parse_amount(text)
    if number is None:
        raise TxDecode(f"integer {text[:100]!a}")
    return number


INT = Codec(_read_int, str)
"""A `math.Int` as text."""
# guard: ratelimit-an-absent-percentage drop:'0' test_a_percentage_that_is_absent_is_zero
PERCENT = Codec(lambda text: _read_int(text or "0"), str)
"""A `math.Int` of a message: one that is absent is 0, as the SDK has it once a transaction is decoded."""


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
    """What moved in the window under way."""

    inflow: Annotated[int, Wire("inflow", INT)]
    outflow: Annotated[int, Wire("outflow", INT)]
    channel_value: Annotated[int, Wire("channel_value", INT)]  # the supply when the window began


@on_wire(pb.RateLimit)
@sealed
class RateLimit(NamedTuple):
    """The limit of one coin over one channel, or one client of IBC v2."""

    denom: Annotated[str, Wire("path.denom")]  # the coin's name on this chain: `stake`, `ibc/HASH`
    channel_or_client_id: Annotated[str, Wire("path.channel_or_client_id")]  # of this chain
    quota: Quota
    flow: Flow

    def with_inflow(self, amount: int) -> "RateLimit":
        """The limit once `amount` came in.

        Raises:
            QuotaExceeded: the net inflow would be above the threshold.
            LogicFault: a number would have more than 256 bits, where Go panics.
        """
        flow = self.flow
        # guard: ratelimit-what-left-makes-no-room drop:outflow
        #   test_what_came_in_makes_room_and_the_other_way_round
        net = _checked(_checked(flow.inflow - flow.outflow) + amount)
        self._require_below(net, self.quota.max_percent_recv, "Inflow")
        return self._replace(flow=flow._replace(inflow=_checked(flow.inflow + amount)))

    def with_outflow(self, amount: int) -> "RateLimit":
        """The limit once `amount` left.

        Raises:
            QuotaExceeded: the net outflow would be above the threshold.
            LogicFault: as `with_inflow`.
        """
        flow = self.flow
        # guard: ratelimit-what-came-in-makes-no-room drop:inflow
        #   test_what_came_in_makes_room_and_the_other_way_round
        net = _checked(_checked(flow.outflow - flow.inflow) + amount)
        self._require_below(net, self.quota.max_percent_send, "Outflow")
        return self._replace(flow=flow._replace(outflow=_checked(flow.outflow + amount)))

    def without_inflow(self, amount: int) -> "RateLimit":
        """The limit once `amount` that came in was refused after all; never below zero."""
        # guard: ratelimit-an-inflow-below-nothing drop:max test_what_is_taken_off_never_goes_below_nothing
        return self._replace(flow=self.flow._replace(inflow=max(0, self.flow.inflow - amount)))

    def without_outflow(self, amount: int) -> "RateLimit":
        """The limit once `amount` that left came back; never below zero."""
        # guard: ratelimit-an-outflow-below-nothing drop:max
        #   test_a_marked_packet_whose_flow_was_reset_is_clamped
        #   test_an_update_empties_the_flow_and_leaves_the_marks
        return self._replace(flow=self.flow._replace(outflow=max(0, self.flow.outflow - amount)))

    def _require_below(self, net: int, percent: int, direction: str) -> None:
        """Refuses a net flow above the threshold; a coin without supply has none."""
        value = self.flow.channel_value
        # guard: ratelimit-the-threshold-is-refused {> => >=}
        #   test_the_threshold_itself_passes_and_one_more_does_not
        #   test_a_transfer_beyond_the_quota_moves_nothing
        # guard: ratelimit-no-threshold test_the_threshold_itself_passes_and_one_more_does_not
        #   test_what_is_too_much_goes_nowhere
        # guard: ratelimit-a-coin-without-supply-is-shut-in drop:value
        #   test_a_coin_without_supply_has_no_threshold
        if value and net > _checked(value * percent) // 100:
            raise QuotaExceeded(direction, net, value, percent)


def _checked(number: int) -> int:
    # guard: h180-numbers-have-no-end test_h180_integers_beyond_256_bits_are_no_verdict_on_a_packet
    #   test_h180_a_flow_beyond_256_bits_leaves_the_packet_unreceived
    #   test_h183_neither_gas_nor_a_broken_invariant_is_an_answer
    if number.bit_length() > _BITS:
        raise LogicFault("a rate limit's number would have more than 256 bits")
    return number


def new_flow(supply: int) -> Flow:
    """The flow of a window that begins, when the coin's supply is `supply`."""
    return Flow(0, 0, supply)
