"""Polling of a chain's height, adapted to its block interval.

Right after a block there is no next one to poll for. The last block intervals are recorded, and polling
starts shortly before the next block is due.
"""

from collections import deque
from collections.abc import Callable
from threading import Lock

MAX_WAIT_S = 2.0
"""Maximum time that `wait_for_change` waits, seconds."""
QUIET_FRACTION = 0.75
"""Fraction of the shortest recorded block interval in which the height is not polled."""
RELAXED_QUIET_FRACTION = 0.9
"""The same for a chain that nobody is in a hurry for."""
INTERVALS = 8
"""Block intervals recorded; with fewer, polling starts at once."""
RECENT_S = 1.0
"""Maximum age of a recent height, seconds."""
MIN_POLL_S = 0.025
"""Minimum interval between two polls, seconds."""
RELAXED_POLL_S = 0.1
"""Minimum interval between two polls of a chain that nobody is in a hurry for, seconds."""
RELAXED_FRACTION = 0.1
"""Fraction of the shortest recorded block interval between two such polls, if that is longer."""


class HeightWatch:
    """Height of one chain. For any thread."""

    def __init__(
        self,
        ask: Callable[[], int],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        signed: Callable[[], int] = lambda: 0,
    ) -> None:
        """Create the watch of a chain whose height is unknown.

        Args:
            ask: queries the height, and passes it to `record`.
            clock: monotonic clock, seconds.
            sleep: sleeps for some seconds.
            signed: returns the height of the last prefetched header.
        """
        self._ask = ask
        self._clock = clock
        self._sleep = sleep
        self._signed = signed
        self._lock = Lock()
        self._changed = 0, float("-inf")  # the last height, and when it was first reported
        self._highest = 0, float("-inf")  # the highest recent one, and when it was last reported
        self._intervals = deque[float](maxlen=INTERVALS)

    def record(self, height: int) -> None:
        """Record a height that the chain has reported."""
        now = self._clock()
        with self._lock:
            # guard: looked-for-above-a-node-that-lags always test_of_a_moment_the_highest_is_told
            if height >= self._highest[0] or now - self._highest[1] >= RECENT_S:
                self._highest = height, now
            before, since = self._changed
            if height == before:
                return
            if height == before + 1 and before:
                self._intervals.append(now - since)
            else:
                self._intervals.clear()  # not polled for a while, or the chain was reset
            self._changed = height, now

    @property
    def highest(self) -> int:
        """Highest height reported in the last `RECENT_S` before the last report; 0: none."""
        with self._lock:
            return self._highest[0]

    def recent(self) -> int:
        """Return the highest recent height; query it if the last report is older than `RECENT_S`.

        Raises:
            RelayerError: the query fails.
        """
        with self._lock:
            height, reported = self._highest
        return height if self._clock() - reported < RECENT_S else self._ask()

    def wait_for_change(self, known: int, *, relaxed: bool = False) -> int:
        """Wait until the height is not `known`, a newer header is prefetched, or `MAX_WAIT_S` is over.

        `relaxed`: poll less often, since no packet waits for the next block.

        Raises:
            RelayerError: a query fails.
        """
        began, signed, poll_s = self._clock(), self._signed(), self._poll_s(relaxed=relaxed)
        self._sleep_until_due(known, RELAXED_QUIET_FRACTION if relaxed else QUIET_FRACTION)
        while True:
            started = self._clock()
            height = self._ask()
            now = self._clock()
            # guard: a-watch-that-never-ends drop:MAX_WAIT_S
            #   test_a_height_that_does_not_change_is_told_after_a_while
            # guard: a-further-header-is-not-told drop:self
            #   test_a_further_header_is_told_at_once_though_the_height_is_the_same
            if height != known or self._signed() > signed or now - began >= MAX_WAIT_S:
                return height
            self._sleep(max(0.0, poll_s - (now - started)))

    def _poll_s(self, *, relaxed: bool) -> float:
        """Return the minimum interval between two polls, seconds."""
        if not relaxed:
            return MIN_POLL_S
        with self._lock:
            return max(RELAXED_POLL_S, RELAXED_FRACTION * min(self._intervals, default=0.0))

    def _sleep_until_due(self, known: int, fraction: float) -> None:
        with self._lock:
            height, since = self._changed
            quiet = min(self._intervals) if len(self._intervals) == INTERVALS else 0.0
        left = min(fraction * quiet - (self._clock() - since), MAX_WAIT_S)
        if height == known and left > 0:
            self._sleep(left)
