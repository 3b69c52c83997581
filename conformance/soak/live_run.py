"""Live test of `pyibc relay start`: five chains, six paths, and a period of faults for each chain.

The daemon is a separate process that reaches two nodes of each chain over HTTP. In window k, a sixth of the
time long, chain k is down and the next chain has another fault. Meanwhile the daemon is reloaded, started a
second time, and killed. Packets on unaffected paths are compared with those sent before the first fault.
"""

import json
import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.soak.chains import RELAYER, Fault
from conformance.soak.live_daemon import LiveDaemon, events_in
from conformance.soak.live_nodes import SKEW_NS, LiveChain, served
from conformance.soak.run import PAIRS, Sent, commitments, percentile_99
from localnet.endpoint import LocalEndpoint
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core import paths as keys
from pyibc.core.channel.types import Order
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.money.keys import write_private_file
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import spent
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import SIDES, Side, other
from pyibc.relayer.paths.path import Path as Channel
from pyibc.testing.transfers import hop

OTHERS = ("lag", "lie", "pruned", "skew", "reset")
"""Fault of the chain after the one that is down, by window."""
DAEMON_FAULTS = (("reload", 0.3), ("second", 0.45), ("kill", 0.6))
"""Faults of the daemon itself, and when they begin, as parts of the time."""
BLOCK_S, EVERY_S = 1.0, 3.0
"""Seconds between two blocks of a chain, and between two packets of a path."""
WEEK_NS = 7 * 86_400 * 10**9
AFTER_S = 90.0
"""Seconds in which a path recovers after a fault: its worker waits up to a minute between attempts."""
_START_S, _DRAIN_S = 120.0, 300.0
"""Seconds for the daemon to reach all chains, and to relay what is left."""
_LOOK_S = 0.05
_READ_S = 10.0
"""Seconds in which the daemon has read the last blocks."""


def faults_of(seconds: float) -> list[Fault]:
    """Return a schedule in which each chain is down for a sixth of the time, in turn; none at first."""
    window = seconds / 6
    found = []
    for number, kind in enumerate(OTHERS):
        first = window * (number + 0.5)
        after = (number + 1) % len(OTHERS)
        found += [Fault("down", number, first, first + window), Fault(kind, after, first, first + window)]
    return found


class LiveResult(NamedTuple):
    """Result of a live run."""

    seconds: float
    packets: int
    left: int  # packets neither acknowledged nor timed out
    exit_code: int | None  # of the daemon when it was stopped; None: it had ended before
    p99_s: tuple[float, float]  # of unaffected packets, and of those before the first fault
    compared: tuple[int, int]  # their numbers
    fees: dict[str, tuple[int, int]]  # by chain: fees the relayer's account paid, and fees in its ledger
    failed: tuple[str, ...]  # transfers of users that failed, and faults of the daemon that did harm

    @property
    def is_well(self) -> bool:
        """True if the daemon ran to the end, no packet is left, no other path was delayed, and fees agree."""
        untouched, quiet = self.p99_s
        return (
            self.packets > 0
            and not self.failed
            and not self.left
            and self.exit_code == 0
            and min(self.compared) > 0
            and untouched <= 1.1 * quiet
            and all(paid == known > 0 for paid, known in self.fees.values())
        )


class LiveHour:
    """Chains, users, and the state of their packets."""

    def __init__(self, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.faults = faults_of(seconds)
        self.of_daemon = [(kind, seconds * part) for kind, part in DAEMON_FAULTS]
        self.chains = [LiveChain(number, (RELAYER, *self._users())) for number in range(5)]
        self.channels = [self._opened(a, b) for a, b in PAIRS]
        self.waiting: list[Sent] = []
        self.took_s: list[tuple[Sent, float]] = []
        self.failed: list[str] = []
        self._choice = Random(seed)  # noqa: S311 - a schedule, not a secret
        self._lock = threading.Lock()
        self._start = math.inf
        self._before = [self.balance(chain) for chain in self.chains]

    @property
    def now_s(self) -> float:
        """Seconds since the users began to send; before, it is negative, and no fault is under way."""
        return time.monotonic() - self._start

    def begin(self) -> None:
        """Start the clock."""
        self._start = time.monotonic()

    def under_way(self, number: int) -> list[Fault]:
        """Return the current faults of a chain."""
        now_s = self.now_s
        return [each for each in self.faults if each.chain == number and each.first_s <= now_s < each.last_s]

    def balance(self, chain: LiveChain) -> int:
        """Return the relayer's balance on a chain."""
        app = chain.chain.app
        held = dict(app.bank.balances(app.query_context(), chain.identity.wallet(RELAYER).address.raw))
        return held[chain.identity.denom]

    def paid(self, chain: LiveChain) -> int:
        """Return the fees the relayer paid since the start."""
        return self._before[chain.number] - self.balance(chain)

    def users(self, stop: threading.Event) -> list[threading.Thread]:
        """Start a user for each path, who sends until `stop` is set."""
        senders = [threading.Thread(target=self._sends, args=(each, stop)) for each in range(len(PAIRS))]
        for each in senders:
            each.start()
        return senders

    def look(self) -> None:
        """Record the completion time of packets without commitment; skew the clocks with that fault."""
        for chain in self.chains:
            skewed = any(each.kind == "skew" for each in self.under_way(chain.number))
            chain.skew_ns = SKEW_NS if skewed else 0
        with self._lock:
            waiting, self.waiting = self.waiting, []
        still = []
        for sent in waiting:
            if self._commitment(sent) is None:
                self.took_s.append((sent, self.now_s - sent.at_s))
            else:
                still.append(sent)
        with self._lock:
            self.waiting += still

    def left(self) -> int:
        """Return the number of commitments on all chains."""
        return commitments(self.channels, [each.chain for each in self.chains])

    def is_touched(self, sent: Sent, took_s: float) -> bool:
        """Return whether a chain of the path or the daemon had a fault during a flight, or shortly before."""
        until_s = sent.at_s + took_s
        spans = [(each.first_s, each.last_s) for each in self.faults if each.chain in PAIRS[sent.path]]
        spans += [(at_s, at_s) for kind, at_s in self.of_daemon if kind == "kill"]
        return any(first_s < until_s and sent.at_s < last_s + AFTER_S for first_s, last_s in spans)

    def _users(self) -> Iterator[str]:
        return (f"user-{number}" for number in range(len(PAIRS)))

    def _opened(self, a: int, b: int) -> Channel:
        ends = [
            LocalEndpoint(each.chain, each.identity.wallet(RELAYER))
            for each in (self.chains[a], self.chains[b])
        ]
        return make_path(ends[0], ends[1], "transfer", Order.UNORDERED, "ics20-1")

    def _sends(self, number: int, stop: threading.Event) -> None:
        while not stop.wait(EVERY_S):
            with self._lock:
                side = self._choice.choice(SIDES)
            try:
                self._send(number, side)
            except Exception as error:  # noqa: BLE001 - a thread would end of it, and nobody hear
                self.failed.append(f"{PAIRS[number]}: {type(error).__name__}: {error}")

    def _send(self, number: int, side: Side) -> None:
        near, far = (self.chains[PAIRS[number][each]] for each in (side, other(side)))
        end, name = self.channels[number].end(side), f"user-{number}"
        wallet, receiver = near.identity.wallet(name), far.identity.wallet(name).address.text
        until_ns = near.chain.tip().time_ns + WEEK_NS
        message = MsgTransfer(
            *hop(end), near.identity.denom, "7", wallet.address.text, receiver, ZERO_HEIGHT, until_ns, ""
        )
        outcome = LocalEndpoint(near.chain, wallet, on_demand=False).submit([pack_msg(message)])
        told = next(dict(attributes) for kind, attributes in outcome.events if kind == "send_packet")
        with self._lock:
            self.waiting.append(Sent(number, side, int(told["packet_sequence"]), self.now_s))

    def _commitment(self, sent: Sent) -> bytes | None:
        end = self.channels[sent.path].end(sent.side)
        chain = self.chains[PAIRS[sent.path][sent.side]].chain
        return chain.get(keys.packet_commitment_path(end.port_id, end.channel_id, sent.sequence))


def live(folder: Path, seconds: float, seed: int) -> LiveResult:
    """Run the daemon for some time, then until nothing is left, at most five minutes longer."""
    hour = LiveHour(seconds, seed)
    with served(hour.chains, hour.under_way, BLOCK_S) as urls, _daemon(folder, hour, urls) as daemon:
        _wait_until_reached(daemon, {each.identity.chain_id for each in hour.chains})
        hour.begin()
        stop = threading.Event()
        senders = hour.users(stop)
        todo = list(hour.of_daemon)
        while hour.now_s < seconds or ((hour.waiting or hour.left()) and hour.now_s < seconds + _DRAIN_S):
            if hour.now_s >= seconds:
                stop.set()
            if todo and hour.now_s >= todo[0][1]:
                daemon.suffer(todo.pop(0)[0])
            hour.look()
            time.sleep(_LOOK_S)
        stop.set()
        for each in senders:
            each.join()
        time.sleep(_READ_S)
        left, code = hour.left(), daemon.stop()
        hour.failed += daemon.failures()
        return _result(hour, left, code, folder)


def reached(log: Path) -> set[str]:
    """Return the chains that a daemon has reached, by its log."""
    return {each["chain"] for each in events_in(log) if each["event"] == "up"}


def _wait_until_reached(daemon: LiveDaemon, chains: set[str]) -> None:
    """Wait for the daemon: on a loaded machine it starts later than the first chain is down."""
    until_s = time.monotonic() + _START_S
    while not chains <= reached(daemon.log):
        if daemon.has_ended or time.monotonic() > until_s:
            raise RuntimeError(
                f"the daemon did not reach {sorted(chains - reached(daemon.log))}: see {daemon.log}"
            )
        time.sleep(_LOOK_S)


def _result(hour: LiveHour, left: int, code: int | None, folder: Path) -> LiveResult:
    first_s = min(each.first_s for each in hour.faults)
    quiet = [took for sent, took in hour.took_s if sent.at_s + took < first_s]
    untouched = [
        took for sent, took in hour.took_s if sent.at_s >= first_s and not hour.is_touched(sent, took)
    ]
    with closing(Ledger(folder / "fees.db")) as ledger:
        fees = {chain.identity.chain_id: (hour.paid(chain), _known(ledger, chain)) for chain in hour.chains}
    return LiveResult(
        hour.seconds,
        len(hour.took_s) + len(hour.waiting),
        left,
        code,
        (percentile_99(untouched), percentile_99(quiet)),
        (len(untouched), len(quiet)),
        fees,
        tuple(hour.failed),
    )


def _known(ledger: Ledger, chain: LiveChain) -> int:
    payer = chain.identity.wallet(RELAYER).address.text
    return spent(ledger, chain.identity.chain_id, payer).get(chain.identity.denom, 0)


@contextmanager
def _daemon(folder: Path, hour: LiveHour, urls: Sequence[Sequence[str]]) -> Iterator[LiveDaemon]:
    """Write a configuration, and run a daemon with it."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ['[relayer]\nlog = "info"\nlocks = "."\ninterval = 0.2']
    for chain, nodes in zip(hour.chains, urls, strict=True):
        identity = chain.identity
        write_private_file(folder / f"{identity.chain_id}.key", identity.key(RELAYER).hex())
        parts.append(
            f'[[chains]]\nid = "{identity.chain_id}"\nrpc = {json.dumps(list(nodes))}\n'
            f'prefix = "{identity.prefix}"\n'
            f'key = {{ file = "{identity.chain_id}.key" }}\n'
            f'fees = {{ denom = "{identity.denom}", price = "0.00{chain.number + 1}" }}'
        )
    for channel in hour.channels:
        a, b = channel.a, channel.b
        parts.append(f'[[paths]]\na = "{a.chain_id}"\nb = "{b.chain_id}"\nchannels = ["{a.channel_id}"]')
    (folder / "relayer.toml").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    daemon = LiveDaemon(folder)
    try:
        yield daemon
    finally:
        daemon.kill()
