"""Caches of a chain's answers, and the watch of its height."""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from pyibc.codec.comet_json import Json
from pyibc.relayer.chain.grpc_query import QuerySupport
from pyibc.relayer.errors import MalformedAnswer, RelayerError
from pyibc.relayer.rpc.calls import Call, outcome_of, result_of
from pyibc.relayer.rpc.reading import commit_calls

# -- cache of values by height, which also merges concurrent queries

V = TypeVar("V")


class HeightCache(Generic[V]):
    """Bounded FIFO cache of values by height. For any thread; only one queries a missing value."""

    def __init__(self, size: int) -> None:
        """Create an empty cache for `size` values."""
        self._size = size
        self._values: OrderedDict[int, V] = OrderedDict()
        self._asking: dict[int, Future[tuple[V] | None]] = {}
        self._lock = threading.Lock()

    def get(self, height: int, ask: Callable[[int], V]) -> V:
        """Return the value at a height; call `ask` if it is missing. An error of `ask` is not cached.

        Threads that need the value meanwhile get that of the first one, or ask for themselves if it fails.
        """
        while True:
            with self._lock:
                if height in self._values:
                    return self._values[height]
                asking, is_ours = self._asking.get(height), height not in self._asking
                if asking is None:
                    asking = self._asking[height] = Future[tuple[V] | None]()
            if is_ours:
                return self._asked(height, ask, asking)
            found = asking.result()
            if found is not None:
                return found[0]

    def put(self, height: int, value: V) -> None:
        """Add a value, for example a prefetched one."""
        with self._lock:
            self._values[height] = value
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def __contains__(self, height: int) -> bool:
        with self._lock:
            return height in self._values

    def forget(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()

    def _asked(self, height: int, ask: Callable[[int], V], asking: "Future[tuple[V] | None]") -> V:
        found: tuple[V] | None = None
        try:
            found = (ask(height),)
            self.put(height, found[0])
        finally:
            with self._lock:
                self._asking.pop(height, None)
            asking.set_result(found)
        return found[0]


# -- result shared between threads that make the same query at about the same time


class RecentAnswer(Generic[V]):
    """Last result of a query, shared while fresh; a thread that asks during a query waits for its result."""

    def __init__(self, ask: Callable[[], V], fresh_s: float, clock: Callable[[], float]) -> None:
        """Share a result for `fresh_s` seconds from the start of its query; 0: never."""
        self._ask = ask
        self._fresh_s = fresh_s
        self._clock = clock
        self._lock = threading.Lock()
        self._began = self._ended = float("-inf")
        self._outcome: V | RelayerError | None = None
        self._asking: Future[None] | None = None

    def get(self) -> V:
        """Return the result; raise the error of `ask`, also in threads that waited for it."""
        if self._fresh_s <= 0:
            return self._ask()
        entered = self._clock()
        while True:
            with self._lock:
                if entered <= self._ended or entered - self._began < self._fresh_s:
                    return result_of(self._outcome)  # type: ignore[return-value] # there is one
                asking, is_ours = self._asking, self._asking is None
                if asking is None:
                    asking = self._asking = Future[None]()
            if is_ours:
                self._renew(asking)
            else:
                asking.result()

    def _renew(self, asking: Future[None]) -> None:
        began = self._clock()
        try:
            outcome = outcome_of(self._ask)
            with self._lock:
                self._outcome, self._began, self._ended = outcome, began, self._clock()
        finally:
            with self._lock:
                self._asking = None
            asking.set_result(None)


# -- prefetching of light blocks: the next one is queried in the same batch as the height
#
# A client update needs the newest header, and querying it after the height would cost another round trip.
# Until the block exists, the node refuses with a short error.

MAX_UNUSED_BLOCKS = 8
"""Blocks after the last used light block for which prefetching goes on."""


class PrefetchedHeaders:
    """Prefetching of one chain's light blocks. For any thread: a race costs a useless or a later query."""

    def __init__(self, cache: Callable[[int, Json, Json], bool]) -> None:
        """Create a prefetcher that is idle until a light block is used.

        Args:
            cache: caches a height with the results of both calls; returns False if the validators fill more
                than one page. Raises MalformedAnswer: they are not the light block of that height.
        """
        self._cache = cache
        self._support = QuerySupport()
        self._last_used = self.highest = 0
        """Height of the last prefetched light block, which may not be executed yet."""

    def record_use(self, height: int) -> None:
        """Record the use of a light block, which keeps prefetching going."""
        self._last_used = max(self._last_used, height)

    def forget(self) -> None:
        """Stop prefetching, since the used light blocks may belong to another chain."""
        self._last_used = self.highest = 0

    def calls(self, height: int) -> list[Call]:
        """Return the calls for light block `height`, to be sent with the height query; empty if idle."""
        # guard: headers-are-asked-for-for-ever {0 < self._last_used <= height <= self._last_used +
        #   MAX_UNUSED_BLOCKS => 0 < self._last_used <= height}
        #   test_after_some_blocks_without_need_none_is_asked_for
        if height <= self.highest or not 0 < self._last_used <= height <= self._last_used + MAX_UNUSED_BLOCKS:
            return []
        # guard: headers-of-no-use-are-asked-for-with-each-height always:should_try
        #   test_what_was_of_no_use_is_not_asked_for_with_each_height
        return commit_calls(height) if self._support.should_try() else []

    def store(self, height: int, answers: Sequence[Json | RelayerError]) -> None:
        """Cache the light block if the calls succeeded; an incomplete or malformed one is ignored."""
        found = [each for each in answers if not isinstance(each, RelayerError)]
        if len(found) < len(answers):
            return
        try:
            is_whole = self._cache(height, *found)
        except MalformedAnswer:
            self._support.record_refusal(is_unknown=False)
            return
        if is_whole:
            self.highest = height
        else:  # the validators fill several pages, also in later blocks
            self._support.record_refusal()


# -- polling of a chain's height, adapted to its block interval
#
# Right after a block there is no next one to poll for. The last block intervals are recorded, and polling
# starts shortly before the next block is due.

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
