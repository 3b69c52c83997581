"""A live hour of `pyibc relay start`: five chains, six paths, and each chain's bad ten minutes in its turn.

The daemon is a process of its own and reaches the chains by HTTP, each by two nodes. In the window of chain
k, a sixth of the time long, k is down and the next chain has another fault. Packets whose path touches
neither are compared with those that were sent before the first fault.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from conformance.soak.chains import RELAYER, Fault
from conformance.soak.live_nodes import SKEW_NS, LiveChain, served
from conformance.soak.run import PAIRS, Sent, commitments, percentile_99
from ibc_core import paths as keys
from ibc_core.channel.types import Order
from ibc_core.height import ZERO_HEIGHT
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_relayer.keys import write_private_file
from ibc_relayer.ledger import Ledger
from ibc_relayer.ledger_report import spent
from ibc_relayer.open_path import make_path
from ibc_relayer.path import SIDES, Side, other
from ibc_relayer.path import Path as Channel
from ibc_testing.transfers import hop
from localnet.endpoint import LocalEndpoint

OTHERS = ("lag", "lie", "pruned", "skew", "reset")
"""The fault of the chain after the one that is down, window by window."""
BLOCK_S, EVERY_S = 1.0, 3.0
"""Between two blocks of a chain, and two packets of a path."""
WEEK_NS = 7 * 86_400 * 10**9
AFTER_S = 90.0
"""Within which a path goes on after a fault: its worker waits up to a minute between two attempts."""
_DRAIN_S = 300.0
_LOOK_S = 0.05
_READ_S = 10.0
"""By which the daemon has read the last blocks."""


def faults_of(seconds: float) -> list[Fault]:
    """Each chain is down for a sixth of the time, one after the other; none at first."""
    window = seconds / 6
    found = []
    for number, kind in enumerate(OTHERS):
        first = window * (number + 0.5)
        after = (number + 1) % len(OTHERS)
        found += [Fault("down", number, first, first + window), Fault(kind, after, first, first + window)]
    return found


class LiveResult(NamedTuple):
    """What came of it."""

    seconds: float
    packets: int
    left: int  # packets without an end
    exit_code: int | None  # of the daemon when it was told to stop; None: it had ended before
    p99_s: tuple[float, float]  # of packets that no fault touched, and of those before the first one
    compared: tuple[int, int]  # how many these are
    fees: dict[str, tuple[int, int]]  # by chain: what the relayer's account lost, what its ledger says
    failed: tuple[str, ...]  # users' transfers that were not sent, and why

    @property
    def is_well(self) -> bool:
        """Whether the daemon did not end, nothing is left, nobody else waited, and fees are equal."""
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
    """Chains, users and what became of their packets."""

    def __init__(self, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.faults = faults_of(seconds)
        self.chains = [LiveChain(number, (RELAYER, *self._users())) for number in range(5)]
        self.channels = [self._opened(a, b) for a, b in PAIRS]
        self.waiting: list[Sent] = []
        self.took_s: list[tuple[Sent, float]] = []
        self.failed: list[str] = []
        self._choice = Random(seed)  # noqa: S311 - a schedule, not a secret
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._before = [self.balance(chain) for chain in self.chains]

    @property
    def now_s(self) -> float:
        """Since users began to send."""
        return time.monotonic() - self._start

    def begin(self) -> None:
        """From now on time counts."""
        self._start = time.monotonic()
        self._before = [self.balance(chain) for chain in self.chains]

    def under_way(self, number: int) -> list[Fault]:
        """The faults of a chain at this moment."""
        now_s = self.now_s
        return [each for each in self.faults if each.chain == number and each.first_s <= now_s < each.last_s]

    def balance(self, chain: LiveChain) -> int:
        """What the relayer has of a chain's coin."""
        app = chain.chain.app
        held = dict(app.bank.balances(app.query_context(), chain.terms.wallet(RELAYER).address.raw))
        return held[chain.terms.denom]

    def paid(self, chain: LiveChain) -> int:
        """What it has less than when time began."""
        return self._before[chain.number] - self.balance(chain)

    def users(self, stop: threading.Event) -> list[threading.Thread]:
        """Starts a user for each path, who sends until `stop` is set."""
        senders = [threading.Thread(target=self._sends, args=(each, stop)) for each in range(len(PAIRS))]
        for each in senders:
            each.start()
        return senders

    def look(self) -> None:
        """Takes the time of packets whose commitment is gone; sets the clocks that are wrong."""
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
        """Commitments on all chains."""
        return commitments(self.channels, [each.chain for each in self.chains])

    def is_touched(self, sent: Sent, took_s: float) -> bool:
        """Whether a chain of its path had a fault while it was under way, or shortly before."""
        until_s = sent.at_s + took_s
        return any(
            each.chain in PAIRS[sent.path] and each.first_s < until_s and sent.at_s < each.last_s + AFTER_S
            for each in self.faults
        )

    def _users(self) -> Iterator[str]:
        return (f"user-{number}" for number in range(len(PAIRS)))

    def _opened(self, a: int, b: int) -> Channel:
        ends = [
            LocalEndpoint(each.chain, each.terms.wallet(RELAYER)) for each in (self.chains[a], self.chains[b])
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
        wallet, receiver = near.terms.wallet(name), far.terms.wallet(name).address.text
        until_ns = near.chain.tip().time_ns + WEEK_NS
        message = MsgTransfer(
            *hop(end), near.terms.denom, "7", wallet.address.text, receiver, ZERO_HEIGHT, until_ns, ""
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
    """Runs the daemon for so long, and then until nothing is left, at most five minutes."""
    hour = LiveHour(seconds, seed)
    with served(hour.chains, hour.under_way, BLOCK_S) as urls, _daemon(folder, hour, urls) as daemon:
        hour.begin()
        stop = threading.Event()
        senders = hour.users(stop)
        while hour.now_s < seconds or ((hour.waiting or hour.left()) and hour.now_s < seconds + _DRAIN_S):
            if hour.now_s >= seconds:
                stop.set()
            hour.look()
            time.sleep(_LOOK_S)
        stop.set()
        for each in senders:
            each.join()
        time.sleep(_READ_S)
        left, ended = hour.left(), daemon.poll() is not None
        daemon.terminate()
        code = daemon.wait(60)
        return _result(hour, left, None if ended else code, folder)


def _result(hour: LiveHour, left: int, code: int | None, folder: Path) -> LiveResult:
    first_s = min(each.first_s for each in hour.faults)
    quiet = [took for sent, took in hour.took_s if sent.at_s + took < first_s]
    untouched = [
        took for sent, took in hour.took_s if sent.at_s >= first_s and not hour.is_touched(sent, took)
    ]
    with closing(Ledger(folder / "fees.db")) as ledger:
        fees = {chain.terms.chain_id: (hour.paid(chain), _known(ledger, chain)) for chain in hour.chains}
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
    payer = chain.terms.wallet(RELAYER).address.text
    return spent(ledger, chain.terms.chain_id, payer).get(chain.terms.denom, 0)


@contextmanager
def _daemon(folder: Path, hour: LiveHour, urls: Sequence[Sequence[str]]) -> Iterator[subprocess.Popen[bytes]]:
    """`pyibc relay start`, whose log goes to `relayer.log`."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ['[relayer]\nlog = "info"\ninterval = 0.2']
    for chain, nodes in zip(hour.chains, urls, strict=True):
        terms = chain.terms
        write_private_file(folder / f"{terms.chain_id}.key", terms.key(RELAYER).hex())
        parts.append(
            f'[[chains]]\nid = "{terms.chain_id}"\nrpc = {json.dumps(list(nodes))}\n'
            f'prefix = "{terms.prefix}"\n'
            f'key = {{ file = "{terms.chain_id}.key" }}\n'
            f'fees = {{ denom = "{terms.denom}", price = "0.00{chain.number + 1}" }}'
        )
    for channel in hour.channels:
        a, b = channel.a, channel.b
        parts.append(f'[[paths]]\na = "{a.chain_id}"\nb = "{b.chain_id}"\nchannels = ["{a.channel_id}"]')
    (folder / "relayer.toml").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(folder / "relayer.toml")]
    with (folder / "relayer.log").open("wb") as log, subprocess.Popen(command, stderr=log) as process:  # noqa: S603 - ours
        try:
            yield process
        finally:
            process.kill()
