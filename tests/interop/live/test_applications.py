"""Applications between a chain of ours under CometBFT and ibc-go v11, both ways: our relayer, Hermes."""

from contextlib import ExitStack, closing

import pytest

from conformance.peers.hermes import Hermes
from conformance.peers.process import until
from localnet import applications
from localnet.relayers import HermesChain, HermesConfig
from pyibc.apps.gmp.messages import MsgSendCall
from pyibc.apps.gmp.packet_data import AccountIdentifier
from pyibc.apps.interchain_accounts.messages import MsgRegisterInterchainAccount, MsgSendTx
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3,
    InterchainAccountPacketData,
    decode_metadata,
)
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.coin import coin
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.relayer.interchain_tx import write_messages
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.discovery import known_path
from pyibc.relayer.paths.ends import channel_end
from pyibc.relayer.paths.handshake import event_attribute
from pyibc.relayer.paths.open_path import make_client_path
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop

HERMES_S = 90


MAKES = ("comet-go11", "go11-comet")
"""One of ours with every application, and ibc-go's; the first controls and sends."""


@pytest.fixture(scope="module", params=MAKES)
def pair(request, open_pair, tmp_path_factory):
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("applications")
        yield open_pair(stack, folder, request.param, plugins=[applications.NAME])


@pytest.fixture(scope="module")
def path(pair):
    """A channel for transfers, and the connection that it goes over."""
    return pair.open()


def submitted(chain, user, *messages):
    outcome = chain.submit(user, [pack_msg(message) for message in messages])
    assert outcome.code == 0, outcome.log
    return outcome


def bank_send(sender, receiver, amount):
    coins = [Coin(denom="stake", amount=str(amount))]
    told = MsgSend(from_address=sender, to_address=receiver, amount=coins)
    return AnyMessage("/cosmos.bank.v1beta1.MsgSend", told.SerializeToString())


def fund(chain, address, amount, user="relayer"):
    outcome = chain.submit(user, [bank_send(chain.address(user), address, amount)])
    assert outcome.code == 0, outcome.log


def registered(pair, user, connection_id, order):
    """Asks for a user's account; the channel's port and id."""
    message = MsgRegisterInterchainAccount(pair.a.address(user), connection_id, "", order)
    outcome = submitted(pair.a, user, message)
    return [event_attribute(outcome, "channel_open_init", name) for name in ("port_id", "channel_id")]


def account_of(pair, port_id, channel_id):
    version = channel_end(pair.a.as_user("relayer"), port_id, channel_id).version
    return decode_metadata(version).address


def execute(pair, user, connection_id, *messages):
    """A user has his account execute messages."""
    packet = InterchainAccountPacketData(EXECUTE_TX, write_messages(messages, PROTO3), "")
    message = MsgSendTx(pair.a.address(user), connection_id, packet, 600 * NS_PER_S)
    return submitted(pair.a, user, message)


@pytest.mark.parametrize(("user", "order"), [("alice", Order.UNORDERED), ("bob", Order.ORDERED)])
def test_an_interchain_account_is_registered_and_acts(pair, path, user, order):
    port_id, channel_id = registered(pair, user, path.a.connection_id, order)
    controlled = known_path(*pair.ends, port_id, channel_id)
    account = account_of(pair, port_id, channel_id)
    fund(pair.b, account, 100)
    bob = pair.b.balance("bob", "stake")
    sends = [bank_send(account, pair.b.address("bob"), amount) for amount in (3, 4)]
    execute(pair, user, path.a.connection_id, *sends)
    execute(pair, user, path.a.connection_id, bank_send(account, pair.b.address("bob"), 10_000))  # it has not
    told = pair.relay(controlled)
    assert (told.delivered, told.acknowledged, told.refused) == (2, 2, 0)
    assert pair.b.balance("bob", "stake") == bob + 7
    assert pair.b.balance(account, "stake") == 93


def test_a_transfer_is_forwarded_by_the_other_chain(pair, path):
    there, back = path, pair.open(new_channel=True)
    hop = f'{{"receiver":"{pair.a.address("bob")}","port":"transfer","channel":"{back.b.channel_id}"}}'
    memo = f'{{"forward":{hop}}}'
    message = pair.a.transfer("alice", there.a, coin("stake", 77), "pfm", memo=memo)
    outcome = pair.a.submit("alice", [message])
    assert outcome.code == 0, outcome.log
    with closing(Link([there, back], *pair.ends)) as link:
        link.until_idle()
    name = abroad("stake", there.b, back.a).coin_denom
    assert pair.a.balance("bob", name) == 77
    assert pair.a.supply(name) == 77


def test_what_cannot_be_forwarded_comes_home(pair, path):
    before, vouchers = pair.a.balance("alice", "stake"), pair.b.supply(abroad("stake", path.b).coin_denom)
    memo = '{"forward":{"receiver":"x","port":"transfer","channel":"channel-77"}}'
    outcome = pair.a.submit("alice", [pair.a.transfer("alice", path.a, coin("stake", 5), "pfm", memo=memo)])
    assert outcome.code == 0, outcome.log
    pair.relay(path)
    assert pair.a.balance("alice", "stake") == before
    assert pair.b.supply(abroad("stake", path.b).coin_denom) == vouchers


def test_a_call_is_executed_by_the_account_of_its_sender(pair):
    path = make_client_path(*pair.ends)
    sender = pair.a.address("alice")
    raw = AccountIdentifier(path.b.client_id, sender, b"salt").address
    account = AddressCodec("cosmos").encode(raw).text
    fund(pair.b, account, 50)
    bob = pair.b.balance("bob", "stake")
    payload = write_messages([bank_send(account, pair.b.address("bob"), 11)], PROTO3)
    until_s = pair.a.as_user("relayer").tip().time_ns // NS_PER_S + 600
    submitted(pair.a, "alice", MsgSendCall(path.a.client_id, sender, "", b"salt", payload, until_s, ""))
    with closing(Link([path], *pair.ends)) as link:
        told = link.until_idle()
    assert (told.delivered, told.acknowledged, told.refused) == (1, 1, 0)
    assert pair.b.balance("bob", "stake") == bob + 11
    assert pair.b.balance(account, "stake") == 39


@pytest.mark.parametrize("make", MAKES)
def test_hermes_brings_accounts_and_forwarded_transfers(open_pair, make, peer, tmp_path):
    """The handshake of the account's channel too: Hermes finds it in events."""
    peer("hermes")
    with ExitStack() as stack:
        relay_by_hermes(
            open_pair(stack, tmp_path, make, plugins=[applications.NAME], legacy_events=True), tmp_path
        )


def relay_by_hermes(pair, folder):
    there, back = pair.open(new_channel=True), pair.open(new_channel=True)
    chains = [HermesChain(chain.chain_id, chain.url, chain.grpc) for chain in (pair.a, pair.b)]
    hermes = Hermes(folder / "hermes", chains, HermesConfig(clear_interval=0, channels=True))
    with hermes.relaying():
        port_id, channel_id = registered(pair, "alice", there.a.connection_id, Order.UNORDERED)

        def is_open():
            end = channel_end(pair.a.as_user("relayer"), port_id, channel_id)
            return end is not None and end.state is ChannelState.OPEN

        until(is_open, "the account's channel opens", HERMES_S, hermes.last_words)
        account = account_of(pair, port_id, channel_id)
        fund(pair.b, account, 100, "bob")  # the relayer's account is Hermes's now
        bob = pair.b.balance("bob", "stake")
        execute(pair, "alice", there.a.connection_id, bank_send(account, pair.b.address("bob"), 3))
        until(lambda: pair.b.balance("bob", "stake") == bob + 3, "it acts", HERMES_S, hermes.last_words)
        hop = f'{{"receiver":"{pair.a.address("bob")}","port":"transfer","channel":"{back.b.channel_id}"}}'
        memo = f'{{"forward":{hop}}}'
        sent = pair.a.transfer("alice", there.a, coin("stake", 5), "pfm", memo=memo)
        assert pair.a.submit("alice", [sent]).code == 0
        name = abroad("stake", there.b, back.a).coin_denom
        until(lambda: pair.a.balance("bob", name) == 5, "it is forwarded", HERMES_S, hermes.last_words)
