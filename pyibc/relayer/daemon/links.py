"""Links of configured paths. Nothing is created on a chain: a path that does not exist is an error."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

from msgspec import structs

from pyibc.core.channel.types import Order
from pyibc.queues.types import End
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.config.model import FilterConfig, PathConfig, RuleConfig
from pyibc.relayer.daemon.chains import SharedChain
from pyibc.relayer.daemon.threads import PairThreads, Threads, pause, running_stop, stopping_at
from pyibc.relayer.errors import NoPath, RelayerError
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import DEFAULT_OPTIONS, Options
from pyibc.relayer.links.submissions import SubmissionRunner
from pyibc.relayer.packets.policy import Policy, Rule
from pyibc.relayer.paths.discovery import find_channel, find_client_path
from pyibc.relayer.paths.path import AnyPath, Side
from pyibc.relayer.paths.path import Path as ChannelPath
from pyibc.relayer.queue.link import Options as QueueOptions
from pyibc.relayer.queue.link import QueueLink
from pyibc.relayer.queue.path import find_queue_path

# -- submissions in threads: both directions of a link, and several to one chain, are in flight at once
#
# The link itself stays in its worker's thread, where it reads, plans and applies results. A side whose
# submissions fail pauses, longer after each failure, while the other side goes on.

log = logging.getLogger("pyibc.relayer")

V = TypeVar("V")

SLOTS = 16
"""Maximum number of submissions in flight to one chain."""
SETTLED_S = 60.0
"""Seconds after a pause until its error is over: what still had to be sent would have failed again."""
TICK_S = 0.2
"""Maximum time between two reads of the chains' heights, in seconds."""
FIRST_S, LONGEST_S = 0.5, 60.0
"""First and longest pause of a side after failures, in seconds; doubled after each failure."""


class ThreadRunner(SubmissionRunner):
    """Runner and executor of one link of a daemon."""

    slots = SLOTS

    def __init__(
        self, name: str, clock: Callable[[], float] = monotonic, threads: PairThreads | None = None
    ) -> None:
        """Create a runner.

        Args:
            name: path name in logs.
            clock: returns seconds.
            threads: of all links between the same chains; None: of this one alone.
        """
        self.executor = self
        self._name = name
        self._clock = clock
        self._threads = threads or PairThreads()
        self._lock = Lock()  # submissions start optional work as well
        self._futures = list[Future[Any]]()
        self._failures = [0, 0]
        self._until_s = [0.0, 0.0]
        self._reasons = ["", ""]

    def launch(self, work: Callable[[], V]) -> "Future[V]":
        """Run `work` in a thread, where pauses end when the caller's worker is stopped."""
        return self._run(self._threads.submitting, work)

    def submit(self, work: Callable[[], V], /) -> "Future[V]":
        """Run optional work in a thread (`pyibc.relayer.links.executor.Executor`)."""
        return self._run(self._threads.asking, work)

    def _run(self, threads: Threads, work: Callable[[], V]) -> "Future[V]":
        stop = running_stop()

        def stoppable() -> V:
            with stopping_at(stop):
                return work()

        future = threads.submit(stoppable)
        with self._lock:
            self._futures = [*(each for each in self._futures if not each.done()), future]
        return future

    def failed(self, side: Side, chain_id: str, error: RelayerError) -> bool:
        """Pause the side and log the error; return True, since the round can go on."""
        pause_s = min(LONGEST_S, FIRST_S * 2.0 ** min(self._failures[side], 16))
        self._failures[side] += 1
        self._until_s[side] = self._clock() + pause_s
        self._reasons[side] = f"to {chain_id}: {error}"
        facts = {"path": self._name, "to": chain_id, "error": type(error).__name__, "reason": str(error)}
        log.warning("failed", extra={**facts, "pause_s": pause_s})
        return True

    def succeeded(self, side: Side) -> None:
        """End the pause of the side."""
        self._failures[side], self._until_s[side], self._reasons[side] = 0, 0.0, ""

    def is_paused(self, side: Side) -> bool:
        """Return whether the side's pause has not ended."""
        return self._clock() < self._until_s[side]

    def problems(self) -> list[str]:
        """Return the last error of each side that is paused, or whose submissions have not succeeded since.

        An error is over, too, if nothing is sent for a while after the pause: another relayer has sent it, or
        the answer to a broadcast was lost, and the transaction succeeded.
        """
        # guard: a-trouble-that-never-ends {=> busy = True}
        #   test_the_error_of_a_broadcast_whose_answer_was_lost_ends
        busy = any(not each.done() for each in self._futures)
        settled = [not busy and self._clock() >= until_s + SETTLED_S for until_s in self._until_s]
        return [
            reason for reason, is_over in zip(self._reasons, settled, strict=True) if reason and not is_over
        ]

    def wait(self, futures: "Sequence[Future[Any]]") -> None:
        """Wait until one of `futures` is done, at most `TICK_S`."""
        wait(futures, TICK_S, FIRST_COMPLETED)
        pause(0)

    def wait_for(self, _chain: ChainEndpoint, _height: int) -> None:
        """Wait `TICK_S`: submissions in flight may end before the block is committed."""
        pause(TICK_S)

    def close(self) -> None:
        """Cancel what has not begun, and wait for what runs.

        That ends with a transaction's block, a deadline, or the worker's stop.
        """
        # guard: what-waits-for-a-thread-is-begun-after-the-end {not future.cancel() => True}
        #   test_what_waits_for_a_thread_is_not_begun_at_the_end
        wait([future for future in self._futures if not future.cancel()])


MESSAGES = 200
"""Messages of one submission if several may be in flight: one transaction, so that none waits for another."""


SERIOUS = frozenset(
    {"misbehaviour", "frozen", "not frozen", "reported to provider", "not reported to provider"}
)
"""Events of a watch that need an operator at once."""
ROUTINE = frozenset({"client upgraded", "client refreshed"})
"""Events that need nobody."""


# -- links of configured paths


def open_for_daemon(
    path: PathConfig,
    a: SharedChain,
    b: SharedChain,
    journal: Path,
    drivers: Drivers,
    channels: Sequence[ChannelPath] = (),
    *,
    watch: bool = True,
) -> Link | QueueLink:
    """Open a link like `open_link`, with concurrent directions and several submissions to each chain.

    It does not read blocks that concern other links. One of the links between two chains watches over their
    clients.

    `watch`: watch the light clients on both chains (`pyibc.relayer.links.client_watch`).
    """
    report = partial(_report, path.label) if watch else None
    first, second = sorted((a, b), key=lambda chain: chain.chain_id)
    runner = ThreadRunner(path.label, threads=first.threads_with(second.chain_id))
    options = Options(
        messages_per_round=MESSAGES,
        limits=BatchLimits(messages=MESSAGES),
        runner=runner,
        watch=report,
        refreshes=partial(_report, path.label),
        leads=partial(first.leads, ("headers", second.chain_id), path.label),
        feeds=(a.feed, b.feed),
    )
    return open_link(path, a, b, journal, drivers, options, channels)


def _report(path: str, event: str, facts: Mapping[str, object]) -> None:
    level = logging.CRITICAL if event in SERIOUS else logging.WARNING
    log.log(logging.INFO if event in ROUTINE else level, event, extra={"path": path, **facts})


def open_link(
    path: PathConfig,
    a: ChainEndpoint,
    b: ChainEndpoint,
    journal: Path,
    drivers: Drivers = DRIVERS,
    options: Options = DEFAULT_OPTIONS,
    channels: Sequence[ChannelPath] = (),
) -> Link | QueueLink:
    """Return the link of `path`, checked against both chains, with the path's policy.

    `channels`: those that were found for a path with patterns, over one pair of clients.

    Raises:
        IbcError: as for `Link`; or a path does not exist, or differs from the policy for paths.
    """
    accept = frozenset(path.accept)
    if path.protocol == "queue":
        ends = path.queue_ends or [(End(a.chain_id), End(b.chain_id))]
        queues = [find_queue_path(a, b, each, drivers=drivers, accept=accept) for each in ends]
        return QueueLink(
            queues, a, b, QueueOptions(runner=options.runner, refreshes=options.refreshes), drivers
        )
    found: list[AnyPath]
    if path.protocol == "v2":
        found = [find_client_path(a, b, path.client, drivers=drivers, accept=accept)]
    else:
        named = dict.fromkeys(path.channels)
        found = [
            *(
                channels
                or [find_channel(a, b, path.port, each, drivers=drivers, accept=accept) for each in named]
            )
        ]
    _check_excluded(path, found, are_all=not channels)
    policy = policy_of(path.filter)._replace(only=options.policy.only, excluded=path.excluded)
    options = options._replace(policy=policy, sleep=pause)
    return Link(found, a, b, journal=journal, options=options, drivers=drivers)


def _check_excluded(path: PathConfig, found: Iterable[AnyPath], *, are_all: bool) -> None:
    """Log which ordered channels excluded sequences block.

    Raises:
        NoPath: excluded sequences are of no end, though the paths `are_all`: they would be relayed.
    """
    ends = {(end.chain_id, end.name[-1]): each.order for each in found for end in (each.a, each.b)}
    for (chain_id, name), sequences in path.excluded.items():
        order = ends.get((chain_id, name))
        if order is None and are_all:
            raise NoPath(f"channel {name} on {chain_id} for exclude_sequences", (), 0)
        if order == Order.ORDERED and sequences:
            facts = {"path": path.label, "chain": chain_id, "channel": name, "sequence": min(sequences)}
            log.warning("exclude_sequences block later packets of an ordered channel", extra=facts)


def policy_of(given: FilterConfig) -> Policy:
    """Return the policy of a configured filter, whose fields have the same names."""
    fields: dict[str, Any] = structs.asdict(given)
    rules = {name: each for name, each in fields.items() if isinstance(each, RuleConfig)}
    return Policy(**fields | {name: Rule(each.allow, each.deny) for name, each in rules.items()})
