"""Our relayer and Hermes at once on one channel: nothing is lost, nothing is doubled."""

from contextlib import ExitStack, closing

import pytest

from conformance.peers.chain import sent_packets
from conformance.peers.hermes import Hermes
from conformance.peers.process import until
from localnet.relayers import HermesChain, HermesConfig
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop

BURSTS, PACKETS = 6, 10


def pending(chain, packets):
    keys = [paths.packet_commitment_path(p.port_id_on_a, p.channel_id_on_a, p.sequence) for p in packets]
    return [key for key in keys if chain.as_user("alice").get(key) is not None]


@pytest.mark.parametrize("make", ["comet-comet", "comet-go"])
def test_both_at_once(make, open_pair, peer, tmp_path):
    """Ours pays as bob, Hermes as the relayer: two accounts, one channel."""
    peer("hermes")
    with ExitStack() as stack:
        pair = open_pair(stack, tmp_path, make, legacy_events=True)
        ends = pair.a.as_user("bob"), pair.b.as_user("bob")
        path = make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
        chains = [HermesChain(chain.chain_id, chain.url, chain.grpc) for chain in (pair.a, pair.b)]
        hermes = Hermes(tmp_path / "hermes", chains, HermesConfig(clear_interval=5))
        stack.callback(hermes.stop)
        hermes.start()
        ours = stack.enter_context(closing(Link([path], *ends)))
        ways = ((pair, path.a, path.b), (pair.turned(), path.b, path.a))
        before = [balances(side, far) for side, _, far in ways]
        sent = []
        for _ in range(BURSTS):
            for side, near, _ in ways:
                receiver = side.b.address("alice")
                messages = [side.a.transfer("alice", near, coin("stake", 1), receiver)] * PACKETS
                outcome = side.a.submit("alice", messages)
                assert outcome.code == 0, outcome.log
                sent.append((side.a, sent_packets(outcome)))
            ours.round()
        for chain, packets in sent:
            until(lambda c=chain, p=packets: (ours.round(), not pending(c, p))[1], "packets are settled", 90)
        told = ours.until_idle()
        total = BURSTS * PACKETS
        assert [balances(side, far) for side, _, far in ways] == [
            (escrowed + total, minted + total) for escrowed, minted in before
        ]
        assert told.given_up == {}
        assert told.delivered > 0
        assert "relay" in hermes.words()


def balances(side, far):
    """What of a side's coins is abroad: by the other chain's supply, and by what its receiver holds."""
    name = abroad("stake", far).coin_denom
    return side.b.supply(name), side.b.balance("alice", name)
