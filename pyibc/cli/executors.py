"""Blocks that Spark's executors fetch: heights are cut in ranges, a task each, and taken in their order."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from ibc_core.errors import IbcError
from ibc_indexer.coverage import Heights
from ibc_indexer.lines import decode_committed, encode_committed
from ibc_indexer.spark_tasks import Answer, Tasks, Work
from ibc_relayer.block_nodes import BlockNodes
from ibc_relayer.block_ranges import BLOCK, REFUSED, bring
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from ibc_relayer.rpc_blocks import Fetched

SHORTEST, LONGEST = 8, 100
"""Heights of a task: of the first ones, and at most."""

TASK_BYTES = 16 << 20
"""Blocks of a task's answer, before the last one; `spark_tasks.MOST` such answers may be in memory."""

SILENT_S = 60.0
"""Spark waits for workers without a word and without an end: how long that is borne in silence."""

_LOOK_S = 0.1  # between two looks at whether to stop
_TEXTS = 100  # about nodes, that are not told again

Tell = Callable[[str], None]
Begin = Callable[[Work], AbstractContextManager[Tasks]]
"""Opens what makes calls."""


class Executors:
    """A source of `Backfill`. Opened when there is something to fetch, closed when all is there.

    Tasks ask the nodes that serve here, in the same order: others are compared with the first, and each
    height has its own to begin with.

    Args:
        begin: opens what makes calls.
        workers: calls of nodes under way at once, of each task.
        tell: hears that nothing comes.
        tell_of_nodes: hears of those that some worker cannot have.
        size: bytes of blocks at which a task ends.
    """

    def __init__(
        self, begin: Begin, workers: int, *, tell: Tell, tell_of_nodes: Tell, size: int = TASK_BYTES
    ) -> None:
        self._begin, self._workers, self._size = begin, workers, size
        self._tell, self._tell_of_nodes = tell, tell_of_nodes
        self._told = set[str]()

    def __call__(
        self, nodes: BlockNodes, heights: Heights, stop: threading.Event
    ) -> Generator[Fetched | EndpointRefused, None, None]:
        """The blocks of `heights`; raises as `BlockNodes.fetch`, and what the tasks' owner raises."""
        if not heights.ranges:
            return
        with self._begin(partial(bring, encode=encode_committed)) as tasks:
            ask = _Asking(tasks, tuple(nodes.serving), nodes.chain_id, self._workers, self._size)
            pending = _Pending(ask, heights)
            while (asked := pending.first()) is not None:
                answer = self._awaited(asked.answer, stop)
                if answer is None:
                    return
                if answer.failure is None:
                    pending.answered(asked, _count(answer))
                yield from self._read(answer)

    def _awaited(self, answer: "Future[Answer]", stop: threading.Event) -> Answer | None:
        """What came, or None if it is to stop first."""
        silent = time.monotonic() + SILENT_S
        while not stop.is_set():
            if wait([answer], timeout=_LOOK_S).done:
                return answer.result()
            if time.monotonic() > silent:
                silent = math.inf
                self._tell(f"waiting: no worker gave blocks for {SILENT_S:g} s; are there any, and free?")
        return None

    def _read(self, answer: Answer) -> Iterator[Fetched | EndpointRefused]:
        for kind, *values in answer.items:
            if kind == BLOCK:
                name, parent, line = values
                yield Fetched(decode_committed(line), name, parent)
            elif kind == REFUSED:
                yield EndpointRefused(*values)  # no node keeps it
            else:
                self._tell_once(str(values[0]), answer.host)
        if answer.failure is not None:
            raise _placed(answer.failure, answer.host)

    def _tell_once(self, text: str, host: str) -> None:
        """Every task meets the same node; what was told of it is forgotten rather than kept without end."""
        if text not in self._told:
            self._tell_of_nodes(f"{text} (asked from worker {host})")
            self._told = {text} if len(self._told) == _TEXTS else self._told | {text}


class _Asked(NamedTuple):
    heights: Heights
    answer: "Future[Answer]"


class _Asking(NamedTuple):
    """What all tasks have in common."""

    tasks: Tasks
    urls: tuple[str, ...]
    chain_id: str
    workers: int
    size: int

    def __call__(self, heights: Heights) -> _Asked:
        call = (self.urls, self.chain_id, heights.ranges, self.workers, self.size)
        return _Asked(heights, self.tasks.submit(*call))


class _Pending:
    """Tasks under way, in the order of their heights, and the heights of which none is.

    The first are short: a few heights are spread too, and what blocks weigh is not known. Then each that
    answers for all its heights lets others have twice as many, and one that does not, no more than it had.
    """

    def __init__(self, ask: _Asking, heights: Heights) -> None:
        self._ask, self._left, self._length = ask, heights, SHORTEST
        self._under_way = deque[_Asked]()

    def first(self) -> _Asked | None:
        """The task with the lowest heights; None if nothing lacks any more."""
        self._fill()
        return self._under_way.popleft() if self._under_way else None

    def answered(self, asked: _Asked, count: int) -> None:
        """That task answered for its `count` lowest heights; the others are asked for again, first of all."""
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


def _count(answer: Answer) -> int:
    """The heights that an answer tells of."""
    return sum(kind in {BLOCK, REFUSED} for kind, *_ in answer.items)


def _placed(failure: IbcError, host: str) -> IbcError:
    """Whether a node answers depends on where one asks: on a worker, `localhost` is another machine."""
    if isinstance(failure, EndpointUnavailable):
        return EndpointUnavailable(failure.chain_id, f"{failure.reason} (asked from worker {host})")
    return failure
