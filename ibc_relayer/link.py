"""The link: relays all given channels and pairs of clients between two chains (ICS-18 `relay`).

A round reads what both chains have committed since the last one, saves it, and submits to each chain what
the other's blocks require. What was submitted is not remembered: the next round reads its result from the
blocks. So a relayer may be killed at any instant, and any number may serve the same paths.
"""

import time
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path as FilePath
from typing import NamedTuple

from ibc_core.height import Height
from ibc_relayer.backlog import Backlog
from ibc_relayer.backoff import Backoff, packet_of
from ibc_relayer.batch import Limits
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from ibc_relayer.holding import Holding
from ibc_relayer.identity import check_path, foreign_clients
from ibc_relayer.journal import Journal
from ibc_relayer.lanes import IN_TURN, Lanes, Submissions, ahead_of, evenly
from ibc_relayer.link_watch import LinkWatch, Tell
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import SIDES, AnyPath, Side, other
from ibc_relayer.plan import Head, plan
from ibc_relayer.policy import RELAY_ALL, Policy
from ibc_relayer.reader import BlockReader
from ibc_relayer.task import Held, Kind, Result, Task, TaskKey, Verdict, union
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.truth import Intervals, Truth
from ibc_relayer.waiting import HeldMessage, Waiting, waiting_in

Heads = tuple[Head, Head]


class Options(NamedTuple):
    """How a link works."""

    limits: Limits = Limits()
    messages_per_round: int = 1000  # submitted to one chain
    attempts: int = 5  # of a message that fails by itself
    outages: int = 8  # consecutive rounds that may fail because a chain does not answer
    sleep: Callable[[float], None] = time.sleep  # between such rounds, seconds
    reconcile_every: int = 100  # blocks of both chains: what they told is then compared with their states
    search_blocks: int = 50  # of each chain, read again in a round for what they did not tell
    history: int = 1_000  # blocks of each chain read at the start where its state cannot be asked for
    policy: Policy = RELAY_ALL  # which packets are delivered
    lanes: Lanes = IN_TURN  # how submissions run; one link's own, unless in turn
    watch: Tell | None = None  # takes what a watch over the light clients finds; None: there is none


DEFAULT_OPTIONS = Options()

_BY_EVENT = frozenset({Kind.RECV, Kind.ACKNOWLEDGE})
"""What a block's event asks for; timeouts come with time."""


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
        """Checks the paths against both chains, and finds the blocks to start from.

        Args:
            paths: channels, and pairs of clients of IBC v2, between `a` and `b` over one client each way.
            a: the chain of the paths' ends `a`.
            b: the chain of the paths' ends `b`.
            journal: SQLite file that keeps the backlog; None: each start queries pending packets.
            start: first blocks to read of a and b; None: after the journal, else a few below the tips.
            options: limits and retries.
            drivers: the supported client types.

        Raises:
            WrongCounterparty: a client or channel does not lead to the expected chain (hermes#1038).
            ClientUnusable: a client is frozen or expired.
            JournalMismatch, JournalUnavailable: the file is no journal, or cannot be used now.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
        """
        self.metrics, self._options, self._endpoints = Metrics(), options, (a, b)
        self._clients = foreign_clients(paths, self._endpoints, drivers)
        self._submissions = Submissions(self._clients, options.limits, self.metrics, options.lanes)
        self._backoff, self._reported = Backoff(options.attempts), 0  # changes of what was given up
        self._backlog = Backlog(paths)
        self._holding = Holding(options.policy, self._backlog, self._endpoints)
        self._truth = self._comparing()
        self._journal = Journal(journal, paths) if journal is not None else None
        self._watch = self._watching(drivers)
        self._reader = self._reading()
        self._begin(start)

    def _comparing(self) -> Truth:
        options, ends = self._options, self._endpoints
        intervals = Intervals(options.reconcile_every, options.search_blocks)
        return Truth(self._backlog, ends, self.metrics, intervals, ahead_of(options.lanes))

    def _reading(self) -> BlockReader:
        also = None if self._watch is None else self._watch.observe
        ahead = ahead_of(self._options.lanes)
        # guard: clients-of-attestors-do-not-wait-for-the-block drop:needs_headers_alone
        #   test_a_client_that_needs_more_than_headers_waits_for_the_block
        signed = [side for side in SIDES if self._clients[other(side)].needs_headers_alone]
        return BlockReader(self._backlog, self._endpoints, self._journal, self.metrics, also, ahead, signed)

    def _watching(self, drivers: Drivers) -> LinkWatch | None:
        lanes, tell = self._options.lanes, self._options.watch
        return None if tell is None else LinkWatch(self._clients, self.metrics, lanes, tell, drivers)

    def _begin(self, start: tuple[int, int] | None) -> None:
        self._due = [client.due_ns() for client in self._clients]
        self._foreseen = [0, 0]  # heights of the last blocks whose proofs were asked for ahead, by target
        if self._reader.open(start) and not self._truth.begin(self._reader.cursors):
            self._reader.start_over(self._options.history)
        for channel in self._backlog.channels:
            check_path(channel, self._clients)

    def close(self) -> None:
        """Waits for what is under way, and closes the journal."""
        self._submissions.close()
        if self._journal is not None:
            self._journal.close()

    @property
    def pending(self) -> int:
        """Number of pending packets in the blocks read; some may wait for an acknowledgement or timeout."""
        return self._backlog.pending

    def waiting(self) -> list[Waiting]:
        """What is pending by path and direction, in the blocks read."""
        return waiting_in(self._backlog)

    def held(self, told: Iterable[HeldMessage] = ()) -> list[HeldMessage]:
        """What is held back, and why; with what another process has `told` of and is still to be done."""
        return self._holding.listed(told)

    def troubles(self) -> list[str]:
        """What keeps one direction from being relayed, while the other is."""
        return self._options.lanes.troubles()

    def planned(self) -> list[Task]:
        """What a round would submit now to either chain; reads both chains, and submits nothing.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: a chain does not answer as it should.
        """
        heads = self._reader.read()
        failure = self._reconcile() if self._truth.is_due() else None
        while self._truth.search(self._reader.cursors):
            self._submissions.wait(self._truth.reading)
        if failure is not None:
            raise failure
        held, limit = self._backoff.held, self._options.messages_per_round
        return [task for side in SIDES for task in self._plan(side, heads, held, limit)]

    def round(self) -> bool:
        """One round; returns whether there may be more to do, now or after the next block.

        Raises:
            EndpointUnavailable: a chain did not answer; another round may continue.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        self._backoff.next_round()
        try:
            return self._round()
        except RelayerError:
            self._truth.doubt()
            raise
        finally:
            self._report()

    def _round(self) -> bool:
        self._settle()
        with self.metrics.part("read"):
            heads = self._reader.read()
        for side in SIDES:
            at_tip = self._reader.is_at_tip(side)
            self._submissions.told(side, self._reader.cursors[side].height, at_tip=at_tip)
        if self._watch is not None:
            self._watch.run()
        failure = self._reconcile() if self._truth.is_due() else None
        busy = [self._relay_to(side, heads) for side in SIDES]
        if failure is not None:
            raise failure
        searching = self._truth.search(self._reader.cursors)
        self._reader.save()
        if self._submissions.wait([*self._reader.reading, *self._truth.reading], self._reader.watches):
            return True
        if any(busy) or self._wait_if_needed(heads) or searching:
            return True
        return self._truth.is_due(idle=True) and self._look_again()

    def _reconcile(self) -> RelayerError | None:
        """Compares the backlog with state; returns why it failed, which need not keep from what is known.

        Raises:
            EndpointUnavailable, MalformedAnswer: it has never succeeded yet.
        """
        was_known = self._truth.is_known
        try:
            found = self._truth.check()
            if self._truth.is_asking:
                return None
            if found:
                self._truth.search(self._reader.cursors)  # most are near: they go with those that are known
        except RelayerError as error:
            if not was_known:
                raise
            return error
        if found is not None:
            self._backoff.forgive(found)
        elif not was_known and not self._reader.started_over:  # without their states, their blocks tell
            self._reader.start_over(self._options.history)
            self._reader.read()
        self._reader.started_over = False
        return None

    def _look_again(self) -> bool:
        """Compares an idle link's backlog with state; returns whether that gives it something to do."""
        corrected = self.metrics.corrected
        failure = self._reconcile()
        if failure is not None:
            raise failure
        self._reader.save()
        return self.metrics.corrected > corrected

    def until_idle(self, rounds: int = 10_000) -> Metrics:
        """Runs rounds until nothing is left to do now or after the next block; waits for that block.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: no answer, or a wrong one, in
                `options.outages` consecutive rounds.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        outages = 0
        for _ in range(rounds):
            try:
                if not self.round() and not (self._truth.is_doubtful and self._look_again()):
                    break
                outages = 0
            except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
                outages += 1
                if outages >= self._options.outages:
                    raise
                self._options.sleep(0.1 * 2**outages)
        return self.metrics.copy()

    def _relay_to(self, side: Side, heads: Heads) -> bool:
        """Submits one chain's messages, as far as there is room; returns whether there were any."""
        room, busy, now_ns = self._submissions.free(side), False, heads[side].time_ns
        height, tip = heads[side].height.revision_height, heads[other(side)].height.revision_height
        full = self._options.messages_per_round
        while free := self._submissions.free(side):
            self._holding.release(side, height)
            tasks = self._plan(side, heads, union(self._backoff.held, self._submissions.held), free * full)
            tasks = self._submissions.admitted(side, tasks, full)
            if not tasks:
                break
            for part in evenly(tasks, full):
                self._submissions.submit(side, part, height, tip)
            busy = True
        if room and not busy and now_ns >= self._due[side] and not self._submissions.under_way(side):
            self._refresh(side, now_ns, tip)
        self._foresee(side, heads)
        self._settle((side,))  # of the other one the blocks that were read may not tell yet
        return busy

    def _foresee(self, side: Side, heads: Heads) -> None:
        """Has proofs fetched of what the other chain's last block has for `side`, before its next header."""
        prover, free = other(side), self._submissions.free(side)
        height = heads[prover].height.revision_height
        is_read = self._reader.cursors[prover].height == height != self._foreseen[side]
        if not (is_read and free and self._submissions.looks_ahead):
            return
        self._foreseen[side] = height
        later = list(heads)
        later[prover] = heads[prover]._replace(height=_next(heads[prover].height))
        excluded = union(self._backoff.held, self._submissions.held)
        tasks = self._plan(side, (later[0], later[1]), excluded, free * self._options.messages_per_round)
        self._submissions.foresee(side, [task for task in tasks if self._is_of(task, height)], height)

    def _is_of(self, task: Task, height: int) -> bool:
        """Whether the event of block `height` asks for it, and none before."""
        sent = self._backlog.channels[task.key.channel].sent_from(packet_of(task.key)[1])
        return task.key.kind in _BY_EVENT and sent.packets[task.key.sequence].height == height

    def _settle(self, sides: Container[Side] = SIDES) -> None:
        """Takes the results of what was submitted and has ended."""
        failures = self._submissions.failures
        for result, height in self._submissions.ended(sides):
            self._apply(result, height)
        if self._submissions.failures > failures:
            self._truth.doubt()

    def _plan(self, side: Side, heads: Heads, excluded: Held, limit: int) -> list[Task]:
        with self.metrics.part("plan"):
            while True:
                allowed = self._holding.besides(excluded)
                tasks = plan(self._backlog, heads, side, allowed, limit)
                if not self._holding.judge(tasks):
                    return tasks

    def _refresh(self, side: Side, now_ns: int, tip: int) -> None:
        """Keeps an idle client alive; another relayer may have done so since we looked."""
        self._due[side] = self._clients[side].due_ns()
        if now_ns >= self._due[side]:
            self._submissions.refresh(side, tip)  # that is looked at again in the next round

    def _apply(self, result: Result, height: int) -> None:
        """`height`: of the last block of the chain that the message was for, when it was planned."""
        key = result.task.key
        sent = self._backlog.channels[key.channel].sent_from(packet_of(key)[1])
        match result.verdict:
            case Verdict.FAILED:
                self._backoff.failed(result)
                self._truth.doubt()
            case Verdict.TOO_DEAR:
                self._holding.too_dear(result, height)
                return
            case Verdict.RECEIVED:
                sent.mark_received(key.sequence)
            case Verdict.GONE:
                sent.drop(key.sequence)
            case Verdict.SKIPPED:
                return
            case Verdict.EFFECTIVE:
                pass  # the result is read from the chain's blocks
        self._holding.settled(key)

    def _wait_if_needed(self, heads: Heads) -> bool:
        """Waits for the next block if it allows progress; tasks given up do not count."""
        later = tuple(head._replace(height=_next(head.height)) for head in heads)
        waiting = [side for side in SIDES if self._plan(side, (later[0], later[1]), self._backoff.lost, 1)]
        watches = self._reader.watches
        if waiting and watches:
            self._options.lanes.wait(watches)
            return True
        for side in waiting:
            height = later[other(side)].height.revision_height
            self._options.lanes.wait_for(self._endpoints[other(side)], height)
        return bool(waiting)

    def _report(self) -> None:
        self.metrics.unreadable = self._backlog.unreadable
        held = self._holding.reasons()
        if held or self.metrics.held:
            self._tell_held({_words(key): reason for key, reason in held.items()})
        if self._reported == self._backoff.changes:
            return
        self._reported = self._backoff.changes
        self.metrics.given_up = {_words(key): reason for key, reason in self._backoff.given_up.items()}

    def _tell_held(self, held: dict[str, str]) -> None:
        if held != self.metrics.held and self._journal is not None:
            self.metrics.unsaved += not self._journal.save_held(self._holding.listed())
        self.metrics.held = held


def _words(key: TaskKey) -> str:
    return f"{key.kind.value} {key.sequence} of channel {key.channel} on {'ab'[key.target]}"


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
    """Relays one path until nothing is left to do; returns what was done. Arguments as for `Link`."""
    link = Link([path], a, b, journal=journal, options=options, drivers=drivers)
    try:
        return link.until_idle()
    finally:
        link.close()
