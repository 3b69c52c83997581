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
INTERVALS = 8
"""Block intervals recorded; with fewer, polling starts at once."""
RECENT_S = 1.0
"""Maximum age of a recent height, seconds."""
MIN_POLL_S = 0.025
"""Minimum interval between two polls, seconds."""


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

    def wait_for_change(self, known: int) -> int:
        """Wait until the height is not `known`, a newer header is prefetched, or `MAX_WAIT_S` is over.

        Raises:
            RelayerError: a query fails.
        """
        began, signed = self._clock(), self._signed()
        self._sleep_until_due(known)
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
            self._sleep(max(0.0, MIN_POLL_S - (now - started)))

    def _sleep_until_due(self, known: int) -> None:
        with self._lock:
            height, since = self._changed
            quiet = min(self._intervals) if len(self._intervals) == INTERVALS else 0.0
        left = min(QUIET_FRACTION * quiet - (self._clock() - since), MAX_WAIT_S)
        if height == known and left > 0:
            self._sleep(left)
