"""The demo from beginning to end, without Spark: what happened, and what the chains say of it."""

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import NamedTuple

from ibc_module.core.channel import Order
from ibc_module.relayer.link import Link
from ibc_module.relayer.metrics import Metrics
from ibc_module.relayer.open_path import make_path
from ibc_module.relayer.path import Path
from localnet.demo import audit, traffic
from localnet.demo.actors import DemoChain, SharedClock

CHAINS = (("alpha-1", "ualpha"), ("beta-1", "ubeta"))
USERS = 5
START_NS = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z: the clock of the demo, so that every run tells the same story."""
HOMEWARDS = 12
TOO_LATE = 6


class ChainStory(NamedTuple):
    """What one chain says at the end."""

    chain_id: str
    blocks: int
    open_packets: int
    books: audit.Books


class Story(NamedTuple):
    """What happened."""

    path: Path
    metrics: Metrics
    chains: tuple[ChainStory, ChainStory]
    exports: tuple[FilePath, FilePath]


def run(out: FilePath, transfers: int, say: Callable[[str], None], tick: traffic.Tick) -> Story:
    """Runs the demo in the folder `out`: state below `chains`, exported blocks below `export`.

    `say` is told each chapter, `tick` how many transfers were sent.
    """
    clock = SharedClock(START_NS)
    a, b = (
        DemoChain(chain_id, denom, out / "chains" / chain_id, out / "export" / chain_id, clock, USERS)
        for chain_id, denom in CHAINS
    )
    try:
        return _tell(a, b, out, transfers, say, tick)
    finally:
        a.close()
        b.close()


def _tell(
    a: DemoChain,
    b: DemoChain,
    out: FilePath,
    transfers: int,
    say: Callable[[str], None],
    tick: traffic.Tick,
) -> Story:
    say(f"{a.chain_id} and {b.chain_id}: four validators each, every block signed")
    path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    say(f"a light client each, a connection, and {path.a.channel_id}, unordered, ICS-20")
    both = traffic.sides(a, b, path)
    link = Link([path], a.endpoint, b.endpoint)
    try:
        traffic.rush(link, both, transfers, tick)
        say(f"{transfers} transfers both ways, in signed transactions of ten, relayed with proofs")
        for side in both:
            traffic.homewards(side, HOMEWARDS)
        link.until_idle()
        say(f"{2 * HOMEWARDS} transfers of vouchers home, out of escrow again")
        traffic.to_nobody(both[0])
        link.until_idle()
        say("one to an address that is none: error acknowledgement, refunded")
        traffic.too_late(both[0], TOO_LATE)
        traffic.too_late(both[1], TOO_LATE)
        link.until_idle()
        say(f"{2 * TOO_LATE} that nobody relayed in time: timed out by proof of absence, refunded")
        traffic.left_in_flight(both[0])
        say("one left in flight on purpose")
        metrics = link.metrics.copy()
    finally:
        link.close()
    chains = _chain_story(both[0]), _chain_story(both[1])
    return Story(path, metrics, chains, (out / "export" / a.chain_id, out / "export" / b.chain_id))


def _chain_story(side: traffic.Side) -> ChainStory:
    chain = side.chain
    return ChainStory(chain.chain_id, chain.chain.height, len(audit.open_packets(side)), audit.books(side))
