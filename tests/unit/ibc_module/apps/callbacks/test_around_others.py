"""Callbacks around interchain accounts and GMP: whom they take for the sender, and who is asked."""

import pytest

from conformance.kit.callback_net import asks
from conformance.kit.contracts import STORE, ContractsPlugin, ScriptedContract
from ibc_core.channel.types import Order
from ibc_core.errors import InvalidCallbackData, InvalidRequest
from ibc_core.gmp.cosmos_tx import cosmos_tx
from ibc_core.gmp.msg_send_call import MsgSendCall
from ibc_core.gmp.names import PORT_ID
from ibc_core.packet_v2.types import NS_PER_S, SENTINEL
from ibc_core.wire.anys import pack
from ibc_core.wire.message import pack_msg
from ibc_module.apps.callbacks.plugin import CallbacksPlugin
from ibc_module.apps.gmp.plugin import GmpPlugin
from ibc_module.apps.interchain_accounts.plugin import CONTROLLER_KEY, InterchainAccountsPlugin
from ibc_proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from ibc_proto.cosmos.base.v1beta1.coin_pb2 import Coin
from ibc_relayer.wallet import Wallet
from ibc_testing.interchain_accounts import account_of, register_account, send_tx
from ibc_testing.two_chains import ibc_plugins, two_chains

ALICE = Wallet.from_seed("alice", "cosmos").address.text
BOTH = (("transfer", CONTROLLER_KEY), ("transfer", PORT_ID))


def payment(sender, receiver):
    """One stake, as an account is to pay it."""
    coins = [Coin(denom="stake", amount="1")]
    return pack(MsgSend(from_address=sender, to_address=receiver, amount=coins))


class Net:
    """Chains with everything under callbacks; `contract` is chain A's, at `here` and where `at` says."""

    def __init__(self, *at):
        self.contracts = []
        self.at = at
        self.pair = two_chains(plugins=self._plugins)
        self.a, self.b = self.pair.a, self.pair.b

    def _plugins(self):
        contract = ScriptedContract()
        self.contracts.append(contract)
        registered = ContractsPlugin(dict.fromkeys(("here", *self.at), contract))
        layers = [CallbacksPlugin(*BOTH), InterchainAccountsPlugin(), GmpPlugin()]
        return [*layers, *ibc_plugins(), registered]

    def noted(self, address):
        kinds = ("SourceSent", "SourceAcknowledged")
        found = [self.a.endpoint.get(f"{address}/{kind}".encode(), STORE) for kind in kinds]
        return [(each or b"\0")[0] for each in found]

    def told(self):
        return self.contracts[0].seen[-1]


@pytest.fixture
def make():
    made = []

    def new(*at):
        made.append(Net(*at))
        return made[-1]

    yield new
    for each in made:
        each.pair.close()


def owned(net):
    """Alice's account on B, and what sends to it with a memo."""
    on_a = net.pair.open("transfer", Order.UNORDERED, "ics20-1").a.connection_id
    path = register_account(net.pair, "alice", on_a)
    message = payment(account_of(path), net.b.address("bob"))
    return path, lambda memo: net.a.execute("alice", send_tx(net.a, "alice", on_a, [message], memo=memo))


def test_the_owner_of_an_interchain_account_is_the_sender(make):
    net = make()
    path, send = owned(net)
    outcome = send(asks("src", "here"))
    assert outcome.code == 0
    assert net.told().asked.sender == ALICE
    net.pair.relay(path)
    assert net.noted("here") == [1, 1]
    assert net.told().asked.version == path.version
    assert net.contracts[1].seen == []


def test_a_contract_may_refuse_what_an_interchain_account_is_to_do(make):
    def refuse(_ctx, _told):
        raise InvalidRequest("no")

    net = make()
    _, send = owned(net)
    net.contracts[0].act = refuse
    assert send(asks("src", "here")).code == InvalidRequest.code
    refused = send(asks("src", ""))
    assert (refused.codespace, refused.code) == (InvalidCallbackData.codespace, InvalidCallbackData.code)
    assert net.noted("here") == [0, 0]


def call(net, memo=""):
    """Alice's account on B is to pay, and has nothing: the call fails there."""
    path = net.pair.open_clients()
    until = net.a.chain.tip().time_ns // NS_PER_S + 600
    payload = cosmos_tx([payment(ALICE, net.b.address("bob"))])
    msg = MsgSendCall(path.a.client_id, ALICE, "", b"", payload, until, memo, "")
    return path, net.a.execute("alice", pack_msg(msg))


def test_an_account_with_a_key_calls_and_has_nobody_to_be_told(make):
    net = make()
    path, outcome = call(net, asks("src", "here"))
    assert outcome.code == 0
    assert not any("callback" in kind for kind, _ in outcome.events)
    net.pair.relay(path)
    assert net.contracts[0].seen == []  # GMP calls back at the sender, whatever the memo says


def test_the_contract_at_the_sender_hears_of_each_call(make):
    net = make(ALICE)
    path, outcome = call(net)
    assert outcome.code == 0
    assert (net.told().asked.address, net.told().asked.sender) == (ALICE, ALICE)
    net.pair.relay(path)
    assert net.told().acknowledgement == SENTINEL
    assert net.noted(ALICE) == [1, 1]
    assert net.told().asked.version == "ics27-2"
