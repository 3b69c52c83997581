"""A chain's height, asked for when a block is due.

Who waits for the next block asks again and again. A chain makes blocks at its own pace: right after one there
is nothing to be asked for. So the pace is remembered, and questions begin before the next one is due.
"""

from collections import deque
from collections.abc import Callable
from threading import Lock

WATCH_S = 2.0
"""After which whoever watches is told the height, even if it is the same."""
REST = 0.75
"""Part of the shortest of the last intervals between blocks in which nobody asks."""
KNOWN = 8
"""Intervals that are remembered; with fewer, questions do not rest."""
LATELY_S = 1.0
"""How old may be what was the height a moment ago, seconds."""
PAUSE_S = 0.025
"""Between two questions, where they are answered sooner."""


class HeightWatch:
    """The height of one chain. For any thread."""

    def __init__(
        self,
        ask: Callable[[], int],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        signed: Callable[[], int] = lambda: 0,
    ) -> None:
        """`ask`: for the height, whose answers come to `note`; `clock` and `sleep` in seconds.

        `signed`: the last height whose header came with an answer.
        """
        self._ask = ask
        self._clock = clock
        self._sleep = sleep
        self._signed = signed
        self._lock = Lock()
        self._changed = 0, float("-inf")  # the height, and when it was first told
        self._highest = 0, float("-inf")  # of the last moment, and when it was last told
        self._intervals = deque[float](maxlen=KNOWN)

    def note(self, height: int) -> None:
        """The chain has told its height."""
        now = self._clock()
        with self._lock:
            # guard: looked-for-above-a-node-that-lags always test_of_a_moment_the_highest_is_told
            if height >= self._highest[0] or now - self._highest[1] >= LATELY_S:
                self._highest = height, now
            before, since = self._changed
            if height == before:
                return
            if height == before + 1 and before:
                self._intervals.append(now - since)
            else:
                self._intervals.clear()  # it was not watched, or is another chain
            self._changed = height, now

    @property
    def highest(self) -> int:
        """The highest that it told in the last moment before its last answer; 0: it told none."""
        with self._lock:
            return self._highest[0]

    def lately(self) -> int:
        """The highest that it told in the last moment, without asking if it did.

        Raises:
            RelayerError: it is asked, and does not answer.
        """
        with self._lock:
            height, told = self._highest
        return height if self._clock() - told < LATELY_S else self._ask()

    def after(self, known: int) -> int:
        """The height once it is another than `known`, or a further header is there, or after `WATCH_S`.

        Raises:
            RelayerError: the chain does not answer.
        """
        began, signed = self._clock(), self._signed()
        self._rest(known)
        while True:
            asked = self._clock()
            height = self._ask()
            now = self._clock()
            # guard: a-watch-that-never-ends drop:WATCH_S
            #   test_a_height_that_does_not_change_is_told_after_a_while
            # guard: a-further-header-is-not-told drop:self
            #   test_a_further_header_is_told_at_once_though_the_height_is_the_same
            if height != known or self._signed() > signed or now - began >= WATCH_S:
                return height
            self._sleep(max(0.0, PAUSE_S - (now - asked)))

    def _rest(self, known: int) -> None:
        with self._lock:
            height, since = self._changed
            quiet = min(self._intervals) if len(self._intervals) == KNOWN else 0.0
        left = min(REST * quiet - (self._clock() - since), WATCH_S)
        if height == known and left > 0:
            self._sleep(left)
