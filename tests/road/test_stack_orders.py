"""Rate limits, forwarding and callbacks around ICS-20, in any order: all that ibc-go allows."""

import json
from itertools import permutations

import pytest

from conformance.kit.contracts import STORE, ContractsPlugin, ScriptedContract
from pyibc.apps.callbacks.contract import SourceAcknowledged
from pyibc.apps.callbacks.plugin import CallbacksPlugin
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.core.errors import InvalidRequest
from pyibc.core.packet import acknowledgement as acks
from pyibc.testing.pair import SECOND, ibc_plugins
from pyibc.testing.transfers import abroad, transfer
from pyibc.testing.triple import NATIVE, three_chains
from tests.sampling import sample

LAYERS = {"rate limits": RateLimitPlugin, "forwarding": PacketForwardPlugin, "callbacks": CallbacksPlugin}
ORDERS = list(permutations(LAYERS))
SOME = sample(ORDERS, 2, "orders of layers")
START = 10**6
COIN = NATIVE[0]


class Stacked:
    """Three chains in a row whose ICS-20 has the three layers, outermost first; a contract on each."""

    def __init__(self, order):
        self.contracts = []
        make = lambda: self._plugins(order)  # noqa: E731
        self.net = three_chains(plugins=make, users=("alice", "bob"), amount=START)
        self.a, self.b, self.c = self.net.parties
        self.near = self.net.open(self.a, self.b)
        self.far = self.net.open(self.b, self.c)

    def _plugins(self, order):
        contract = ScriptedContract()
        self.contracts.append(contract)
        layers = [LAYERS[name]() for name in order]
        return [*layers, *ibc_plugins(), ContractsPlugin({"here": contract})]

    def forward(self, *, seconds=600, receiver=None):
        """Alice of A sends by way of B to Bob of C, and names a contract on A and one on B."""
        to = self.c.address("bob") if receiver is None else receiver
        hop = {"receiver": to, "port": "transfer", "channel": self.far.a.channel_id}
        memo = {
            "src_callback": {"address": "here", "calldata": "0a"},
            "dest_callback": {"address": "here", "calldata": "0b"},
            "forward": {**hop, "timeout": seconds * SECOND, "retries": 0},
        }
        message = transfer(
            self.a, "alice", self.near.a, COIN, 7, self.b.address("bob"), memo=json.dumps(memo)
        )
        assert self.a.execute("alice", message).code == 0

    def noted(self, party):
        return {
            kind: (party.endpoint.get(f"here/{kind}".encode(), STORE) or b"\0")[0]
            for kind in ("SourceSent", "SourceAcknowledged", "SourceTimedOut", "DestinationReceived")
        }


def told(*, sent=0, acknowledged=0, timed_out=0, received=0):
    return dict(
        zip(
            ("SourceSent", "SourceAcknowledged", "SourceTimedOut", "DestinationReceived"),
            (sent, acknowledged, timed_out, received),
            strict=True,
        )
    )


def hears_in_the_middle(order):
    """Callbacks within forwarding see no memo; around it they see the answer that comes late."""
    return order.index("callbacks") < order.index("forwarding")


@pytest.mark.parametrize("order", ORDERS, ids="/".join)
def test_what_is_forwarded_arrives_and_each_contract_hears_of_it(order):
    net = Stacked(order)
    net.forward()
    net.net.relay()
    assert net.a.balance("alice", COIN) == START - 7
    assert net.c.balance("bob", abroad(COIN, net.near.b, net.far.b).coin_denom) == 7
    assert net.noted(net.a) == told(sent=1, acknowledged=1)
    assert net.noted(net.b) == told(received=int(hears_in_the_middle(order)))
    assert net.noted(net.c) == told()  # what is forwarded has no memo of callbacks
    assert net.net.broken_laws() == []
    net.net.close()


@pytest.mark.parametrize("order", SOME, ids="/".join)
def test_what_the_last_chain_refuses_comes_all_the_way_back(order):
    net = Stacked(order)
    net.forward(receiver="nobody")
    net.net.relay()
    assert net.a.balance("alice", COIN) == START
    assert net.noted(net.a) == told(sent=1, acknowledged=1)
    assert net.noted(net.b) == told(received=int(hears_in_the_middle(order)))
    answer = [each for each in net.contracts[0].seen if isinstance(each, SourceAcknowledged)][-1]
    assert not acks.parse(answer.acknowledgement).success
    assert net.net.broken_laws() == []
    net.net.close()


@pytest.mark.parametrize("order", SOME, ids="/".join)
def test_a_contract_in_the_middle_holds_nothing_up(order):
    """Around forwarding it is told of an answer that is written already; within it is not told."""

    def refuse(_ctx, _told):
        raise InvalidRequest("no")

    net = Stacked(order)
    net.contracts[1].act = refuse
    net.forward()
    net.net.relay()
    assert net.c.balance("bob", abroad(COIN, net.near.b, net.far.b).coin_denom) == 7
    assert bool(net.contracts[1].seen) == hears_in_the_middle(order)
    assert net.noted(net.b) == told()
    assert net.net.broken_laws() == []
    net.net.close()
