"""The demo of channels from beginning to end, without Spark: what happened, and what the chains say of it."""

from contextlib import closing
from pathlib import Path

from ibc_core.channel.types import Order
from ibc_relayer.link import Link
from ibc_relayer.open_path import make_path
from localnet.demo import audit, traffic
from localnet.demo.actors import DemoChain, two_chains
from localnet.demo.channel import ChannelSide, sides
from localnet.demo.report import ChainStory, Say, Story, Tick
from localnet.demo.words import relayer_line

HOMEWARDS = 12
TOO_LATE = 6


def run(out: Path, transfers: int, say: Say, tick: Tick) -> Story:
    """Tells the story of channels in the folder `out`, as `two_chains` lays it out.

    `say` is told each chapter, `tick` how many transfers were sent.
    """
    with two_chains(out) as (a, b):
        return _tell(a, b, transfers, say, tick)


def _tell(a: DemoChain, b: DemoChain, transfers: int, say: Say, tick: Tick) -> Story:
    say(f"{a.chain_id} and {b.chain_id}: four validators each, every block signed")
    path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    say(f"a light client each, a connection, and {path.a.channel_id}, unordered, ICS-20")
    both = sides(a, b, path)
    with closing(Link([path], a.endpoint, b.endpoint)) as link:
        traffic.rush(link, both, transfers, tick)
        say(f"{transfers} transfers both ways, in signed transactions of ten, relayed with proofs")
        home = sum(traffic.homewards(side, HOMEWARDS) for side in both)
        link.until_idle()
        say(f"{home} transfers of vouchers home, out of escrow again")
        traffic.to_nobody(both[0])
        link.until_idle()
        say("one to an address that is none: error acknowledgement, refunded")
        traffic.too_late(both[0], TOO_LATE)
        traffic.too_late(both[1], TOO_LATE)
        link.until_idle()
        say(f"{2 * TOO_LATE} that nobody relayed in time: timed out by proof of absence, refunded")
        traffic.left_in_flight(both[0])
        say("one left in flight on purpose")
        say(relayer_line(link.metrics))
    return Story((_chain_story(both[0]), _chain_story(both[1])), (a.export, b.export))


def _chain_story(side: ChannelSide) -> ChainStory:
    chain = side.chain
    return ChainStory(chain.chain_id, chain.chain.height, len(audit.open_packets(side)), audit.books(side))
