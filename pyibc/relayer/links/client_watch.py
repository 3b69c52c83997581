"""Watch over the light clients on both chains of a link, fed with the blocks that the link reads.

Every header that updates a client of the other chain is compared with that chain's own header. A header that
differs is misbehaviour: it is reported and submitted to all clients of that chain. A planned upgrade of
either chain moves the link's client of it to the next revision. Failures are retried and delay no packets.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.foreign_client import ForeignClient, Lifetime
from pyibc.relayer.clients.misbehaviour_monitor import ConflictingHeader, FreezeResult, MisbehaviourMonitor
from pyibc.relayer.clients.upgrade import planned_height, upgrade
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from pyibc.relayer.links.outcomes import refusal
from pyibc.relayer.links.submissions import SubmissionRunner
from pyibc.relayer.metrics import ClientExpiry, Metrics
from pyibc.relayer.packets.task import Result
from pyibc.relayer.paths.path import SIDES, Side, other
from pyibc.relayer.rpc.client import printable

PLAN_BLOCKS = 20
"""Blocks of a chain between two queries of its upgrade plan."""
MAX_PAUSE = 64
"""Maximum number of rounds between two failed checks; the pause doubles up to it."""

Report = Callable[[str, Mapping[str, object]], None]
"""Gets the name and attributes of an event; called from the thread in which the watch runs."""


class ClientWatch:
    """Watch over the clients on both chains of one link."""

    def __init__(
        self,
        clients: Sequence[ForeignClient],
        metrics: Metrics,
        runner: SubmissionRunner,
        report: Report,
        drivers: Drivers,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        """Start with no observed blocks.

        Args:
            clients: on both chains, by side.
            metrics: count the findings.
            runner: runs the checks.
            report: gets the findings.
            drivers: the supported client types.
            leads: returns whether this link checks headers for all links between the two chains.
        """
        self._leads = leads
        self.checks_headers = leads()
        """True if headers are checked here; false if another link checks them."""
        self._clients = clients
        self._metrics = metrics
        self._runner = runner
        self._report = report
        self._own = Metrics()
        self._monitors = [
            MisbehaviourMonitor(each.host, each.reference, 1, drivers, each.reference.extras.consumer)
            for each in clients
        ]
        self._conflicts = deque[tuple[Side, ConflictingHeader]]()
        self._heights = [0, 0]  # of the last blocks observed
        self._plan_queried = [-PLAN_BLOCKS, -PLAN_BLOCKS]  # heights at which the upgrade plans were queried
        self._planned = [0, 0]  # heights of planned upgrades
        self._last = ["", ""]  # last refusals of upgrades
        self._future: Future[list[Result]] | None = None
        self._failures = 0  # consecutive checks that failed
        self._pause = 0  # rounds until the next check

    def observe(self, side: Side, block: CommittedBlock) -> None:
        """Record a block of one chain; `run` checks it."""
        # guard: each-link-checks-all-headers always:checks_headers
        #   test_headers_are_checked_by_one_of_several_links
        if self.checks_headers:
            self._monitors[side].observe(block)
        self._heights[side] = block.height

    def reach(self, side: Side, height: int) -> None:
        """Record that blocks up to `height` were read, or passed since they have no updates of clients."""
        self._heights[side] = height

    def next_height(self, side: Side) -> int:
        """Return the height at which an upgrade of the chain must be followed; 0: none is planned."""
        return max(0, self._planned[side] - 1) if self._planned[side] else 0

    @property
    def is_idle(self) -> bool:
        """Return whether nothing is left to check before the next block."""
        return self._future is None and not self._pause and not any(self._is_due(side) for side in SIDES)

    def run(self) -> None:
        """Check the observed blocks, or let the runner check them concurrently.

        Raises:
            Exception: an unexpected error; a chain that does not answer is queried again instead.
        """
        self.checks_headers = self._leads()
        self._collect()
        if self._pause:
            self._pause -= 1
        elif self._future is None and any(self._is_due(side) for side in SIDES):
            self._future = self._runner.launch(self._check)
            self._collect()

    def _collect(self) -> None:
        if self._future is not None and self._future.done():
            future, self._future = self._future, None
            self._metrics.absorb(self._own)
            future.result()

    def _is_due(self, side: Side) -> bool:
        height, planned = self._heights[side], self._planned[side]
        if height >= self._plan_queried[side] + PLAN_BLOCKS or (planned and height >= planned - 1):
            return True
        return bool(self._conflicts or self._monitors[side].pending)

    def _check(self) -> list[Result]:
        done = True
        for side in SIDES:
            for step in (self._verify, self._freeze, self._follow_upgrade):
                try:
                    done &= step(side)
                except RelayerError as error:
                    done = False
                    self._own.unwatched += 1
                    self._report("not watched", {"chain": self._host(side).chain_id, "reason": str(error)})
        self._failures = 0 if done else self._failures + 1
        self._pause = min(2 ** max(0, self._failures - 1), MAX_PAUSE) - 1
        return []

    def _host(self, side: Side) -> ChainEndpoint:
        return self._clients[side].host

    def _verify(self, side: Side) -> bool:
        monitor = self._monitors[side]
        if monitor.pending:
            for conflict in monitor.check_pending():
                self._conflicts.append((side, conflict))
                self._own.conflicts += 1
                self._report("misbehaviour", self._facts(side, conflict))
        while monitor.unchecked:
            self._report(
                "not watched", {"chain": self._host(side).chain_id, "reason": monitor.unchecked.pop(0)}
            )
        return True

    def _facts(self, side: Side, conflict: ConflictingHeader) -> dict[str, object]:
        height = conflict.submitted.height.revision_height
        at = conflict.host_height
        return {"chain": self._host(side).chain_id, "block": at, "of": conflict.chain_id, "height": height}

    def _freeze(self, side: Side) -> bool:
        """Submit the evidence to the chain on `side`; after an error the next check submits it again."""
        for _ in range(len(self._conflicts)):
            at, conflict = self._conflicts[0]
            if at != side:
                self._conflicts.rotate(-1)
                continue
            problem = self._report_consumer(side, conflict)
            for each in self._monitors[side].freeze(conflict):
                self._own.misbehaviours += self._told(side, conflict, each, "frozen")
            # guard: a-provider-that-is-down-never-knows drop
            #   test_a_provider_that_does_not_answer_is_told_later_and_the_client_frozen_now
            if problem is not None:
                raise problem
            self._conflicts.popleft()
        return True

    def _report_consumer(self, side: Side, conflict: ConflictingHeader) -> RelayerError | None:
        """Report a consumer chain to its provider first: a frozen client ends the link, and this watch."""
        try:
            found = self._monitors[side].report_consumer(conflict)
        except RelayerError as error:
            # guard: a-provider-that-is-down-keeps-clients-from-freezing {=> raise}
            #   test_a_provider_that_does_not_answer_is_told_later_and_the_client_frozen_now
            return error
        if found is not None:
            self._told(side, conflict, found, "reported to provider")
        return None

    def _told(self, side: Side, conflict: ConflictingHeader, found: FreezeResult, event: str) -> bool:
        """Report what came of evidence; return whether it was accepted."""
        accepted = found.outcome is not None and found.outcome.code == 0
        why = "no common ground" if found.client_id else "the provider does not know the consumer"
        if found.outcome is not None and not accepted:
            why = printable(f"{refusal(found.outcome)} {found.outcome.log}")
        why = "" if accepted else why
        facts = {**self._facts(side, conflict), "client": found.client_id, "reason": why}
        self._report(event if accepted else f"not {event}", facts)
        return accepted

    def _follow_upgrade(self, side: Side) -> bool:
        """Follow an upgrade of the chain on `side` with its client; return False to try it again."""
        client, height = self._clients[other(side)], self._heights[side]
        if height >= self._plan_queried[side] + PLAN_BLOCKS:
            self._planned[side] = planned_height(client.reference)
            self._plan_queried[side] = height
        planned = self._planned[side]
        if not planned or height < planned - 1:
            return True
        done = upgrade(client, planned)
        if done is None:
            if height >= planned:
                self._planned[side] = 0  # the client needs nothing, or the chain has not halted
            return not self._planned[side]
        facts = {"chain": client.host.chain_id, "client": done.client_id, "height": done.height}
        reason = printable(f"{refusal(done.outcome)} {done.outcome.log}") if done.outcome.code else ""
        if not reason:
            self._own.upgrades += 1
            self._planned[side] = 0
            self._report("client upgraded", facts)
        elif reason != self._last[side]:
            self._report("client not upgraded", {**facts, "reason": reason})
        self._last[side] = reason
        return not reason


# -- refresh of a light client before it expires, and the time left until then
#
# Updates with packets keep a client of a busy path from expiring; a client without them is refreshed when
# two thirds of its trusting period have passed. What counts is the client's state. A false time of the host
# alone makes no refresh due, since its header must be newer too; so a client is refreshed twelve times in a
# trusting period at most.

REREAD_NS = 600 * 10**9
"""Time of the host between two reads of a client, nanoseconds: updates with packets renew it as well."""
MIN_GAIN, FULL_GAIN = 12, 3
"""Fractions of the trusting period: a refresh must renew a client by the time that is left until its expiry,
at least by a twelfth of the period and at most by a third."""
FIRST_S, LONGEST_S = 60.0, 3600.0
"""First and longest pause after a refresh without effect, in seconds; doubled after each."""
PAUSE_FRACTION = 24
"""Maximum of that pause as a fraction of the trusting period."""


class ClientRefresh:
    """Lifetime of one client; the caller submits the refreshes."""

    def __init__(
        self, client: ForeignClient, report: Report | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Read the client.

        Args:
            client: on the host.
            report: gets an event for each refresh, and one for a refresh without effect.
            clock: returns seconds, for the pauses after refreshes without effect.

        Raises:
            ClientUnusable: the client is expired or frozen.
            WrongCounterparty: the client does not exist, or is malformed.
            EndpointUnavailable, MalformedAnswer: the host does not answer, or its answer is malformed.
        """
        self._client = client
        self._report = report
        self._lifetime = client.lifetime()
        self._refreshed: Lifetime | None = None  # before the refresh whose effect is not known yet
        self._is_reported = False  # that the refresh has no effect
        self._clock = clock
        self._tries = 0  # refreshes since the last one with an effect
        self._until_s = float("-inf")  # end of the pause after the last one
        self._is_read = True  # since the last refresh
        self._is_held = False  # a refresh is due by the host's time alone

    @property
    def due_ns(self) -> int:
        """Time of the host from which the client should be refreshed, Unix nanoseconds."""
        return self._lifetime.due_ns

    @property
    def expiry(self) -> ClientExpiry | None:
        """Expiry of the client as it was read last; None: it never expires."""
        if not self._lifetime.trusting_ns:
            return None
        client = self._client
        expires_ns, trusting_ns = self._lifetime.expires_ns, self._lifetime.trusting_ns
        return ClientExpiry(
            client.host.chain_id, client.client_id, client.reference.chain_id, expires_ns, trusting_ns
        )

    @property
    def next_ns(self) -> int:
        """Time of the host from which `is_due` or `observe` reads the client again, Unix nanoseconds."""
        reread_ns = self._lifetime.read_ns + REREAD_NS
        return reread_ns if self._is_held else min(self.due_ns, reread_ns)

    def observe(self, now_ns: int) -> None:
        """Read the client again if `REREAD_NS` have passed; `now_ns` is the host's time.

        A host that does not answer holds up nothing: the next call reads the client again.

        Raises:
            ClientUnusable, WrongCounterparty: as for the constructor.
        """
        # guard: an-expiry-of-a-busy-path-is-never-read-again drop
        #   test_the_expiry_of_a_client_follows_updates_with_packets
        if now_ns >= self._lifetime.read_ns + REREAD_NS:
            with suppress(EndpointUnavailable, EndpointRefused, MalformedAnswer):
                self._read()

    def is_due(self, now_ns: int, header_ns: int) -> bool:
        """Return whether the client needs a refresh; the caller submits it before it calls again.

        The client is read again first, since another relayer may have updated it.

        Args:
            now_ns: time of the host.
            header_ns: time of the reference chain's last header.

        Raises:
            RelayerError: as for the constructor.
        """
        self._is_held = False
        if now_ns < self.due_ns:
            return False
        if not self._is_read:
            self._read_effect()
        # guard: refreshes-for-a-false-time always
        #   test_a_false_time_of_the_host_makes_no_refresh_due_again
        if not self._is_worth(now_ns, header_ns):
            self._is_held = True
            return False
        self._read()
        if now_ns < self.due_ns or not self._is_worth(now_ns, header_ns):
            return False
        self._refreshed, self._is_read = self._lifetime, False
        self._until_s = self._clock() + self._pause_s()
        self._tries += 1
        return True

    def _read_effect(self) -> None:
        """Read the client after a refresh, and report one without effect."""
        self._read()
        self._is_read = True
        if self._refreshed is not None and not self._is_reported:
            self._is_reported = True
            self._emit("client not refreshed", self._lifetime)

    def _is_worth(self, now_ns: int, header_ns: int) -> bool:
        """Return whether a header of this time renews the client enough, and no pause is left."""
        lifetime = self._lifetime
        left_ns, trusting_ns = lifetime.expires_ns - now_ns, lifetime.trusting_ns
        gain_ns = max(min(left_ns, trusting_ns // FULL_GAIN), trusting_ns // MIN_GAIN)
        # guard: refreshes-without-effect-are-paid-for-ever drop:_until_s
        #   test_refreshes_without_effect_become_rare
        return header_ns - lifetime.updated_ns >= gain_ns and self._clock() >= self._until_s

    def _pause_s(self) -> float:
        longest_s = min(LONGEST_S, self._lifetime.trusting_ns / 10**9 / PAUSE_FRACTION)
        return min(longest_s, FIRST_S * 2.0 ** min(self._tries, 16))

    def _read(self) -> None:
        self._lifetime = self._client.lifetime()
        before = self._refreshed
        # guard: a-refresh-without-effect-is-told-as-done drop:self
        #   test_a_refresh_without_effect_is_told_once
        if before is not None and self._lifetime.expires_ns > before.expires_ns:
            self._refreshed, self._is_reported = None, False
            self._tries, self._until_s = 0, float("-inf")
            self._emit("client refreshed", before)

    def _emit(self, event: str, before: Lifetime) -> None:
        if self._report is None:
            return
        client = self._client
        facts = {"chain": client.host.chain_id, "client": client.client_id, "of": client.reference.chain_id}
        left_s = (before.expires_ns - self._lifetime.read_ns) // 10**9
        self._report(event, {**facts, "left_s": left_s, "expires_s": self._lifetime.expires_ns // 10**9})


def expiries_of(refreshes: Iterable[ClientRefresh]) -> tuple[ClientExpiry, ...]:
    """Return the expiries of the clients that expire."""
    return tuple(each.expiry for each in refreshes if each.expiry is not None)
