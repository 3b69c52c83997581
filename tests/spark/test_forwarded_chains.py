"""Three chains of ours that forward, as they export it: each transfer is followed over its hops, and back."""

from itertools import count

import pytest

from pyibc.apps.packet_forward.packet_data import Hop, write_memo
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.testing.pair import SECOND, ibc_plugins
from pyibc.testing.transfers import abroad, transfer
from pyibc.testing.triple import CHAIN_IDS, three_chains
from tests.index_results import table

ALPHA, BETA, GAMMA = CHAIN_IDS


def hop(end, receiver="pfm", **more):
    return Hop(receiver, end.port_id, end.channel_id, **more)


def lives(folder):
    """Sends one transfer of each amount, and relays all to their ends."""
    number = count()
    net = three_chains(
        plugins=lambda: [
            PacketForwardPlugin(),
            ExportPlugin(folder / CHAIN_IDS[next(number)], sync=True),
            *ibc_plugins(),
        ]
    )
    ab, bc, ca = net.open(net.a, net.b), net.open(net.b, net.c), net.open(net.c, net.a)
    bob, home = net.c.address("bob"), net.a.address("bob")

    def send(party, end, denom, amount, *hops):
        message = transfer(party, "alice", end, denom, amount, "pfm", memo=write_memo(hops))
        assert party.execute("alice", message).code == 0

    def back(amount):  # vouchers of gamma's coins: home over beta, where they are burned
        send(net.a, ab.a, abroad("ugamma", bc.a, ab.a).coin_denom, amount, hop(bc.a, "nobody"))

    send(net.a, ab.a, "ualpha", 11, hop(bc.a, bob))
    send(net.a, ab.a, "ualpha", 12, hop(bc.a, "nobody"))
    send(net.a, ab.a, "ualpha", 13, hop(bc.a), hop(ca.a, home))
    send(net.a, ab.a, "ualpha", 14, hop(bc.a), hop(ca.a, "nobody"))
    send(net.a, ab.a, "ualpha", 15, hop(bc.a, bob, timeout_ns=1, retries=2))
    send(net.a, ab.a, "ualpha", 16, hop(bc.a, bob, timeout_ns=20 * SECOND, retries=1))
    send(net.a, ab.a, "ualpha", 17, Hop("x", "transfer", "channel-99"))
    send(net.c, bc.b, "ugamma", 18, hop(ab.b, net.a.address("alice")))
    (first, *others) = net.links()
    first.until_idle()
    net.clock.advance(60 * SECOND)
    net.c.chain.make_block([])
    net.relay()
    back(9)
    net.relay()
    assert net.broken_laws() == []
    for link in (first, *others):
        link.close()
    net.close()


@pytest.fixture(scope="module")
def transfers(run, tmp_path_factory):

    folder = tmp_path_factory.mktemp("forwarded")
    lives(folder)
    run(folder / "out", *(folder / name for name in CHAIN_IDS))
    rows = table(folder / "out", "transfers")
    return sorted(rows, key=lambda row: (row["transfer_id"], row["hop"], row["sequence"]))


def journey(transfers, amount):
    (start,) = [row for row in transfers if row["amount"] == str(amount) and row["hop"] == 1]
    rows = [row for row in transfers if row["transfer_id"] == start["packet_id"]]
    assert len(rows) == len([row for row in transfers if row["amount"] == str(amount)])
    return [(row["hop"], row["src_chain"], row["dst_chain"], row["outcome"]) for row in rows]


@pytest.mark.parametrize(
    ("amount", "hops"),
    [
        (11, [(1, ALPHA, BETA, "delivered"), (2, BETA, GAMMA, "delivered")]),
        (12, [(1, ALPHA, BETA, "refunded"), (2, BETA, GAMMA, "refunded")]),
        (13, [(1, ALPHA, BETA, "delivered"), (2, BETA, GAMMA, "delivered"), (3, GAMMA, ALPHA, "delivered")]),
        (14, [(1, ALPHA, BETA, "refunded"), (2, BETA, GAMMA, "refunded"), (3, GAMMA, ALPHA, "refunded")]),
        (15, [(1, ALPHA, BETA, "refunded"), *[(2, BETA, GAMMA, "refunded")] * 3]),
        (16, [(1, ALPHA, BETA, "delivered"), (2, BETA, GAMMA, "refunded"), (2, BETA, GAMMA, "delivered")]),
        (17, [(1, ALPHA, BETA, "refunded")]),
        (18, [(1, GAMMA, BETA, "delivered"), (2, BETA, ALPHA, "delivered")]),
        (9, [(1, ALPHA, BETA, "refunded"), (2, BETA, GAMMA, "refunded")]),
    ],
)
def test_a_transfer_is_followed_to_its_end(transfers, amount, hops):
    assert journey(transfers, amount) == hops
