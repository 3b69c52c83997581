"""Choice of a header whose time the host chain accepts, if the clocks of two chains differ.

A light client refuses a header whose time exceeds the host's block time by more than the maximum clock drift.
If the clocks differ by more, the newest header is always refused, but older ones are accepted.
"""

from pyibc.core.host.block import TxOutcome
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.links.outcomes import Action, action_of

MAX_AHEAD_NS = 600 * 10**9
"""Maximum time by which a header may be ahead of the host to wait for it, nanoseconds."""

MAX_UNEXPLAINED = 3
"""Tolerated refusals of headers that are no longer ahead of the host's time."""


class ClockGuard:
    """Newest acceptable header of a client, after the host refused one as from the future.

    The tolerated lead is found by halving the lead of each refused header.
    """

    def __init__(self, client: ForeignClient) -> None:
        """Create the guard of a client; it accepts any header until one is refused."""
        self._client = client
        self._lead_ns: int | None = None  # maximum lead of a header over the host's time; None: no limit
        self._unexplained = 0

    def refused(self, height: int) -> bool:
        """Record that header `height` was refused as from the future; False if it is not ahead of the host.

        Raises:
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
        """
        lead = self._time(height) - self._client.host.tip().time_ns
        if lead > 0:
            self._lead_ns = lead // 2 if self._lead_ns is None else min(lead // 2, self._lead_ns)
            return True
        self._unexplained += 1  # the host's time may have advanced since
        return self._unexplained <= MAX_UNEXPLAINED

    def newest(self, tip: int) -> int:
        """Return `tip`, or the newest header below it that the host's time allows; 0 if there is none.

        Raises:
            EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
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
        """Return the last height from `low` on, below `high`, whose time is not after `until`."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._time(middle) <= until else (low, middle)
        return low

    def _time(self, height: int) -> int:
        try:
            return self._client.reference.light_block(height).time_ns
        except EndpointRefused:
            return 0  # pruned, hence old


def wait_for_time(chain: ChainEndpoint, time_ns: int) -> bool:
    """Wait until the chain's block time reaches `time_ns`; False if that is too far ahead.

    Raises:
        EndpointUnavailable: the chain does not answer, or commits no blocks.
    """
    tip = chain.tip()
    if time_ns - tip.time_ns > MAX_AHEAD_NS:
        return False
    while tip.time_ns < time_ns:
        chain.wait(tip.height + 1)
        tip = chain.tip()
    return True


def refused_as_future(client: ForeignClient, outcome: TxOutcome, height: int) -> bool:
    """Return whether the host refused header `height` as from the future, after waiting for its time."""
    if outcome.code == 0 or action_of(outcome) is not Action.CLOCK:
        return False
    return wait_for_time(client.host, client.reference.light_block(height).time_ns)
