"""One answer for all threads that ask the same at about the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ibc_relayer.errors import RelayerError

V = TypeVar("V")


class RecentAnswer(Generic[V]):
    """What was answered last, while it is fresh. Who comes while it is asked for waits for that answer."""

    def __init__(self, ask: Callable[[], V], fresh_s: float, clock: Callable[[], float]) -> None:
        """An answer is fresh for `fresh_s` from its question on, seconds; 0: everybody asks."""
        self._ask = ask
        self._fresh_s = fresh_s
        self._clock = clock
        self._lock = threading.Lock()
        self._began = self._ended = float("-inf")
        self._outcome: V | RelayerError | None = None

    def get(self) -> V:
        """The answer; raises what `ask` raises, also for those who waited."""
        if self._fresh_s <= 0:
            return self._ask()
        entered = self._clock()
        with self._lock:
            if entered > self._ended and entered - self._began >= self._fresh_s:
                self._renew()
            outcome = self._outcome
        if isinstance(outcome, RelayerError):
            raise outcome
        return outcome  # type: ignore[return-value] # `_renew` was called

    def _renew(self) -> None:
        began = self._clock()
        outcome: V | RelayerError
        try:
            outcome = self._ask()
        except RelayerError as error:
            outcome = error
        self._outcome, self._began, self._ended = outcome, began, self._clock()
