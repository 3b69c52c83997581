"""Submissions of a link to both chains: their number in flight and their results.

A submission proves tasks by one header, sends them, and waits for the blocks that include them. If several
may be in flight, the proofs of the next one are fetched while the previous one waits for its block, and a
chain that is slow or refuses transactions does not delay messages for the other chain. The runner decides
how submissions run: serially (`SubmissionRunner`) or in threads (`relayer.daemon.links`). This module has
neither threads nor a clock.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.executor import Executor
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.datagram import keys_of
from pyibc.relayer.packets.delay import DelayedSubmitter
from pyibc.relayer.packets.task import Result, Task, TaskKey, TaskKind, TaskSet, Verdict
from pyibc.relayer.paths.path import SIDES, Side

Work = Callable[[], list[Result]]

MIN_SHARE = 8
"""Fraction (an eighth) of a full submission that justifies a client update while another is in flight."""


def split_evenly(tasks: Sequence[Task], full: int) -> Iterator[Sequence[Task]]:
    """Split `tasks` into the fewest groups of at most `full`, of about the same size.

    A small remainder would not justify a submission of its own and would wait a block. With tasks of ordered
    channels, which must stay in order, there is one group, and the remainder is left to the next plan.
    """
    if any(task.ordered for task in tasks):
        return iter((tasks[:full],))
    parts = -(-len(tasks) // full)
    bounds = [len(tasks) * place // parts for place in range(parts + 1)]
    return (tasks[start:end] for start, end in pairwise(bounds))


class SubmissionRunner:
    """Strategy that runs the submissions of one link: in the caller's thread, which handles every error."""

    slots = 1
    """Maximum number of submissions in flight to one chain."""
    executor: Executor | None = None
    """Executor of optional work, such as prefetches of proofs; None: it is left out."""

    def launch(self, work: Work) -> "Future[list[Result]]":
        """Run `work` now; another runner may start it concurrently with the caller."""
        future = Future[list[Result]]()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised by the future's `result`
            future.set_exception(error)
        return future

    def failed(self, _side: Side, _chain_id: str, _error: RelayerError) -> bool:
        """Record a failed submission to a side; return False if the round must raise the error."""
        return False

    def succeeded(self, side: Side) -> None:
        """Record a successful submission to `side`."""

    def is_paused(self, _side: Side) -> bool:
        """Return whether submissions to a side are paused after failures."""
        return False

    def problems(self) -> list[str]:
        """Return the errors that paused sides, as texts."""
        return []

    def wait(self, futures: "Sequence[Future[Any]]") -> None:
        """Return when one of `futures` is done, or after a short time; at once, as nothing is in flight."""

    def wait_for(self, chain: ChainEndpoint, height: int) -> None:
        """Return when block `height` is committed; another runner may return after a short time."""
        chain.wait(height)

    def close(self) -> None:
        """Wait until no submission is in flight."""


SERIAL = SubmissionRunner()


class _Slot:
    """Place for one submission in flight."""

    def __init__(
        self, side: Side, client: ForeignClient, limits: BatchLimits, executor: Executor | None
    ) -> None:
        self.side = side
        self.metrics = Metrics()  # separate, since the submission may run in another thread
        self.submitter = DelayedSubmitter(client, limits, self.metrics, executor)
        self.future: Future[list[Result]] | None = None
        self.tasks: Sequence[Task] = ()
        self.height = 0
        self.is_retry = False


class _UnconfirmedTask(NamedTuple):
    """Task that took effect, and the height up to which blocks must be read to see its events.

    Height 0: the next block that is read; None: all blocks up to the tip.
    """

    key: TaskKey
    height: int | None


class Submissions:
    """Submissions of a link in flight to both chains."""

    def __init__(
        self,
        clients: Sequence[ForeignClient],
        limits: BatchLimits,
        metrics: Metrics,
        runner: SubmissionRunner,
    ) -> None:
        """Create an empty set of submissions.

        Args:
            clients: on both chains, by side.
            limits: of a batch.
            metrics: count the submissions that have finished.
            runner: runs the submissions.
        """
        self._clients = clients
        self._limits = limits
        self._metrics = metrics
        self._runner = runner
        self._executor = runner.executor
        self._prefetched_tips = [0, 0]  # tips whose headers were prefetched, by side of the client
        self._slots = [
            _Slot(side, clients[side], limits, self._executor) for side in SIDES for _ in range(runner.slots)
        ]
        self.excluded = TaskSet()
        """Tasks in flight, and those whose effects are in blocks not read yet; left out of plans."""
        self._unconfirmed: tuple[list[_UnconfirmedTask], list[_UnconfirmedTask]] = [], []
        self.failures = 0
        """Number of failed submissions that the runner handled."""

    def free_slots(self, side: Side) -> int:
        """Return the number of submissions to `side` that may start now."""
        free = sum(slot.side == side and slot.future is None for slot in self._slots)
        return 0 if self._runner.is_paused(side) else free

    def is_busy(self, side: Side) -> bool:
        """Return whether a submission to `side` is in flight."""
        return any(slot.future is not None for slot in self._slots if slot.side == side)

    @property
    def is_settled(self) -> bool:
        """Return whether nothing is in flight, and the effects of all that was are read."""
        return not any(self.is_busy(side) or self._unconfirmed[side] for side in SIDES)

    def admitted(self, side: Side, tasks: list[Task], full: int) -> list[Task]:
        """Return the tasks that need not wait until the submissions in flight are finished.

        A channel is closed after its packets. Each submission, except retries, pays for its own client
        update: while another one is in flight, fewer than an eighth of `full` messages wait.
        """
        # guard: h190-closed-too-early always test_h190_a_channel_is_closed_after_all_that_is_under_way
        if not self.is_busy(side):
            return tasks
        found = [task for task in tasks if task.key.kind is not TaskKind.CLOSE_CONFIRM]
        # guard: retries-hold-up-what-is-new drop:any
        #   test_new_packets_do_not_wait_for_retries
        pays = any(slot.future is not None and not slot.is_retry for slot in self._slots if slot.side == side)
        return found if not pays or len(found) * MIN_SHARE >= full else []

    def retry(self, side: Side, tasks: Sequence[Task], height: int) -> None:
        """Submit `tasks`, which failed before, to `side`, whose tip is `height`, without a client update."""
        self._start(side, tasks, height, lambda slot: slot.submitter.retry(tasks), is_retry=True)

    def submit(self, side: Side, tasks: Sequence[Task], height: int, tip: int) -> None:
        """Submit `tasks` to `side`, whose tip is `height`, with proofs by header `tip` of the other chain."""
        if self._executor is not None and tip > self._prefetched_tips[side]:
            self._prefetched_tips[side] = tip
            self._executor.submit(partial(self._clients[side].prefetch_header, tip))
        self._start(side, tasks, height, lambda slot: slot.submitter.submit(tasks, tip))

    @property
    def can_prefetch(self) -> bool:
        """Return whether there is an executor for optional work."""
        return self._executor is not None

    def prefetch_proofs(self, side: Side, tasks: Sequence[Task], height: int) -> None:
        """Prefetch the proofs of `tasks` for `side` from the other chain's state after block `height`."""
        if self._executor is not None and tasks:
            keys = [key for task in tasks for key in keys_of(task)]
            self._executor.submit(partial(self._clients[side].prefetch_proofs, height, keys))

    def refresh(self, side: Side, tip: int) -> None:
        """Update the client on `side` to header `tip`."""

        def work(slot: _Slot) -> list[Result]:
            slot.submitter.refresh(tip)
            return []

        self._start(side, (), 0, work)

    def finished(self, sides: Container[Side] = SIDES) -> Iterator[tuple[Result, int]]:
        """Yield results of submissions to `sides` that finished, and the targets' tips at the planning.

        Raises:
            RelayerError: a submission failed (see `Submitter.submit`); raised after all results.
        """
        failure: BaseException | None = None
        for slot in self._slots:
            if slot.future is None or slot.side not in sides or not slot.future.done():
                continue
            future, slot.future = slot.future, None
            self._metrics.absorb(slot.metrics)
            error = future.exception()
            results = future.result() if error is None else []
            self._release(slot, results)
            if error is None:
                self._runner.succeeded(slot.side)
                yield from ((result, slot.height) for result in results)
            elif not self._is_handled(slot, error):
                failure = failure or error
        if failure is not None:
            raise failure

    def mark_read(self, side: Side, height: int, *, at_tip: bool) -> None:
        """Release tasks whose effects are in the blocks of `side` up to `height`, which have been read.

        `at_tip`: these are all blocks, so they include the effects of every finished task.
        """
        left = list[_UnconfirmedTask]()
        for each in self._unconfirmed[side]:
            up_to = self._height(side) if each.height == 0 else each.height
            # guard: h239-held-up-to-what-is-claimed always:up_to
            #   test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it
            # guard: h239-let-go-a-block-too-soon {height => height + 1}
            #   test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it
            is_confirmed = at_tip if up_to is None else 0 < up_to <= height
            if is_confirmed:
                self.excluded.discard(each.key)
            else:
                left.append(_UnconfirmedTask(each.key, up_to))
        self._unconfirmed[side][:] = left

    def wait(self, also: "Sequence[Future[Any]]" = (), until: "Sequence[Future[int]]" = ()) -> bool:
        """Wait until a submission in flight or one of the other futures is done, or for a short time.

        Args:
            also: futures that are reasons to wait, like submissions in flight.
            until: futures that end the wait, but are no reason to wait.

        Returns:
            Whether there was a reason to wait.
        """
        own = [slot.future for slot in self._slots if slot.future is not None]
        if own or also:
            self._runner.wait([*own, *also, *until])
        return bool(own or also)

    def close(self) -> None:
        """Wait until no submission is in flight."""
        self._runner.close()

    def _release(self, slot: _Slot, results: Sequence[Result]) -> None:
        """Stop excluding the tasks of a finished submission, except those whose effects are not read yet."""
        effective = {result.task.key for result in results if result.verdict is Verdict.EFFECTIVE}
        height = self._height(slot.side)
        self._unconfirmed[slot.side].extend([_UnconfirmedTask(key, height) for key in effective])
        for task in slot.tasks:
            # guard: h189-what-took-effect-is-let-go always
            #   test_h189_what_took_effect_is_not_submitted_again_before_its_block_is_read
            if task.key not in effective:
                self.excluded.discard(task.key)

    def _height(self, side: Side) -> int | None:
        """Return a height at or above all finished transactions; 0: no block was read; None: not known."""
        changes = self._clients[side].host.extras.changes
        return None if changes is None else changes.highest_block

    def _start(
        self,
        side: Side,
        tasks: Sequence[Task],
        height: int,
        work: Callable[[_Slot], list[Result]],
        *,
        is_retry: bool = False,
    ) -> None:
        slot = next((each for each in self._slots if each.side == side and each.future is None), None)
        if slot is None:
            raise ValueError(f"no free slot for side {side}")
        slot.tasks, slot.height, slot.is_retry = tasks, height, is_retry
        for task in tasks:
            # guard: h189-a-task-twice test_h189_several_submissions_share_no_task
            self.excluded.add(task.key)
        slot.future = self._runner.launch(partial(work, slot))

    def _is_handled(self, slot: _Slot, error: BaseException) -> bool:
        # guard: h191-one-for-all always test_h191_a_side_that_fails_holds_up_nothing_that_is_for_the_other
        if not isinstance(error, RelayerError):
            return False
        client = self._clients[slot.side]
        if not self._runner.failed(slot.side, client.host.chain_id, error):
            return False
        # A new submitter, since the state of the old one may be wrong.
        slot.submitter = DelayedSubmitter(client, self._limits, slot.metrics, self._executor)
        self.failures += 1
        return True
