"""The link: relays all given channels and pairs of clients between two chains (ICS-18 `relay`).

A round reads what both chains have committed since the last one, saves it, and brings each chain what
the other's blocks ask for. What was sent is never remembered: the next round reads it in the blocks. So
a relayer may be killed at any instant, and any number may work side by side.
"""

import time
from collections.abc import Callable, Container, Sequence
from pathlib import Path as FilePath
from typing import NamedTuple

from ibc_core.height import Height
from ibc_relayer.backlog import Backlog
from ibc_relayer.batch import Limits
from ibc_relayer.courier import Courier
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from ibc_relayer.holds import Holds
from ibc_relayer.identity import check_path, tended_clients
from ibc_relayer.journal import Journal
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, AnyPath, Side, other
from ibc_relayer.plan import Head, plan
from ibc_relayer.reader import BlockReader
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.work import Kind, Result, Verdict, Work, WorkKey

Heads = tuple[Head, Head]


class Options(NamedTuple):
    """How a link works."""

    limits: Limits = Limits()
    works: int = 1000  # messages a round brings to one chain
    attempts: int = 5  # of a message that fails for itself
    outages: int = 8  # rounds in a row that may fail because a chain does not answer
    pause: Callable[[float], None] = time.sleep  # waits between such rounds, seconds


DEFAULT_OPTIONS = Options()


class Link:
    """Channels and pairs of clients between two chains, and their relayer."""

    def __init__(
        self,
        paths: Sequence[AnyPath],
        a: ChainEndpoint,
        b: ChainEndpoint,
        *,
        journal: FilePath | None = None,
        start: tuple[int, int] | None = None,
        options: Options = DEFAULT_OPTIONS,
        drivers: Drivers = DRIVERS,
    ) -> None:
        """Checks the paths against the chains, and finds where to read on.

        Args:
            paths: channels, and pairs of clients of IBC v2, between `a` and `b` over one client each way.
            a: the chain of the paths' ends `a`.
            b: the chain of the paths' ends `b`.
            journal: SQLite file that survives a kill; None: each start looks the pending packets up.
            start: first blocks to read of a and b; None: where the journal ends, else what `recovery` finds.
            options: limits and patience.
            drivers: the types of clients that are known.

        Raises:
            WrongCounterparty: a client or channel does not belong to the chain it should (hermes#1038).
            ClientUnusable: a client is frozen or expired.
            JournalMismatch: the journal belongs to other paths or chains.
            EndpointUnavailable: a chain does not answer.
        """
        self.metrics = Metrics()
        self._options, self._endpoints = options, (a, b)
        self._clients = tended_clients(paths, self._endpoints, drivers)
        self._due = [client.due_ns() for client in self._clients]
        self._couriers = [Courier(client, options.limits, self.metrics) for client in self._clients]
        self._holds = Holds(options.attempts)
        self._backlog = Backlog(paths)
        self._journal = Journal(journal, paths) if journal is not None else None
        self._reader = BlockReader(self._backlog, self._endpoints, self._journal, self.metrics)
        self._reader.open(paths, start)
        for channel in self._backlog.channels:
            check_path(channel, self._endpoints)

    def close(self) -> None:
        """Closes the journal."""
        if self._journal is not None:
            self._journal.close()

    @property
    def pending(self) -> int:
        """Packets on their way, as far as blocks were read: some may wait for an answer or a timeout."""
        return self._backlog.pending

    def round(self) -> bool:
        """One round; returns whether there may be more to do, now or after the next block.

        Raises:
            EndpointUnavailable: a chain did not answer; another round may go on from here.
            TransactionFailed: a chain refuses a client update, or our account.
            ClientUnusable: a client is frozen or expired.
        """
        self._holds.next_round()
        with self.metrics.part("read"):
            heads = self._reader.read()
        busy = [self._serve(side, heads) for side in SIDES]
        self._report()
        return any(busy) or self._wait_if_needed(heads)

    def until_idle(self, rounds: int = 10_000) -> Metrics:
        """Rounds until nothing is left that could be done now or in the next block; waits for that block.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: a chain did not answer as it should in
                `options.outages` rounds in a row.
            TransactionFailed: a chain refuses a client update, or our account.
            ClientUnusable: a client is frozen or expired.
        """
        outages = 0
        for _ in range(rounds):
            try:
                if not self.round():
                    break
                outages = 0
            except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
                outages += 1
                if outages >= self._options.outages:
                    raise
                self._options.pause(0.1 * 2**outages)
        return self.metrics.copy()

    def _serve(self, side: Side, heads: Heads) -> bool:
        """Brings one chain its messages; returns whether there were any."""
        tip = heads[other(side)].height.revision_height
        works = self._plan(side, heads, self._holds)
        if works:
            for result in self._couriers[side].deliver(works, tip):
                self._learn(result)
        elif heads[side].time_ns >= self._due[side]:
            self._refresh(side, heads[side].time_ns, tip)
        return bool(works)

    def _plan(self, side: Side, heads: Heads, held: Container[WorkKey]) -> list[Work]:
        with self.metrics.part("plan"):
            return plan(self._backlog, heads, side, held, self._options.works)

    def _refresh(self, side: Side, now_ns: int, tip: int) -> None:
        """Keeps an idle client alive; another relayer may have done so since we looked."""
        if now_ns >= self._clients[side].due_ns():
            self._couriers[side].refresh(tip)
        self._due[side] = self._clients[side].due_ns()

    def _learn(self, result: Result) -> None:
        key = result.work.key
        sender = other(key.target) if key.kind == Kind.RECV else key.target
        lane = self._backlog.channels[key.channel].lane(sender)
        match result.verdict:
            case Verdict.FAILED:
                self._holds.failed(result)
            case Verdict.RECEIVED:
                lane.mark_received(key.sequence)
            case Verdict.GONE:
                lane.drop(key.sequence)
            case Verdict.EFFECTIVE | Verdict.SKIPPED:
                pass  # the chain's blocks will tell

    def _wait_if_needed(self, heads: Heads) -> bool:
        """Waits for a next block if it lets us go on; packets given up do not count."""
        later = tuple(head._replace(height=_next(head.height)) for head in heads)
        waiting = [side for side in SIDES if self._plan(side, (later[0], later[1]), self._holds.given_up)]
        for side in waiting:
            self._endpoints[other(side)].wait(later[other(side)].height.revision_height)
        return bool(waiting)

    def _report(self) -> None:
        self.metrics.unreadable = self._backlog.unreadable
        self.metrics.given_up = {
            f"{key.kind.value} {key.sequence} of channel {key.channel} on {'ab'[key.target]}": reason
            for key, reason in self._holds.given_up.items()
        }


def _next(height: Height) -> Height:
    return Height(height.revision_number, height.revision_height + 1)


def relay(
    path: AnyPath,
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    journal: FilePath | None = None,
    options: Options = DEFAULT_OPTIONS,
    drivers: Drivers = DRIVERS,
) -> Metrics:
    """Relays one path until nothing is left to do, and says what was done; arguments as `Link`."""
    link = Link([path], a, b, journal=journal, options=options, drivers=drivers)
    try:
        return link.until_idle()
    finally:
        link.close()
