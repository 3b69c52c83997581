"""The two ends of a channel have nothing in common: whoever takes one for the other finds nothing there.

Everything happens inside the test, so that it is the test that goes red without what it asks for.
"""

import pytest

from conformance.kit import sides
from conformance.kit.messages import Messages
from conformance.kit.pair import Pair
from conformance.kit.scenario import ACK
from conformance.kit.scripted_app import VERSION
from pyibc.core.channel.types import ChannelState, Order


def state(side, end):
    return side.keepers.channels.get(side.chain.app.query_context(), end.port_id, end.channel_id).state


def test_h23_the_ends_of_a_pair_differ_in_every_name():
    pair = Pair.connected()
    path = pair.open(pair.ports, Order.UNORDERED, VERSION)
    for name in ("chain_id", "client_id", "connection_id", "port_id", "channel_id"):
        assert getattr(path.a, name) != getattr(path.b, name), name
    assert all(ours != theirs for ours, theirs in zip(sides.A, sides.B, strict=True))
    numbers = {
        name.rpartition("-")[2] for name in (path.a.client_id, path.a.connection_id, path.a.channel_id)
    }
    assert len(numbers) == 3
    held = [
        [denom for denom in ("ualpha", "ubeta") if side.balance(side.user.wallet.address.raw, denom)]
        for side in (pair.a, pair.b)
    ]
    assert held == [["ualpha"], ["ubeta"]]


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED], ids=lambda order: order.name)
def test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end(order):
    """A channel's whole life: handshakes, a packet and its answer, closing at both sides."""
    pair = Pair.connected()
    a, b, to_a, to_b = pair.a, pair.b, Messages(pair, pair.a), Messages(pair, pair.b)
    path = pair.open(pair.ports, order, VERSION)
    packet = a.send(path.a, path.b, b"data")
    pair.sync()
    assert b.submit(to_b.recv(packet)).code == 0
    pair.sync()
    assert a.submit(to_a.acknowledge(packet, ACK)).code == 0
    assert a.keepers.packets.commitment(a.chain.app.query_context(), packet) is None
    assert b.submit(to_b.channel_close_init(path.b.channel_id)).code == 0
    pair.sync()
    assert a.submit(to_a.channel_close_confirm(path.a.channel_id, path.b.channel_id)).code == 0
    assert (state(a, path.a), state(b, path.b)) == (ChannelState.CLOSED, ChannelState.CLOSED)
