"""Fetching of blocks by Spark's executors: heights are split into ranges, one task each, read in order."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from pyibc.core.errors import IbcError
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.lines import decode_committed, encode_committed
from pyibc.indexer.spark.tasks import TaskResult, Tasks, Work
from pyibc.relayer.blocks.nodes import BLOCK, REFUSED, BlockNodes, fetch_ranges
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.rpc.blocks import FetchedBlock

SHORTEST, LONGEST = 8, 100
"""Number of heights of the first tasks, and maximum number of heights of a task."""

TASK_BYTES = 16 << 20
"""Bytes of blocks at which a task ends; `spark_tasks.MOST` such results may be in memory."""

SILENT_S = 60.0
"""Seconds without results before a warning: Spark waits silently, and without limit, for workers."""

_LOOK_S = 0.1  # between two checks of the stop event
_TEXTS = 100  # reports about nodes that are not repeated

Tell = Callable[[str], None]
Begin = Callable[[Work], AbstractContextManager[Tasks]]
"""Function that opens the task runner."""


class Executors:
    """A source of `Backfill`, opened when there is something to fetch, and closed when all is fetched.

    Tasks query the nodes that this process found usable, in the same order: other nodes are compared with the
    first one, and heights are distributed over the nodes.

    Args:
        begin: Opens the task runner.
        workers: Number of concurrent calls of each task.
        tell: Reports that no results arrive.
        tell_of_nodes: Reports nodes that a worker cannot use.
        size: Bytes of blocks at which a task ends.
    """

    def __init__(
        self, begin: Begin, workers: int, *, tell: Tell, tell_of_nodes: Tell, size: int = TASK_BYTES
    ) -> None:
        self._begin, self._workers, self._size = begin, workers, size
        self._tell, self._tell_of_nodes = tell, tell_of_nodes
        self._told = set[str]()

    def __call__(
        self, nodes: BlockNodes, heights: Heights, stop: threading.Event
    ) -> Generator[FetchedBlock | EndpointRefused, None, None]:
        """Iterate over blocks of `heights`; raises as `BlockNodes.fetch`, and the task runner's errors."""
        if not heights.ranges:
            return
        with self._begin(partial(fetch_ranges, encode=encode_committed)) as tasks:
            ask = _Asking(tasks, tuple(nodes.serving), nodes.chain_id, self._workers, self._size)
            pending = _Pending(ask, heights)
            while (asked := pending.first()) is not None:
                answer = self._awaited(asked.answer, stop)
                if answer is None:
                    return
                if answer.failure is None:
                    pending.answered(asked, _count(answer))
                yield from self._read(answer)

    def _awaited(self, answer: "Future[TaskResult]", stop: threading.Event) -> TaskResult | None:
        """Wait for a result; return None if the stop event was set first."""
        silent = time.monotonic() + SILENT_S
        while not stop.is_set():
            if wait([answer], timeout=_LOOK_S).done:
                return answer.result()
            if time.monotonic() > silent:
                silent = math.inf
                self._tell(f"waiting: no worker returned blocks for {SILENT_S:g} s; check the workers")
        return None

    def _read(self, answer: TaskResult) -> Iterator[FetchedBlock | EndpointRefused]:
        for kind, *values in answer.items:
            if kind == BLOCK:
                name, parent, line = values
                yield FetchedBlock(decode_committed(line), name, parent)
            elif kind == REFUSED:
                yield EndpointRefused(*values)  # no node has it
            else:
                self._tell_once(str(values[0]), answer.host)
        if answer.failure is not None:
            raise _placed(answer.failure, answer.host)

    def _tell_once(self, text: str, host: str) -> None:
        """Report a text once, since every task meets the same node; the set of reported texts is bounded."""
        if text not in self._told:
            self._tell_of_nodes(f"{text} (asked from worker {host})")
            self._told = {text} if len(self._told) == _TEXTS else self._told | {text}


class _Asked(NamedTuple):
    heights: Heights
    answer: "Future[TaskResult]"


class _Asking(NamedTuple):
    """Parameters shared by all tasks."""

    tasks: Tasks
    urls: tuple[str, ...]
    chain_id: str
    workers: int
    size: int

    def __call__(self, heights: Heights) -> _Asked:
        call = (self.urls, self.chain_id, heights.ranges, self.workers, self.size)
        return _Asked(heights, self.tasks.submit(*call))


class _Pending:
    """Running tasks, in the order of their heights, and the heights without a task.

    The first tasks are short, to distribute a few heights too, and because block sizes are unknown. After a
    task that returns all its heights later ones may be twice as long; after one that does not, only as long
    as its result.
    """

    def __init__(self, ask: _Asking, heights: Heights) -> None:
        self._ask, self._left, self._length = ask, heights, SHORTEST
        self._under_way = deque[_Asked]()

    def first(self) -> _Asked | None:
        """Return the task with the lowest heights; None if all heights are fetched."""
        self._fill()
        return self._under_way.popleft() if self._under_way else None

    def answered(self, asked: _Asked, count: int) -> None:
        """Record that a task returned its `count` lowest heights; resubmit the others first."""
        rest = asked.heights.split(count)[1]
        if rest.ranges:
            self._length = count
            self._under_way.appendleft(self._ask(rest))
        else:
            self._length = max(self._length, min(LONGEST, 2 * count))
        self._fill()

    def _fill(self) -> None:
        while len(self._under_way) < self._ask.tasks.width and self._left.ranges:
            heights, self._left = self._left.split(self._length)
            self._under_way.append(self._ask(heights))


def _count(answer: TaskResult) -> int:
    """Return the number of heights in a result."""
    return sum(kind in {BLOCK, REFUSED} for kind, *_ in answer.items)


def _placed(failure: IbcError, host: str) -> IbcError:
    """Add the worker to an error: on a worker, `localhost` is another machine."""
    if isinstance(failure, EndpointUnavailable):
        return EndpointUnavailable(failure.chain_id, f"{failure.reason} (asked from worker {host})")
    return failure
