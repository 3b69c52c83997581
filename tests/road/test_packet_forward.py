"""Transfers over two and three channels, with real proofs: what is tried again, waits or cannot come back."""

import pytest

from pyibc.apps.packet_forward.packet_data import Hop, write_memo
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.packet_forward.state import STORE_NAME
from pyibc.core.errors import ForwardRetriesExhausted
from pyibc.core.packet import acknowledgement as acks
from pyibc.testing.pair import SECOND, ibc_plugins
from pyibc.testing.transfers import abroad, in_escrow, supply, transfer
from pyibc.testing.triple import three_chains

FUNDS = 10**12


@pytest.fixture
def net():
    """Alpha and beta, beta and gamma, gamma and alpha, each pair with a channel."""
    made = three_chains(plugins=lambda: [PacketForwardPlugin(), *ibc_plugins()])
    made.ab, made.bc, made.ca = (
        made.open(made.a, made.b),
        made.open(made.b, made.c),
        made.open(made.c, made.a),
    )
    yield made
    made.close()


def hop(end, receiver="anybody", **more):
    return Hop(receiver, end.port_id, end.channel_id, **more)


def send(party, end, denom, amount, *hops, receiver="anybody"):
    memo = write_memo(hops) if hops else ""
    outcome = party.execute("alice", transfer(party, "alice", end, denom, amount, receiver, memo=memo))
    assert outcome.code == 0, outcome.log


def settled(net):
    """Whether nothing waits any more; and ICS-20's laws hold."""
    assert net.broken_laws() == []
    return not waiting(net)


def waiting(net):
    return [
        key
        for party in net.parties
        for key, _ in party.chain.app.query_context().reader(STORE_NAME).iterate(b"\0", None)
    ]


def answers(party):
    """What the acknowledgements that came to a chain say, each as its event has it."""
    found = []
    for height in range(1, party.chain.height + 1):
        for outcome in party.chain.block(height).txs:
            for name, attributes in outcome.events:
                if name == "fungible_token_packet" and "error" in dict(attributes):
                    found.append(dict(attributes)["error"])
    return found


@pytest.mark.parametrize("retries", [0, 2])
def test_h170_what_is_late_as_often_as_it_is_tried_comes_back(net, retries):
    last = hop(net.bc.a, net.c.address("bob"), timeout_ns=1, retries=retries)  # late in any block after
    send(net.a, net.ab.a, "ualpha", 5, last)
    net.relay()
    assert net.a.balance("alice", "ualpha") == FUNDS
    assert supply(net.c, abroad("ualpha", net.ab.b, net.bc.b).coin_denom) == 0
    assert answers(net.a) == [acks.failure_text(ForwardRetriesExhausted("", ""))]
    assert sent_on(net.b) == retries + 1
    assert settled(net)


def sent_on(party):
    blocks = [party.chain.block(height) for height in range(1, party.chain.height + 1)]
    events = [event for block in blocks for outcome in block.txs for event in outcome.events]
    return sum(1 for name, _ in events if name == "send_packet")


def test_a_try_that_is_in_time_arrives(net):
    send(net.a, net.ab.a, "ualpha", 5, hop(net.bc.a, net.c.address("bob"), timeout_ns=20 * SECOND, retries=1))
    first, second, _ = net.links()
    first.until_idle()
    net.clock.advance(60 * SECOND)
    net.c.chain.make_block([])
    net.relay()
    assert net.c.balance("bob", abroad("ualpha", net.ab.b, net.bc.b).coin_denom) == 5
    assert sent_on(net.b) == 2
    assert settled(net)
    second.close()


def test_what_waits_is_exported(net):
    send(net.a, net.ab.a, "ualpha", 5, hop(net.bc.a, net.c.address("bob")))
    first, *_ = net.links()
    first.until_idle()
    app = net.b.chain.app
    exported = app.pipeline.export_genesis(app.query_context())[STORE_NAME]["in_flight_packets"]
    key = f"{net.bc.a.channel_id}/transfer/1"
    assert list(exported) == [key]
    assert exported[key]["refund_channel_id"] == net.ab.b.channel_id
    assert exported[key]["packet_src_channel_id"] == net.ab.a.channel_id
    assert net.broken_laws() == []
    net.relay()
    assert settled(net)


def test_straight_back_over_one_channel_and_refused_leaves_vouchers_in_escrow(net):
    """As in ibc-go: what was burned on the way back is made again, and nobody can take it out.

    The sender has his coins back, and only that one chain's count of vouchers is too high: to take them out,
    alpha would have to send vouchers of them, of which there are none.
    """
    send(net.a, net.ab.a, "ualpha", 5, hop(net.ab.b, "nobody"))
    net.relay()
    left = abroad("ualpha", net.ab.b).coin_denom
    assert net.a.balance("alice", "ualpha") == FUNDS
    assert in_escrow(net.a, net.ab.a, "ualpha") == 0
    assert (supply(net.b, left), in_escrow(net.b, net.ab.b, left)) == (5, 5)
    assert waiting(net) == []
    (fault,) = net.broken_laws()
    assert "0 of ualpha in escrow, expected 5" in fault
