"""Submissions in threads: both directions of a link, and several to one chain, are under way at once.

The link itself stays in its worker's thread: it reads, plans and applies results there. A side whose
submissions fail rests, longer each time, while the other goes on.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from ibc_relayer.daemon.pausing import pause, running_stop, stopping_at
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import RelayerError
from ibc_relayer.path import Side

log = logging.getLogger("pyibc.relayer")

V = TypeVar("V")

SLOTS = 16
"""Submissions to one chain under way at once."""
TICK_S = 0.2
"""After which blocks are read again, whatever is under way: the chains' heights are watched."""
FIRST_S, LONGEST_S = 0.5, 60.0
"""How long a side rests after failures: doubled from the first to the longest."""


class ThreadLanes:
    """The `ibc_relayer.lanes.Lanes` of one link of a daemon."""

    slots = SLOTS

    def __init__(self, name: str, clock: Callable[[], float] = monotonic) -> None:
        """`name`: of the path, in logs; `clock`: seconds."""
        self._name = name
        self._clock = clock
        self._threads = list[Thread]()
        self._failures = [0, 0]
        self._until_s = [0.0, 0.0]
        self._reasons = ["", ""]

    def launch(self, work: Callable[[], V]) -> "Future[V]":
        """Runs it in a thread of its own, which ends when the caller's worker is told to."""
        future, stop = Future[V](), running_stop()

        def run() -> None:
            with stopping_at(stop):
                try:
                    future.set_result(work())
                except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
                    future.set_exception(error)

        thread = Thread(target=run, name=f"relayer {self._name} submits", daemon=True)
        self._threads = [*(each for each in self._threads if each.is_alive()), thread]
        thread.start()
        return future

    def ahead(self, work: Callable[[], V]) -> "Future[V]":
        """Runs it in a thread of its own."""
        return self.launch(work)

    def failed(self, side: Side, chain_id: str, error: RelayerError) -> bool:
        """The side rests; the other goes on."""
        pause_s = min(LONGEST_S, FIRST_S * 2.0 ** min(self._failures[side], 16))
        self._failures[side] += 1
        self._until_s[side] = self._clock() + pause_s
        self._reasons[side] = f"to {chain_id}: {error}"
        told = {"path": self._name, "to": chain_id, "error": type(error).__name__, "reason": str(error)}
        log.warning("failed", extra={**told, "pause_s": pause_s})
        return True

    def succeeded(self, side: Side) -> None:
        """It rests no more."""
        self._failures[side], self._until_s[side], self._reasons[side] = 0, 0.0, ""

    def rests(self, side: Side) -> bool:
        """Whether its pause is not over."""
        return self._clock() < self._until_s[side]

    def troubles(self) -> list[str]:
        """The last failure of each side whose submissions have not succeeded since."""
        return [reason for reason in self._reasons if reason]

    def wait(self, under_way: "Sequence[Future[Any]]") -> None:
        """Until one is done, at most `TICK_S`."""
        wait(under_way, TICK_S, FIRST_COMPLETED)
        pause(0)

    def wait_for(self, _chain: ChainEndpoint, _height: int) -> None:
        """`TICK_S`: what is under way may end before the block is there."""
        pause(TICK_S)

    def close(self) -> None:
        """Waits for all threads: each ends with its transaction's block, a deadline, or the worker's stop."""
        for thread in self._threads:
            thread.join()
