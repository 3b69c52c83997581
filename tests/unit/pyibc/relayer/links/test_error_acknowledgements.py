"""Error acknowledgements are counted apart, over channels and over clients."""

from contextlib import closing

import pytest

from pyibc.cli.relay.clear import _line, _row
from pyibc.core.channel.types import Order
from pyibc.relayer.metrics import Metrics
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer, transfer_v2


@pytest.mark.parametrize("over", ["channel", "clients"])
def test_refused_transfers_are_not_told_as_if_they_had_arrived(over):
    with closing(two_chains()) as net:
        is_v2 = over == "clients"
        path = net.open_clients() if is_v2 else net.open("transfer", Order.UNORDERED, "ics20-1")
        for receiver in (net.b.address("bob"), "nobody", "cosmos1nobody"):
            send = transfer_v2 if is_v2 else transfer
            message = send(net.a, "alice", path.a, "stake", 5, receiver)
            assert net.a.execute("alice", message).code == 0
        with closing(net.link(path)) as link:
            done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.failed) == (3, 3, 2)
    assert _line(_row("p", done, 0, "")) == (
        "p: delivered 3, acknowledged 3 (2 with an error), timed out 0, left 0"
    )


def test_without_refusals_nothing_is_said_of_them():
    assert Metrics(acknowledged=3).acknowledged_text == "acknowledged 3"
