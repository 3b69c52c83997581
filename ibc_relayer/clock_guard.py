"""Headers from the future of the chain that is to accept them: which header its clock allows, and when.

A light client refuses a header whose time is beyond the host's block time by more than its clock drift. Where
the clocks of two chains differ by more, the newest header is refused each time; older ones are not.
"""

from ibc_core.host.block import TxOutcome
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.outcomes import Action, action_of

MAX_AHEAD_NS = 600 * 10**9
"""How far the host's time may be behind a header that is waited for, nanoseconds."""

UNEXPLAINED = 3
"""Refusals of headers that are not from the host's future which are taken for late ones."""


class ClockGuard:
    """The newest header that the host of a client accepts, once it has refused one from its future.

    How much a client tolerates is learned: half of what it refused is tried next.
    """

    def __init__(self, client: ForeignClient) -> None:
        """Until a refusal, every header is taken to be acceptable."""
        self._client = client
        self._lead_ns: int | None = None  # how far a header's time may be beyond the host's; None: no matter
        self._unexplained = 0

    def refused(self, height: int) -> bool:
        """Records that header `height` was refused as one from the future; False if that cannot be why.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer.
        """
        lead = self._time(height) - self._client.host.tip().time_ns
        if lead > 0:
            self._lead_ns = lead // 2 if self._lead_ns is None else min(lead // 2, self._lead_ns)
            return True
        self._unexplained += 1  # the host's time may have gone on since
        return self._unexplained <= UNEXPLAINED

    def newest(self, tip: int) -> int:
        """`tip`, or the newest header below it that the host's clock allows; 0 if there is none.

        Raises:
            EndpointUnavailable, MalformedAnswer: a chain does not answer.
        """
        # guard: h144-the-newest-header-is-always-taken always test_h144_a_clock_a_minute_ahead_is_waited_for
        if self._lead_ns is None:
            return tip
        until = self._client.host.tip().time_ns + self._lead_ns
        if self._time(tip) <= until:
            return tip
        low, step = tip - 1, 1
        while low > 0 and self._time(low) > until:
            low, step = low - step, step * 2
        found = self._between(max(low, 0), tip, until)
        return found if found > 0 and self._time(found) else 0

    def _between(self, low: int, high: int, until: int) -> int:
        """The last height whose time is not after `until`; it is at least `low`, and below `high`."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._time(middle) <= until else (low, middle)
        return low

    def _time(self, height: int) -> int:
        try:
            return self._client.reference.light_block(height).time_ns
        except EndpointRefused:
            return 0  # pruned, so it is old


def wait_for_time(chain: ChainEndpoint, time_ns: int) -> bool:
    """Waits, block by block, until the chain's time has reached `time_ns`; False if that is too far ahead.

    Raises:
        EndpointUnavailable: the chain does not answer, or makes no blocks.
    """
    tip = chain.tip()
    if time_ns - tip.time_ns > MAX_AHEAD_NS:
        return False
    while tip.time_ns < time_ns:
        chain.wait(tip.height + 1)
        tip = chain.tip()
    return True


def came_too_early(client: ForeignClient, outcome: TxOutcome, height: int) -> bool:
    """Whether the host refused header `height` as one from its future; returns once it is one no more."""
    if outcome.code == 0 or action_of(outcome) is not Action.CLOCK:
        return False
    return wait_for_time(client.host, client.reference.light_block(height).time_ns)
