"""The demo of channels, without Spark."""

from contextlib import closing
from pathlib import Path

from localnet.demo import supply_audit, user_transfers
from localnet.demo.chains import DemoChain, two_chains
from localnet.demo.report import Announce, ChainResult, DemoResult, OnProgress, relayer_summary
from localnet.demo.supply_audit import DemoChannelEnd, demo_ends
from pyibc.core.channel.types import Order
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path

RETURNED = 12
EXPIRING = 6


def run(out: Path, transfers: int, say: Announce, tick: OnProgress) -> DemoResult:
    """Run the demo of channels in the folder `out`, as laid out by `two_chains`.

    `say` receives a line per phase, `tick` the number of transfers sent so far.
    """
    with two_chains(out) as (a, b):
        return _play(a, b, transfers, say, tick)


def _play(a: DemoChain, b: DemoChain, transfers: int, say: Announce, tick: OnProgress) -> DemoResult:
    say(f"{a.chain_id} and {b.chain_id}: four validators each, every block signed")
    path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
    say(f"a light client each, a connection, and {path.a.channel_id}, unordered, ICS-20")
    both = demo_ends(a, b, path)
    with closing(Link([path], a.endpoint, b.endpoint)) as link:
        user_transfers.send_and_relay(link, both, transfers, tick)
        say(f"{transfers} transfers both ways, in signed transactions of ten, relayed with proofs")
        home = sum(user_transfers.return_vouchers(end, RETURNED) for end in both)
        link.until_idle()
        say(f"{home} transfers of vouchers home, out of escrow again")
        user_transfers.send_to_invalid_address(both[0])
        link.until_idle()
        say("one to an invalid address: error acknowledgement, refunded")
        user_transfers.send_expiring(both[0], EXPIRING)
        user_transfers.send_expiring(both[1], EXPIRING)
        link.until_idle()
        say(f"{2 * EXPIRING} not relayed in time: timed out by proof of absence, refunded")
        user_transfers.send_unrelayed(both[0])
        say("one left in flight on purpose")
        say(relayer_summary(link.metrics))
    return DemoResult((_chain_result(both[0]), _chain_result(both[1])), (a.export, b.export))


def _chain_result(end: DemoChannelEnd) -> ChainResult:
    chain = end.chain
    return ChainResult(
        chain.chain_id,
        chain.chain.height,
        len(supply_audit.open_packets(end)),
        supply_audit.supply_audit(end),
    )
