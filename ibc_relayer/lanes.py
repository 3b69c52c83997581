"""A link's submissions to both chains: how many may be under way, and what becomes of them.

A submission proves tasks by one header, sends them, and waits for the blocks that include them. Where several
may be under way, the next one's proofs are fetched while the one before waits for its block, and a chain
that is slow to include, or refuses, holds up nothing that is for the other. How they run is up to who makes
the link: in turn (`InTurn`), or in threads (`ibc_relayer.daemon.thread_lanes`). No threads and no clock here.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from ibc_relayer.ahead import Ahead
from ibc_relayer.batch import Limits
from ibc_relayer.datagram import keys_of
from ibc_relayer.delay import DelayedSubmitter
from ibc_relayer.endpoint import ChainEndpoint, WatchesHeight
from ibc_relayer.errors import RelayerError
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, Side
from ibc_relayer.submitter import Beside
from ibc_relayer.task import Held, Kind, Result, Task, TaskKey, Verdict

V = TypeVar("V")
Work = Callable[[], list[Result]]

WORTH = 8
"""Part of a full submission that is worth a client update of its own beside another: an eighth."""


class Lanes(Protocol):
    """How submissions run."""

    @property
    def slots(self) -> int:
        """Submissions to one chain that may be under way at once."""

    def launch(self, work: Work) -> "Future[list[Result]]":
        """Runs `work`, now or beside the caller."""

    def failed(self, side: Side, chain_id: str, error: RelayerError) -> bool:
        """A submission to `side` has failed; False: the round is to end with it."""

    def succeeded(self, side: Side) -> None:
        """One has not."""

    def rests(self, side: Side) -> bool:
        """Whether nothing should be submitted to `side` yet, after failures."""

    def troubles(self) -> list[str]:
        """Why sides rest."""

    def wait(self, under_way: "Sequence[Future[Any]]") -> None:
        """Returns when one of them is done, or after a while."""

    def wait_for(self, chain: ChainEndpoint, height: int) -> None:
        """Returns when block `height` is committed, or after a while."""

    def close(self) -> None:
        """Returns when nothing is under way any more."""


@runtime_checkable
class LooksAhead(Protocol):
    """Lanes that run beside their caller what only saves time."""

    def ahead(self, work: Callable[[], V]) -> "Future[V]":
        """Runs it; whoever does not ask for its result will meet by himself whatever it raises."""


def evenly(tasks: Sequence[Task], full: int) -> Iterator[Sequence[Task]]:
    """Some `tasks` in as few parts as there must be of at most `full`, none much smaller than another.

    What were left over beside full ones would not be worth a submission of its own, and wait a block. With
    tasks of ordered channels, which must not overtake each other, it is one part, and the rest is for later.
    """
    if any(task.ordered for task in tasks):
        return iter((tasks[:full],))
    parts = -(-len(tasks) // full)
    bounds = [len(tasks) * place // parts for place in range(parts + 1)]
    return (tasks[start:end] for start, end in pairwise(bounds))


class InTurn:
    """One after the other, in the thread of the caller, which gets every error."""

    slots = 1

    def launch(self, work: Work) -> "Future[list[Result]]":
        """Runs it now."""
        future = Future[list[Result]]()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)
        return future

    def failed(self, _side: Side, _chain_id: str, _error: RelayerError) -> bool:
        """The caller deals with it."""
        return False

    def succeeded(self, side: Side) -> None:
        """Nothing to note."""

    def rests(self, _side: Side) -> bool:
        """Never: the caller pauses."""
        return False

    def troubles(self) -> list[str]:
        """None: the caller has them."""
        return []

    def wait(self, under_way: "Sequence[Future[Any]]") -> None:
        """Nothing is ever under way."""

    def wait_for(self, chain: ChainEndpoint, height: int) -> None:
        """Waits for the block."""
        chain.wait(height)

    def close(self) -> None:
        """Nothing is under way."""


IN_TURN = InTurn()


def ahead_of(lanes: Lanes) -> Ahead | None:
    """How to run beside the caller what only saves time; None: not at all."""
    return lanes.ahead if isinstance(lanes, LooksAhead) else None


def beside(lanes: Lanes, work: Callable[[], V]) -> Callable[[], V]:
    """Who asks for the result of `work`, which runs beside the caller, or when it is asked for."""
    return lanes.ahead(work).result if isinstance(lanes, LooksAhead) else work


class _Slot:
    """One submission."""

    def __init__(self, side: Side, client: ForeignClient, limits: Limits, run: Beside) -> None:
        self.side = side
        self.metrics = Metrics()  # its own: it may run beside others
        self.submitter = DelayedSubmitter(client, limits, self.metrics, run)
        self.future: Future[list[Result]] | None = None
        self.tasks: Sequence[Task] = ()
        self.height = 0


class _Untold(NamedTuple):
    """What took effect, and the block up to which blocks tell of it.

    0: one that is read from now on; None: all that there are.
    """

    key: TaskKey
    height: int | None


class Ended(NamedTuple):
    """The result of a task, and the last block of the chain it was for, when it was planned."""

    result: Result
    height: int


class Submissions:
    """What is under way to both chains of a link."""

    def __init__(
        self, clients: Sequence[ForeignClient], limits: Limits, metrics: Metrics, lanes: Lanes
    ) -> None:
        """Nothing is, before `submit`. Of what ends, `metrics` are told."""
        self._clients = clients
        self._limits = limits
        self._metrics = metrics
        self._lanes = lanes
        self._ahead = ahead_of(lanes)
        self._read = [0, 0]  # the tips for which updates' headers are asked for, by the side that is updated
        self._beside: Beside = partial(beside, lanes)
        self._slots = [
            _Slot(side, clients[side], limits, self._beside) for side in SIDES for _ in range(lanes.slots)
        ]
        self.held = Held()
        """The tasks under way, and those of which blocks have yet to tell: left out of plans."""
        self._untold: tuple[list[_Untold], list[_Untold]] = [], []
        self.failures = 0
        """Submissions that failed, and were dealt with."""

    def free(self, side: Side) -> int:
        """How many submissions to `side` may begin now."""
        free = sum(slot.side == side and slot.future is None for slot in self._slots)
        return 0 if self._lanes.rests(side) else free

    def under_way(self, side: Side) -> bool:
        """Whether anything is under way to `side`."""
        return any(slot.future is not None for slot in self._slots if slot.side == side)

    def admitted(self, side: Side, tasks: list[Task], full: int) -> list[Task]:
        """Those that need not wait for the end of what is under way.

        A channel is closed after all else. And each submission pays for a client update of its own: beside
        another one only an eighth of `full` messages is worth it, fewer go together later.
        """
        # guard: h190-closed-too-early always test_h190_a_channel_is_closed_after_all_that_is_under_way
        if not self.under_way(side):
            return tasks
        found = [task for task in tasks if task.key.kind is not Kind.CLOSE_CONFIRM]
        return found if len(found) * WORTH >= full else []

    def submit(self, side: Side, tasks: Sequence[Task], height: int, tip: int) -> None:
        """Submits `tasks` to `side`, whose last block is `height`; header `tip` of the other proves them."""
        if self._ahead is not None and tip > self._read[side]:
            self._read[side] = tip
            self._ahead(partial(self._clients[side].read_ahead, tip))
        self._start(side, tasks, height, lambda slot: slot.submitter.submit(tasks, tip))

    @property
    def looks_ahead(self) -> bool:
        """Whether anything runs beside the caller."""
        return self._ahead is not None

    def foresee(self, side: Side, tasks: Sequence[Task], height: int) -> None:
        """Has proofs of `tasks` for `side` fetched beside us: the other chain's, after block `height`."""
        if self._ahead is not None and tasks:
            keys = [key for task in tasks for key in keys_of(task)]
            self._ahead(partial(self._clients[side].prove_ahead, height, keys))

    def refresh(self, side: Side, tip: int) -> None:
        """Updates the client on `side` to header `tip`."""

        def work(slot: _Slot) -> list[Result]:
            slot.submitter.refresh(tip)
            return []

        self._start(side, (), 0, work)

    def ended(self, sides: Container[Side] = SIDES) -> Iterator[Ended]:
        """What has ended of what was for these sides, since the last call.

        Raises:
            RelayerError: one has failed, after all else that ended; `Submitter.submit` says with what.
        """
        failure: BaseException | None = None
        for slot in self._slots:
            if slot.future is None or slot.side not in sides or not slot.future.done():
                continue
            future, slot.future = slot.future, None
            self._metrics.absorb(slot.metrics)
            error = future.exception()
            results = future.result() if error is None else []
            self._let_go(slot, results)
            if error is None:
                self._lanes.succeeded(slot.side)
                yield from (Ended(result, slot.height) for result in results)
            elif not self._is_dealt_with(slot, error):
                failure = failure or error
        if failure is not None:
            raise failure

    def told(self, side: Side, height: int, *, at_tip: bool) -> None:
        """The blocks of `side` up to `height` were read, and tell of what ended in them.

        `at_tip`: that is all of them, so that they tell of what ended wherever.
        """
        left = list[_Untold]()
        for each in self._untold[side]:
            up_to = self._height(side) if each.height == 0 else each.height
            # guard: h239-held-up-to-what-is-claimed always:up_to
            #   test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it
            # guard: h239-let-go-a-block-too-soon {height => height + 1}
            #   test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it
            is_told = at_tip if up_to is None else 0 < up_to <= height
            if is_told:
                self.held.discard(each.key)
            else:
                left.append(_Untold(each.key, up_to))
        self._untold[side][:] = left

    def wait(self, also: "Sequence[Future[Any]]" = (), until: "Sequence[Future[int]]" = ()) -> bool:
        """Waits, if anything is under way, or `also`, until some of it has ended or a while has passed.

        Or one of `until`. Returns whether anything was under way.
        """
        own = [slot.future for slot in self._slots if slot.future is not None]
        if own or also:
            self._lanes.wait([*own, *also, *until])
        return bool(own or also)

    def close(self) -> None:
        """Returns when nothing is under way any more."""
        self._lanes.close()

    def _free(self, side: Side) -> _Slot | None:
        return next((slot for slot in self._slots if slot.side == side and slot.future is None), None)

    def _let_go(self, slot: _Slot, results: Sequence[Result]) -> None:
        """Of what has ended, that which took effect stays held until a block that was read tells of it."""
        effective = {result.task.key for result in results if result.verdict is Verdict.EFFECTIVE}
        height = self._height(slot.side)
        self._untold[slot.side].extend([_Untold(key, height) for key in effective])
        for task in slot.tasks:
            # guard: h189-what-took-effect-is-let-go always
            #   test_h189_what_took_effect_is_not_submitted_again_before_its_block_is_read
            if task.key not in effective:
                self.held.discard(task.key)

    def _height(self, side: Side) -> int | None:
        """Of a block up to which all that has ended is in; 0: none was read; None: it does not tell."""
        host = self._clients[side].host
        return host.highest_block if isinstance(host, WatchesHeight) and host.is_watched else None

    def _start(
        self, side: Side, tasks: Sequence[Task], height: int, work: Callable[[_Slot], list[Result]]
    ) -> None:
        slot = self._free(side)
        if slot is None:
            raise ValueError(f"everything is under way to side {side}")
        slot.tasks, slot.height = tasks, height
        for task in tasks:
            # guard: h189-a-task-twice test_h189_several_submissions_share_no_task
            self.held.add(task.key)
        slot.future = self._lanes.launch(partial(work, slot))

    def _is_dealt_with(self, slot: _Slot, error: BaseException) -> bool:
        # guard: h191-one-for-all always test_h191_a_side_that_fails_holds_up_nothing_that_is_for_the_other
        if not isinstance(error, RelayerError):
            return False
        client = self._clients[slot.side]
        if not self._lanes.failed(slot.side, client.host.chain_id, error):
            return False
        # Anew, since what it knew may be wrong.
        slot.submitter = DelayedSubmitter(client, self._limits, slot.metrics, self._beside)
        self.failures += 1
        return True
