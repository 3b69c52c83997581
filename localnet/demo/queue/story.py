"""The demo of queues from beginning to end, without Spark: what happened, and what the chains say of it."""

from pathlib import Path

from ibc_core.queue.types import End
from ibc_module.plugin import Config
from ibc_relayer.metrics import Metrics
from ibc_relayer.queue.link import NAIVE, Options, QueueLink
from ibc_relayer.queue.path import QueuePath, make_queue_path
from localnet.demo import traffic
from localnet.demo.actors import DemoChain, two_chains
from localnet.demo.queue.audit import books, entries, queue_story
from localnet.demo.queue.lane import QueueSide, sides
from localnet.demo.report import ChainStory, Say, Story, Tick
from localnet.demo.words import relayer_line
from localnet.queue import plugins_with_queues

HOMEWARDS = 6
TOO_LATE = 6
COMPARED = 30
"""Packets that each of the two relayers carries for the comparison."""


def run(out: Path, transfers: int, say: Say, tick: Tick) -> Story:
    """Tells the story of queues in the folder `out`, as `two_chains` lays it out.

    `say` is told each chapter, `tick` how many transfers were sent.
    """
    with two_chains(out, lambda: plugins_with_queues(Config())) as (a, b):
        say(f"{a.chain_id} and {b.chain_id}: four validators each, every block signed")
        paths = _register(a, b, say)
        scene = _Scene(a, b, paths, say)
        scene.rush(transfers, tick)
        scene.failures()
        scene.compare()
        scene.clean_up()
        scene.leave_one()
        return scene.story()


def _register(a: DemoChain, b: DemoChain, say: Say) -> list[QueuePath]:
    channels = tuple(End(chain.chain_id, "connection-0", "channel-0") for chain in (a, b))
    chain_level = make_queue_path(a.endpoint, b.endpoint)
    channel_level = make_queue_path(a.endpoint, b.endpoint, (channels[0], channels[1]))
    say("a light client each, and the four queues between the chains: packets there, receipts here, twice")
    say(f"four more of a channel, {channels[0].text} and {channels[1].text}, over the same clients")
    return [chain_level, channel_level]


class _Scene:
    """Two chains with registered ends, and the relayer that batches."""

    def __init__(self, a: DemoChain, b: DemoChain, paths: list[QueuePath], say: Say) -> None:
        self._a, self._b, self._paths, self._say = a, b, paths, say
        lanes = [sides(a, b, path) for path in paths]
        self._of_a, self._of_b = ([lane[0] for lane in lanes], [lane[1] for lane in lanes])
        self._link = self._relayer(Options())

    def _relayer(self, options: Options) -> QueueLink:
        return QueueLink(self._paths, self._a.endpoint, self._b.endpoint, options)

    def rush(self, transfers: int, tick: Tick) -> None:
        """Coins both ways over all queues, then vouchers home."""
        everywhere: list[QueueSide] = [
            side for pair in zip(self._of_a, self._of_b, strict=True) for side in pair
        ]
        traffic.rush(self._link, everywhere, transfers, tick)
        self._say(f"{transfers} packets of coins both ways: escrowed here, vouchers there, committed")
        home = sum(traffic.homewards(side, HOMEWARDS) for side in everywhere)
        self._link.until_idle()
        self._say(f"{home} packets of vouchers home, out of escrow again")

    def failures(self) -> None:
        """An error, packets taken back, and a packet that is too late for its handler."""
        traffic.to_nobody(self._of_a[0])
        self._link.until_idle()
        self._say("one to an address that is none: its receipt is an error, rolled back")
        for side in (self._of_a[1], self._of_b[0]):
            traffic.too_late(side, TOO_LATE)
        self._link.until_idle()
        self._say(f"{2 * TOO_LATE} that nobody relayed in time: taken back, one proof of absence an end")
        traffic.too_late(self._of_b[1], 1)
        traffic.there(self._of_b[1], 1, 0)
        self._link.until_idle()
        self._say(
            "one that expired before a fresh one: receipt TimeoutError without its handler, rolled back"
        )
        self._say(relayer_line(self._link.metrics))

    def compare(self) -> None:
        """The naive algorithm of [IBC-channels 3.7] beside batches, over the same queue."""
        self._say(f"{COMPARED} packets and their receipts, relayed by")
        for name, options in (("one by one", NAIVE), ("under one header", Options())):
            for side in (self._of_a[0], self._of_b[0]):
                traffic.there(side, COMPARED // 2, 0)
            self._say(f"  {name}: {_costs(self._relayer(options).until_idle())}")

    def clean_up(self) -> None:
        """Receipts that were handled leave the store."""
        before = [entries(chain) for chain in (self._a, self._b)]
        done = self._relayer(Options(clean=1)).until_idle()
        after = [entries(chain) for chain in (self._a, self._b)]
        sizes = " and ".join(f"{old} to {new}" for old, new in zip(before, after, strict=True))
        self._say(f"{done.cleaned_up} handled receipts cleaned up: entries in the stores from {sizes}")

    def leave_one(self) -> None:
        """A packet that nobody relays."""
        traffic.left_in_flight(self._of_a[1])
        self._say("one left in flight on purpose")

    def story(self) -> Story:
        """What the chains say now."""
        ours = (self._of_a, self._of_b)
        queues = [[queue_story(side) for side in own] for own in ours]
        chains = [
            ChainStory(
                own[0].chain.chain_id,
                own[0].chain.chain.height,
                sum(queue.tail - queue.head for queue in found),
                books(own),
            )
            for own, found in zip(ours, queues, strict=True)
        ]
        return Story((chains[0], chains[1]), (self._a.export, self._b.export), (*queues[0], *queues[1]))


def _costs(done: Metrics) -> str:
    cpu_us = sum(done.cpu_ns.values()) / 1000 / COMPARED
    return f"{done.transactions} transactions, {done.updates} updates, {cpu_us:.0f} us CPU a packet"
