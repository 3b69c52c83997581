"""Soak test of hours of a daemon over five chains and six paths, with a period of faults for each chain.

Workers, links and chains are real; time, the network and the nodes behind each address are simulated. Each
worker has its own time, so waiting does not delay the others.
"""

import heapq
import logging
from collections.abc import Sequence
from math import inf
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.soak.chains import USER, Address, Fault, Hours, SoakChain
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core import paths as keys
from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import prefix_end
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.daemon.worker import Worker, WorkerState, WorkerStatus
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import SIDES, Side, other
from pyibc.relayer.paths.path import Path as Channel
from pyibc.testing.pair import SECOND

PAIRS = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2))
BLOCK_S = 20.0
EVERY_S = 90.0  # seconds between packets of a path's user
DAY_S = 7 * 86_400  # timeout of a packet, which must never be reached
HOUR_S = 3600.0
SETTLING_S = 2 * HOUR_S
"""Maximum time after the end for what is left: a failed search for an event is repeated after up to 320
blocks."""


def faults_of(hours: float) -> list[Fault]:
    """Return faults of each chain in turn; one chain always lags, and one stays pruned."""
    end_s = hours * HOUR_S
    starts = [end_s * (0.05 + 0.15 * number) for number in range(5)]
    found = [Fault("lag", 1, 0, inf)]
    found += [Fault("down", number, start, start + 600) for number, start in enumerate(starts)]
    found += [
        Fault("lie", 2, end_s * 0.1, end_s * 0.6),
        Fault("pruned", 3, end_s * 0.3, inf),
        Fault("reset", 0, end_s * 0.5, end_s * 0.5 + 600),
        Fault("skew", 4, end_s * 0.2, end_s * 0.2 + HOUR_S),
    ]
    return found


class Sent(NamedTuple):
    """A user's packet."""

    path: int
    side: Side
    sequence: int
    at_s: float


class Soak:
    """Chains, workers and users of a soak test."""

    def __init__(self, folder: Path, faults: list[Fault], seed: int, interval_s: float) -> None:
        self.hours = Hours()
        self.chains = [SoakChain(number, self.hours) for number in range(5)]
        self.faults = faults
        self._interval_s = interval_s
        self._choice = Random(seed)  # noqa: S311 - a schedule, not a secret
        self.channels = [self._opened(a, b) for a, b in PAIRS]
        self.addresses = [Address(chain, faults, seed + chain.number) for chain in self.chains]
        self.workers = [self._worker(folder, number) for number in range(len(PAIRS))]
        self.waiting: list[Sent] = []
        self.took_s: list[list[tuple[float, float]]] = [[] for _ in PAIRS]
        """Send times of each path's packets, with the seconds until the sender's chain had the
        acknowledgement."""

    def _opened(self, a: int, b: int) -> Channel:
        ends = [LocalEndpoint(self.chains[each].chain, self.chains[each].wallet) for each in (a, b)]
        return make_path(ends[0], ends[1], "transfer", Order.UNORDERED, "ics20-1")

    def _worker(self, folder: Path, number: int) -> Worker:
        a, b = (self.addresses[each] for each in PAIRS[number])
        options = Options(sleep=self.hours.passes, clock=lambda: self.hours.now_s, retry_wait_s=inf)

        def opened() -> Link:
            return Link([self.channels[number]], a, b, journal=folder / f"{number}.db", options=options)

        return Worker(f"path-{number}", opened, interval=self._interval_s, clock=lambda: self.hours.now_s)

    def run(self, hours: float) -> None:
        """Run for some hours, and then until nothing is left; users stop half an hour before the end."""
        end_s = hours * HOUR_S
        agenda: list[tuple[float, int, str, int]] = []
        for kind, number, every in (
            ("block", 5, BLOCK_S),
            ("user", len(PAIRS), EVERY_S),
            ("work", len(PAIRS), 0.0),
        ):
            for each in range(number):
                heapq.heappush(agenda, (every * (each + 1) / number, each, kind, each))
        while agenda and (agenda[0][0] < end_s or (self.waiting and agenda[0][0] < end_s + SETTLING_S)):
            at_s, order, kind, which = heapq.heappop(agenda)
            self.hours.now_s = at_s
            pause_s = self._does(kind, which, end_s)
            if pause_s is not None:
                heapq.heappush(agenda, (self.hours.now_s + pause_s, order, kind, which))

    def _does(self, kind: str, which: int, end_s: float) -> float | None:
        if kind == "work":
            pause_s = self.workers[which].step()
            self._settle(which)
            return max(pause_s, 0.01)
        if kind == "block":
            chain = self.chains[which]
            skewed = [each for each in self.faults if each.kind == "skew" and each.chain == which]
            chain.skew_s = 60.0 * any(each.first_s <= self.hours.now_s < each.last_s for each in skewed)
            chain.chain.make_block()
            return BLOCK_S
        if self.hours.now_s > end_s - HOUR_S / 2:
            return None
        self._send(which)
        return EVERY_S

    def _send(self, number: int) -> None:
        side = self._choice.choice(SIDES)
        near, far = (self.chains[PAIRS[number][each]] for each in (side, other(side)))
        wallet, end = near.identity.wallet(USER), self.channels[number].end(side)
        until_ns = near.chain.tip().time_ns + DAY_S * SECOND
        receiver = far.identity.wallet(USER).address.text
        message = MsgTransfer(
            end.port_id,
            end.channel_id,
            near.identity.denom,
            "7",
            wallet.address.text,
            receiver,
            ZERO_HEIGHT,
            until_ns,
            "",
        )
        outcome = LocalEndpoint(near.chain, wallet).submit([pack_msg(message)])
        sent = next(dict(attributes) for kind, attributes in outcome.events if kind == "send_packet")
        self.waiting.append(Sent(number, side, int(sent["packet_sequence"]), self.hours.now_s))

    def _settle(self, number: int) -> None:
        """Record the completion time of packets without commitment."""
        still = []
        for sent in self.waiting:
            if sent.path == number and self._commitment(sent) is None:
                self.took_s[number].append((sent.at_s, self.hours.now_s - sent.at_s))
            else:
                still.append(sent)
        self.waiting = still

    def _commitment(self, sent: Sent) -> bytes | None:
        end = self.channels[sent.path].end(sent.side)
        chain = self.chains[PAIRS[sent.path][sent.side]].chain
        return chain.get(keys.packet_commitment_path(end.port_id, end.channel_id, sent.sequence))

    # -- results

    def left(self) -> int:
        """Return the number of commitments on all chains."""
        return commitments(self.channels, [each.chain for each in self.chains])

    def touched(self, number: int, at_s: float) -> bool:
        """Return whether a chain of the path had a fault at that time, or shortly before."""
        return any(
            fault.chain in PAIRS[number] and fault.first_s - 600 <= at_s < fault.last_s + 600
            for fault in self.faults
        )

    def close(self) -> None:
        """Close everything."""
        for worker in self.workers:
            worker.end()
            worker.run()
        for chain in self.chains:
            chain.chain.close()


class Result(NamedTuple):
    """Result of a soak test."""

    hours: float
    packets: int
    left: int
    statuses: list[WorkerStatus]
    unclassified: list[str]  # errors without a class of their own: bugs in the relayer
    p99_s: tuple[float, float]  # of unaffected packets: with faults, and in a run without faults
    calls: int

    @property
    def is_well(self) -> bool:
        """True if no worker ended, no packet is left, and no path was delayed by another chain's fault."""
        return (
            self.packets > 0
            and not self.left
            and not self.unclassified
            and all(each.state is WorkerState.RELAYING for each in self.statuses)
            and self.p99_s[0] <= 1.1 * self.p99_s[1]
        )


class _Unclassified(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Collect the errors of workers that have no class of their own."""
        self.found.append(f"{getattr(record, 'path', '')}: {getattr(record, 'reason', record.getMessage())}")


def soak(folder: Path, hours: float, seed: int, interval_s: float = 1.0) -> Result:
    """Run hours with faults, and as many without; each worker looks for packets every `interval_s`."""
    log, handler = logging.getLogger("pyibc.relayer"), _Unclassified()
    log.addHandler(handler)
    try:
        quiet, _ = _run(folder / "quiet", hours, [], seed, interval_s)
        bad, calls = _run(folder / "bad", hours, faults_of(hours), seed, interval_s)
    finally:
        log.removeHandler(handler)
    untouched, same = (
        [
            took
            for number, each in enumerate(run.took_s)
            for at_s, took in each
            if not bad.touched(number, at_s)
        ]
        for run in (bad, quiet)
    )
    return Result(
        hours,
        sum(map(len, bad.took_s)) + len(bad.waiting),
        bad.left(),
        [worker.status for worker in bad.workers],
        handler.found,
        (percentile_99(untouched), percentile_99(same)),
        calls,
    )


def _run(folder: Path, hours: float, faults: list[Fault], seed: int, interval_s: float) -> tuple[Soak, int]:
    folder.mkdir(parents=True)
    run = Soak(folder, faults, seed, interval_s)
    run.run(hours)
    return run, sum(address.calls for address in run.addresses)


def commitments(channels: Sequence[Channel], chains: Sequence[LocalChain]) -> int:
    """Return the number of pending packets of the paths, on all chains."""
    found = 0
    for channel, pair in zip(channels, PAIRS, strict=True):
        for side in SIDES:
            end, ctx = channel.end(side), chains[pair[side]].app.query_context()
            prefix = keys.packet_commitment_prefix(end.port_id, end.channel_id)
            found += sum(1 for _ in ctx.reader(STORE_NAME).iterate(prefix, prefix_end(prefix)))
    return found


def percentile_99(found: list[float]) -> float:
    """Return the 99th percentile; 0.0 if there are no values."""
    values = sorted(found)
    return values[int(0.99 * (len(values) - 1))] if values else 0.0
