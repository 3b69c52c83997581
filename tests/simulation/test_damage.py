"""A node's damaged answers, read by production's client: whatever they say, it has a name in its table."""

from contextlib import suppress
from random import Random
from types import SimpleNamespace

import pytest

from conformance.simulation.damage import KINDS, Damage
from conformance.simulation.network import CallFaults, gas_of
from conformance.simulation.nodes import SUPPLY
from conformance.simulation.rpc import CONFIG, URL, Wire
from conformance.simulation.world import IDENTITIES
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.bank.send import MSG_SEND
from pyibc.chain.config import HostConfig
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.host.context import Config
from pyibc.core.paths import client_state_path
from pyibc.default_plugins import plugins
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.rpc.client import HttpRpc
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing.pair import START_NS

IDENTITY = IDENTITIES[0]
WALLET = IDENTITY.wallet("relayer-1")


class Node:
    """A chain that nothing befalls."""

    identity, is_up = IDENTITY, True

    def __init__(self) -> None:
        state = funded([(WALLET.address.text, (coin(IDENTITY.denom, SUPPLY),))])
        self.chain = LocalChain(
            IDENTITY.chain_id,
            plugins=plugins(Config(account_prefix=IDENTITY.prefix)),
            config=HostConfig(IDENTITY.chain_id, IDENTITY.prefix),
            genesis=Genesis(state, START_NS, 1),
        )

    def perform(self, run) -> None:
        run(self.chain)

    def announce(self) -> None:
        """Nobody compares."""


class Damaging(CallFaults):
    """One kind of damage befalls one call."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.kind, self.before = "", 0  # so many calls pass before

    def damage_of(self, _chain_id) -> Damage:
        self.before -= 1
        return Damage("" if self.before + 1 else self.kind, self.choice)


@pytest.fixture(scope="module")
def reached(tmp_path_factory):
    """A node, and what carries calls to it, with what befalls them."""
    node, call_faults = Node(), Damaging()
    for _ in range(3):
        node.chain.make_block()
    wire = Wire(node, call_faults)
    config = CONFIG._replace(sleep=wire.waits)
    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "fees.db")
    yield SimpleNamespace(node=node, call_faults=call_faults, config=config, wire=wire, ledger=ledger)
    ledger.close()


def payment() -> AnyMessage:
    one = [Coin(denom=IDENTITY.denom, amount="1")]
    message = MsgSend(from_address=WALLET.address.text, to_address=WALLET.address.text, amount=one)
    return AnyMessage(MSG_SEND, message.SerializeToString())


def calls(reached):
    """One of each, at an endpoint that keeps nothing."""
    chain = reached.node.chain
    rpc, terms = HttpRpc(URL, reached.config, reached.wire), {"gas": gas_of(reached.node)}
    made = RpcEndpoint(rpc, WALLET, **terms, config=reached.config, ledger=reached.ledger)
    yield made.tip
    yield lambda: made.block(chain.height)
    yield lambda: made.light_block(chain.height - 1)
    yield lambda: made.get(client_state_path("07-tendermint-0"))
    yield lambda: made.prove(client_state_path("07-tendermint-0"), chain.height - 1)
    yield lambda: made.grpc("/ibc.core.channel.v1.Query/Channels", b"")
    yield lambda: made.find(("send_packet", ("transfer", "channel-0"), 1))
    yield lambda: made.submit([payment()])


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_answered_has_an_error_that_the_table_knows(reached, kind):
    for seed in range(12):
        reached.call_faults.choice = Random(seed)
        for call in calls(reached):
            reached.call_faults.kind, reached.call_faults.before = (
                kind,
                reached.call_faults.choice.randrange(6),
            )
            with suppress(EndpointUnavailable, EndpointRefused, MalformedAnswer):
                call()
            reached.call_faults.kind = ""
            reached.wire.close()
