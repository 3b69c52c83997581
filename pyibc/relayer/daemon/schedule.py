"""Schedule of a daemon: turns of links and searches, each due at a time, in a bounded number of threads.

The due times are in one heap. Turns of one group, such as the links between two chains, share a few threads,
so that a chain that does not answer delays no other group. A thread ends when its group has nothing due.
"""

import heapq
import logging
from collections.abc import Callable, Hashable
from functools import partial
from itertools import count
from threading import Condition, Thread
from time import monotonic

from pyibc.relayer.daemon.threads import Threads

log = logging.getLogger("pyibc.relayer")

THREADS = 8
"""Maximum number of threads of one group."""
RETRY_S = 1.0
"""Pause of a turn that could not be run, seconds."""

Turn = Callable[[], float | None]
"""Does some work; returns the pause until the next turn, seconds. None: there is none."""


class _Party:
    """One of those who take turns."""

    def __init__(self, turn: Turn, group: Hashable) -> None:
        self.turn, self.group = turn, group
        self.number = 0  # of its entry in the heap; others are out of date
        self.is_waiting = False  # in the heap
        self.is_woken = False  # since its last turn began
        self.has_ended = False


class Schedule:
    """Schedule of turns. For any thread."""

    def __init__(self) -> None:
        """Start no thread before the first `add`."""
        self._changed = Condition()
        self._heap = list[tuple[float, int, _Party]]()
        self._numbers = count(1)
        self._groups = dict[Hashable, Threads]()
        self._is_closed = False
        self._thread: Thread | None = None

    def add(self, turn: Turn, group: Hashable) -> Callable[[], None]:
        """Let `turn` be called now, and after each pause that it returns; return a function that wakes it.

        It is never called twice at the same time. If it is woken during a turn, another one follows at once.
        """
        party = _Party(turn, group)
        with self._changed:
            self._push(party, 0.0)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="relayer schedule", daemon=True)
                self._thread.start()
        return partial(self._wake, party)

    def close(self) -> None:
        """Begin no turn any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _push(self, party: _Party, pause_s: float) -> None:
        party.number, party.is_waiting = next(self._numbers), True
        heapq.heappush(self._heap, (monotonic() + pause_s, party.number, party))
        self._changed.notify_all()

    def _wake(self, party: _Party) -> None:
        with self._changed:
            if party.has_ended or party.is_woken:
                return
            # guard: a-wake-during-a-turn-is-lost {True => False}
            #   test_a_wake_during_a_turn_is_followed_by_another
            party.is_woken = True
            if party.is_waiting:
                self._push(party, 0.0)

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._is_closed:
                    return
                if not self._begin_due():
                    self._changed.wait(self._pause_s())

    def _pause_s(self) -> float | None:
        return max(0.0, self._heap[0][0] - monotonic()) if self._heap else None

    def _begin_due(self) -> bool:
        """Give the party that is due first to a thread of its group; return False if none is due."""
        if not self._heap or self._heap[0][0] > monotonic():
            return False
        _, number, party = heapq.heappop(self._heap)
        if number != party.number:
            return True
        party.is_waiting = False
        if party.group not in self._groups:
            self._groups[party.group] = Threads(THREADS, "relayer turns")
        begun = self._groups[party.group].submit(partial(self._take, party))
        if begun.done() and (error := begun.exception()) is not None:
            log.warning("no thread", extra={"reason": str(error)})
            self._push(party, RETRY_S)
        return True

    def _take(self, party: _Party) -> None:
        """Let a party take its turn, and note its next one."""
        with self._changed:
            if self._is_closed:
                return
            party.is_woken = False
        pause_s = self._turn(party)
        with self._changed:
            if pause_s is None:
                party.has_ended = True
            else:
                self._push(party, 0.0 if party.is_woken else pause_s)

    def _turn(self, party: _Party) -> float | None:
        try:
            return party.turn()
        except Exception:
            log.exception("a turn failed")  # a fault of ours: the others go on, and it is tried again
            return RETRY_S
