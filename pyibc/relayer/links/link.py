"""Link between two chains: relays all given channels and pairs of clients (ICS-18 `relay`).

A round reads the blocks that both chains have committed since the last round, saves the resulting backlog,
and submits to each chain the messages that the other chain's blocks require. Submitted messages are not
remembered: the next round reads their results from the blocks. So a relayer may be killed at any instant,
and any number of relayers may serve the same paths.
"""

from collections.abc import Container, Iterable, Sequence, Set
from itertools import islice
from pathlib import Path as FilePath
from zlib import crc32

from pyibc.relayer.blocks.feed import Rest
from pyibc.relayer.blocks.reader import BlockReader
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from pyibc.relayer.links.backoff import Backoff
from pyibc.relayer.links.client_watch import ClientRefresh, ClientWatch, expiries_of
from pyibc.relayer.links.deferred_messages import DeferredMessages
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.links.options import DEFAULT_OPTIONS, Options
from pyibc.relayer.links.reconciler import Intervals, Reconciler, rest_of
from pyibc.relayer.links.submissions import Submissions, split_evenly
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.backlog import Backlog, DeferredMessage, PendingCount, pending_counts, pending_from
from pyibc.relayer.packets.plan import Head, plan
from pyibc.relayer.packets.task import Result, Task, TaskSet, Verdict, union
from pyibc.relayer.paths.audit import check_path, foreign_clients
from pyibc.relayer.paths.path import SIDES, AnyPath, Side, other

Heads = tuple[Head, Head]


class Link:
    """Channels and pairs of clients between two chains, and the relayer of their packets."""

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
        """Check the paths against both chains, and determine the blocks to start from.

        Args:
            paths: channels, and pairs of clients (IBC v2), of `a` and `b` over one client on each chain.
            a: the chain of the paths' ends `a`.
            b: the chain of the paths' ends `b`.
            journal: SQLite file that stores the backlog; None: each start queries pending packets.
            start: first blocks of a and b to read; None: from the journal, else a few blocks below the tips.
            options: limits, retries, policy.
            drivers: the supported client types.

        Raises:
            WrongCounterparty: a client or channel does not lead to the expected chain (hermes#1038).
            ClientUnusable: a client is frozen or expired.
            JournalMismatch, JournalUnavailable: the file is not a journal, or cannot be used now.
            EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
        """
        self.metrics, self._options, self._endpoints = Metrics(), options, (a, b)
        self._clients = foreign_clients(paths, self._endpoints, drivers)
        self._submissions = Submissions(self._clients, options.limits, self.metrics, options.runner)
        self._backoff = Backoff(options.attempts, options.clock)
        self._backlog = Backlog(paths)
        self._deferred = DeferredMessages(options.policy, self._backlog, self._endpoints)
        self._reconciler = self._make_reconciler()
        self._journal = Journal(journal, paths) if journal is not None else None
        by, watch = (self._clients, self.metrics, options.runner), options.watch
        self._watch = None if watch is None else ClientWatch(*by, watch, drivers, options.leads)
        self._reader = self._make_reader()
        self._begin(start)

    def _make_reconciler(self) -> Reconciler:
        options, ends = self._options, self._endpoints
        spread = crc32(repr(self._backlog.names(0)).encode())
        intervals = Intervals(options.reconcile_every, options.search_blocks, spread)
        return Reconciler(self._backlog, ends, self.metrics, intervals, options.runner.executor)

    def _make_reader(self) -> BlockReader:
        also = None if self._watch is None else self._watch.observe
        executor = self._options.runner.executor
        # guard: clients-of-attestors-do-not-wait-for-the-block drop:needs_only_headers
        #   test_a_client_that_needs_more_than_headers_waits_for_the_block
        signed = [side for side in SIDES if self._clients[other(side)].needs_only_headers]
        backlog, journal, feeds = self._backlog, self._journal, self._options.feeds
        return BlockReader(backlog, self._endpoints, journal, self.metrics, also, executor, signed, feeds)

    def _begin(self, start: tuple[int, int] | None) -> None:
        given = self._options
        self._refreshes = [ClientRefresh(each, given.refreshes, given.clock) for each in self._clients]
        self.metrics.expiries = expiries_of(self._refreshes)  # before the first round
        self._prefetched = [0, 0]  # heights of the last blocks whose proofs were prefetched, by target
        if self._reader.open(start) and not self._reconciler.begin(self._reader.cursors):
            self._reader.start_over(self._options.history)
        for channel in self._backlog.channels:
            check_path(channel, self._clients)

    def close(self) -> None:
        """Wait for the submissions in flight, save the backlog, and close the journal."""
        self._submissions.close()
        if self._journal is not None:
            try:
                self._reader.save()
            finally:
                self._journal.close()

    @property
    def pending(self) -> int:
        """Number of pending packets in the blocks read; some may wait for an acknowledgement or timeout."""
        return self._backlog.pending

    def pending_counts(self) -> list[PendingCount]:
        """Return the pending packets in the blocks read, counted by path and direction."""
        return pending_counts(self._backlog)

    def pending_from(self, chain_id: str, name: str) -> Set[int] | None:
        """Return the sequences of pending packets from a channel or client; None: it is not of this link."""
        return pending_from(self._backlog, chain_id, name)

    def deferred(self, reported: Iterable[DeferredMessage] = ()) -> list[DeferredMessage]:
        """Return deferred messages, and those `reported` by another process that are still pending."""
        return self._deferred.listed(reported)

    def problems(self) -> list[str]:
        """Return the errors that keep one direction from being relayed while the other is relayed."""
        return self._options.runner.problems()

    def rest(self) -> tuple[Rest, Rest] | None:
        """Return what an idle link waits for on both chains; None: it may have something to do."""
        if self._options.feeds is None or not self._is_idle():
            return None
        self._reader.heights.stop_waiting()
        return rest_of(self._reader, self._reconciler, self._watch, self._refreshes)

    def _is_idle(self) -> bool:
        """Return whether nothing is pending, in flight, suspected or wrong."""
        return (
            not self._backlog.pending
            and not self._reader.reading
            and self._reconciler.is_settled
            and self._submissions.is_settled
            and self._backoff.is_empty
            and not self.problems()
            and (self._watch is None or self._watch.is_idle)
        )

    def planned(self) -> list[Task]:
        """Return the messages that a round would submit now to either chain; submit nothing.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: a chain does not answer, refuses, or
                sends a malformed answer.
        """
        heads = self._reader.read()
        failure = self._reconcile() if self._reconciler.is_due() else None
        while self._reconciler.search(self._reader.cursors):
            self._submissions.wait(self._reconciler.reading)
        if failure is not None:
            raise failure
        excluded, limit = self._backoff.excluded, self._options.messages_per_round
        return [task for side in SIDES for task in self._plan(side, heads, excluded, limit)]

    def round(self) -> bool:
        """Run one round; return whether there may be more to do, now or after the next block.

        Raises:
            EndpointUnavailable: a chain did not answer; a later round may succeed.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        self._backoff.keep(self._backlog.is_due)
        self._backoff.next_round()
        try:
            return self._round()
        except RelayerError:
            self._reconciler.suspect()
            raise
        finally:
            self.metrics.unreadable = self._backlog.unreadable
            self._deferred.report(self.metrics, self._journal)
            self._backoff.report(self.metrics)
            self.metrics.expiries = expiries_of(self._refreshes)

    def _round(self) -> bool:
        self._collect()
        with self.metrics.part("read"):
            heads = self._reader.read()
        for side in SIDES:
            at_tip = self._reader.is_at_tip(side)
            self._submissions.mark_read(side, self._reader.cursors[side].height, at_tip=at_tip)
        if self._watch is not None:
            for side in SIDES:
                self._watch.reach(side, self._reader.cursors[side].height)
            self._watch.run()
            self._reader.reads_updates = self._watch.checks_headers
        failure = self._reconcile() if self._reconciler.is_due() else None
        busy = [self._relay_to(side, heads) for side in SIDES]
        if any(busy):
            self._reconciler.relays()
        if failure is not None:
            raise failure
        searching = self._reconciler.search(self._reader.cursors)
        self._reader.save_changes()
        if self._submissions.wait(
            [*self._reader.reading, *self._reconciler.reading], self._reader.heights.changes
        ):
            return True
        if any(busy) or self._wait_if_needed(heads) or searching:
            return True
        return self._reconciler.is_due(idle=True) and self._check_idle()

    def _reconcile(self) -> RelayerError | None:
        """Compare the backlog with state; return the error if that failed, as known packets can be relayed.

        Raises:
            EndpointUnavailable, MalformedAnswer: no comparison has succeeded yet.
        """
        was_known = self._reconciler.is_known
        try:
            found = self._reconciler.check()
            if self._reconciler.is_querying:
                return None
            if found:
                self._reconciler.search(self._reader.cursors)  # most are in recent blocks: for this round
        except RelayerError as error:
            if not was_known:
                raise
            return error
        if found is not None:
            self._backoff.forgive(found)
        elif not was_known and not self._reader.started_over:  # no state to query: read more blocks instead
            self._reader.start_over(self._options.history)
            self._reader.read()
        self._reader.started_over = False
        return None

    def _check_idle(self) -> bool:
        """Compare an idle link's backlog with state; return whether that gives it something to do."""
        corrected = self.metrics.corrected
        failure = self._reconcile()
        if failure is not None:
            raise failure
        self._reader.save_changes()
        return self.metrics.corrected > corrected

    def until_idle(self, rounds: int = 10_000) -> Metrics:
        """Run rounds until nothing is left to do now or after the next block, waiting for that block.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: a chain did not answer, refused, or sent a
                malformed answer in `options.outages` consecutive rounds.
            TransactionFailed: a chain refuses a client update, or the account cannot pay.
            ClientUnusable: a client is frozen or expired.
        """
        outages = 0
        for _ in range(rounds):
            try:
                pause_s = self._until_retry_s()
                if pause_s is None:
                    break
                if pause_s:
                    self._options.sleep(pause_s)
                outages = 0
            except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
                outages += 1
                if outages >= self._options.outages:
                    raise
                self._options.sleep(0.1 * 2**outages)
        return self.metrics.copy()

    def _until_retry_s(self) -> float | None:
        """Run a round; return the pause before the next one, seconds. None: nothing is left to do."""
        if self.round() or (self._reconciler.is_suspect and self._check_idle()):
            return 0.0
        pause_s = self._backoff.next_retry_s()
        # guard: a-run-waits-for-hours drop test_a_run_does_not_wait_for_a_retry_of_what_was_paid
        if pause_s is not None and pause_s > self._options.retry_wait_s:
            return None
        return pause_s

    def _relay_to(self, side: Side, heads: Heads) -> bool:
        """Submit the messages for one chain as far as there are free slots; return whether there were any."""
        room, busy, now_ns = self._submissions.free_slots(side), False, heads[side].time_ns
        times_ns = now_ns, heads[other(side)].time_ns
        height, tip = heads[side].height.revision_height, heads[other(side)].height.revision_height
        full = self._options.messages_per_round
        while free := self._submissions.free_slots(side):
            self._deferred.unprofitable.release(side, height)
            excluded = union(self._backoff.excluded, self._submissions.excluded)
            new, failed = self._backoff.parted(self._plan(side, heads, excluded, free * full))
            if failed and self._backoff.may_update(side):
                new, failed = [*new, *failed], []
            if failed:
                self._submissions.retry(side, failed[:full], height)
            new = self._submissions.admitted(side, new, full)
            if not new and not failed:
                break
            parts = split_evenly(new, full) if new else iter(())
            for part in islice(parts, self._submissions.free_slots(side)):
                self._submissions.submit(side, part, height, tip)
            busy = True
        refresh = self._refreshes[side]
        if room and not busy and not self._submissions.is_busy(side) and refresh.is_due(*times_ns):
            self._submissions.refresh(side, tip)
        self._prefetch_proofs(side, heads)
        self._collect((side,))  # only this side: effects on the other one may be in blocks not read yet
        refresh.observe(now_ns)  # last: a client that cannot be used ends the round
        return busy

    def _prefetch_proofs(self, side: Side, heads: Heads) -> None:
        """Prefetch proofs of the packets in the other chain's last block, before the next header."""
        prover, free = other(side), self._submissions.free_slots(side)
        height = heads[prover].height.revision_height
        is_read = self._reader.cursors[prover].height == height != self._prefetched[side]
        if not (is_read and free and self._submissions.can_prefetch):
            return
        self._prefetched[side] = height
        later = list(heads)
        later[prover] = heads[prover].following
        excluded = union(self._backoff.excluded, self._submissions.excluded)
        tasks = self._plan(side, (later[0], later[1]), excluded, free * self._options.messages_per_round)
        self._submissions.prefetch_proofs(
            side, [task for task in tasks if self._backlog.is_new(task.key, height)], height
        )

    def _collect(self, sides: Container[Side] = SIDES) -> None:
        """Apply the results of the submissions that have finished."""
        failures = self._submissions.failures
        for result, height in self._submissions.finished(sides):
            self._apply(result, height)
        if self._submissions.failures > failures:
            self._reconciler.suspect()

    def _plan(self, side: Side, heads: Heads, excluded: TaskSet, limit: int) -> list[Task]:
        with self.metrics.part("plan"):
            while True:
                allowed = self._deferred.exclusions(excluded)
                tasks = plan(self._backlog, heads, side, allowed, limit)
                if not self._deferred.apply_policy(tasks):
                    return tasks

    def _apply(self, result: Result, height: int) -> None:
        """Apply a result; `height` is the tip of the message's target chain when it was planned."""
        key = result.task.key
        sent = self._backlog.channels[key.channel].sent_from(key.sender)
        match result.verdict:
            case Verdict.FAILED:
                self._backoff.failed(result)
                self._reconciler.suspect()
            case Verdict.UNPROFITABLE:
                self._deferred.unprofitable.add(result, height)
                return
            case Verdict.RECEIVED:
                sent.mark_received(key.sequence)
            case Verdict.GONE:
                sent.drop(key.sequence)
            case Verdict.SKIPPED:
                self._backoff.postpone(result)
                return
            case Verdict.EFFECTIVE:
                self._backoff.forget(key)  # the result is read from the chain's blocks
        self._deferred.unprofitable.discard(key)

    def _wait_if_needed(self, heads: Heads) -> bool:
        """Wait for the next block if it allows progress; tasks that wait for a retry do not count."""
        later = tuple(head.following for head in heads)
        waiting = [
            side for side in SIDES if self._plan(side, (later[0], later[1]), self._backoff.excluded, 1)
        ]
        watches = self._reader.heights.changes
        if waiting and watches:
            self._options.runner.wait(watches)
            return True
        for side in waiting:
            height = later[other(side)].height.revision_height
            self._options.runner.wait_for(self._endpoints[other(side)], height)
        return bool(waiting)


def relay(
    path: AnyPath,
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    journal: FilePath | None = None,
    options: Options = DEFAULT_OPTIONS,
    drivers: Drivers = DRIVERS,
) -> Metrics:
    """Relay one path until nothing is left to do; return the counters. Arguments and errors as for `Link`."""
    link = Link([path], a, b, journal=journal, options=options, drivers=drivers)
    try:
        return link.until_idle()
    finally:
        link.close()
