"""Interchain accounts between two chains: controlled by modules, served by relayers, moved to new chains."""

from contextlib import closing
from dataclasses import replace

import pytest

from ibc_module import hookimpl
from ibc_module.plugin import Config
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3,
    InterchainAccountPacketData,
    controller_port,
)
from pyibc.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.application.classic import IbcApp
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.wire.message import decode_msg, pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.config.model import FilterConfig, PathConfig, RuleConfig
from pyibc.relayer.daemon.channel_pattern import scan_all
from pyibc.relayer.daemon.links import open_link
from pyibc.relayer.interchain_tx import write_messages
from pyibc.relayer.paths.discovery import discover, known_path
from pyibc.relayer.paths.ends import channels_of
from pyibc.testing.interchain_accounts import MINUTE_NS, account_of, register_account, send_tx
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import abroad, transfer

FUNDS = (coin("stake", 10**12), coin("uatom", 10**12))


class Watching(IbcApp):
    """The application below the controller."""

    def __init__(self):
        self.seen = []

    def on_chan_open_init(self, opening):
        self.seen.append(("init", opening.port_id))
        return "what it says is not asked"

    def on_chan_open_ack(self, opened):
        self.seen.append(("ack", opened.port_id))

    def on_chan_close_confirm(self, closing):
        self.seen.append(("closed", closing.port_id))

    def on_acknowledgement_packet(self, acknowledged):
        self.seen.append(("answered", acknowledged.packet.sequence))

    def on_timeout_packet(self, timed_out):
        self.seen.append(("timed out", timed_out.packet.sequence))


class Module:
    """A module of the chain that acts for owners, in begin block."""

    def __init__(self, accounts, watching):
        self.accounts, self.watching, self.todo = accounts, watching, []

    @hookimpl
    def chain_begin_block(self, ctx):
        while self.todo:
            self.todo.pop(0)(ctx, self.accounts.control)


class Net:
    """Two chains with interchain accounts; connections begin at different numbers."""

    def __init__(self):
        self.modules, self.watching = [], []

        def make():
            listed = self.listed()
            self.modules.append(listed[1])
            self.watching.append(listed[1].watching)
            return listed

        self.net = two_chains(plugins=make, funds=FUNDS)
        self.a, self.b = self.net.a, self.net.b
        transfers = self.net.open("transfer", Order.UNORDERED, "ics20-1")
        self.transfers = transfers
        self.on_a, self.on_b = transfers.a.connection_id, transfers.b.connection_id

    @staticmethod
    def listed():
        """One chain's plugins."""
        watching = Watching()
        accounts = InterchainAccountsPlugin(authentication=watching)
        return [accounts, Module(accounts, watching), *plugins(Config(authority=AUTHORITY))]

    def fund(self, account, amount=1000, denom="uatom"):
        paid = self.b.execute("bob", bank_send(self.b.address("bob"), account, amount, denom))
        assert paid.code == 0

    def balance(self, account, denom="uatom"):
        app = self.b.chain.app
        return app.bank.balance(app.query_context(), app.addresses.decode(account, "account").raw, denom)

    def send(self, user, messages, path, **options):
        """Sends and relays; the acknowledgement."""
        sent = self.a.execute(user, send_tx(self.a, user, self.on_a, messages, **options))
        assert sent.code == 0, sent.log
        self.net.relay(path)
        return self.answer()

    def answer(self):
        """What chain b wrote last."""
        found = [
            dict(attributes)["packet_ack_hex"]
            for height in range(1, self.b.chain.height + 1)
            for outcome in self.b.chain.block(height).txs
            for name, attributes in outcome.events
            if name == "write_acknowledgement"
        ]
        return bytes.fromhex(found[-1])

    def late(self):
        """Beyond every timeout."""
        self.net.clock.advance(2 * MINUTE_NS)
        for party in (self.a, self.b):
            party.chain.make_block([])


def entries(ctx, store):
    return list(ctx.reader(store).iterate(b"\0", None))


AUTHORITY = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn"


def bank_send(sender, receiver, amount, denom="uatom"):
    return AnyMessage(MSG_SEND, encode_send(sender, receiver, (coin(denom, amount),)))


@pytest.fixture
def net():
    made = Net()
    yield made
    made.net.close()


def test_an_account_transfers_home_again(net):
    """An IBC message of an interchain account: its coins come to chain a."""
    path = register_account(net.net, "alice", net.on_a)
    account = account_of(path)
    net.fund(account)
    bobs = transfer(net.b, "bob", net.transfers.b, "uatom", 40, net.a.address("alice"))
    own = replace(decode_msg(MsgTransfer, bobs.value), sender=account)
    assert acks.parse(net.send("alice", [pack_msg(own)], path)).error is None
    net.net.relay(net.transfers)
    assert net.balance(account) == 960
    assert net.a.balance("alice", abroad("uatom", net.transfers.a).coin_denom) == 40


def test_a_module_of_the_chain_registers_and_its_application_is_told(net):
    module, port_id = net.modules[0], controller_port("the_treasury")
    module.todo.append(
        lambda ctx, control: control.register(ctx, net.on_a, "the_treasury", ordering=Order.ORDERED)
    )
    net.a.chain.make_block([])
    [(channel_id, _)] = channels_of(net.a.endpoint, port_id)
    path = known_path(net.a.endpoint, net.b.endpoint, port_id, channel_id)
    account = account_of(path)
    net.fund(account)

    def pays(ctx, control):
        tx = write_messages([bank_send(account, net.b.address("bob"), 5)], PROTO3)
        data = InterchainAccountPacketData(EXECUTE_TX, tx, "")
        control.send(ctx, net.on_a, port_id, data, ctx.time_ns + MINUTE_NS)

    module.todo.append(pays)
    net.a.chain.make_block([])
    net.net.relay(path)
    assert net.balance(account) == 995
    module.todo.append(pays)
    net.a.chain.make_block([])
    net.late()
    net.net.relay(path)
    told = [("init", port_id), ("ack", port_id), ("answered", 1), ("timed out", 2)]
    assert list(dict.fromkeys(net.watching[0].seen)) == told
    assert net.watching[1].seen == []


def test_both_chains_move_to_new_ones(net):
    """Everything of both stores is in the genesis, and of the accounts that they are interchain accounts."""
    path = register_account(net.net, "alice", net.on_a, Order.ORDERED)
    net.modules[0].todo.append(lambda ctx, control: control.register(ctx, net.on_a, "the_treasury"))
    net.a.chain.make_block([])
    for party, store in ((net.a, "icacontroller"), (net.b, "icahost")):
        exported = party.chain.app.export_genesis()
        fresh = HostApp(party.chain.app.config, [*Net.listed()])
        fresh.init_chain(1, exported)
        fresh.finalize_block(2, [])
        fresh.commit()
        moved, here = fresh.query_context(), party.chain.app.query_context()
        assert entries(moved, store) == entries(here, store) != []
        assert entries(moved, "acc") == entries(here, "acc")
        assert fresh.export_genesis()["interchainaccounts"] == exported["interchainaccounts"]
    account = net.b.chain.app.addresses.decode(account_of(path), "account").raw
    assert fresh.accounts.get(moved, account).owner == path.a.port_id


def test_a_relayer_finds_the_ports_of_owners_and_serves_them(net, tmp_path):
    paths = [register_account(net.net, user, net.on_a) for user in ("alice", "bob")]
    ends = net.a.endpoint, net.b.endpoint
    port_id, channel_id = paths[1].a.port_id, paths[1].a.channel_id
    for pattern, number in (("icacontroller-*", 2), (port_id, 1), ("icahost", 0)):
        assert [each.is_usable for each in discover(*ends, port=pattern)] == [True] * number
    account = account_of(paths[1])
    net.fund(account)
    message = send_tx(net.a, "bob", net.on_a, [bank_send(account, net.b.address("alice"), 9)], memo="m" * 99)
    assert net.a.execute("bob", message).code == 0

    def serve(allowed):
        wanted = PathConfig(
            a=net.a.chain.chain_id,
            b=net.b.chain.chain_id,
            port=port_id,
            channels=(channel_id,),
            filter=FilterConfig(
                source=RuleConfig(allow=(allowed,)), max_memo=9, denom=RuleConfig(deny=("x",))
            ),
        )
        link = open_link(wanted, *ends, tmp_path / "journal.db")
        link.until_idle()
        link.close()

    serve(f"{paths[0].a.port_id}/*")
    assert net.balance(account) == 1000
    serve("icacontroller-*/channel-*")
    assert net.balance(account) == 991


def test_a_pattern_is_all_channels_that_fit(net, tmp_path):
    paths = [register_account(net.net, user, net.on_a) for user in ("alice", "bob")]
    ends = net.a.endpoint, net.b.endpoint
    names = {"a": net.a.chain.chain_id, "b": net.b.chain.chain_id}
    account = account_of(paths[1])
    net.fund(account)
    message = send_tx(net.a, "bob", net.on_a, [bank_send(account, net.b.address("alice"), 9)])
    assert net.a.execute("bob", message).code == 0
    wanted = PathConfig(**names, port="icacontroller-*", channels=("*",))
    (channels,) = scan_all(wanted, *ends).groups.values()
    assert {each.a for each in channels} == {each.a for each in paths}
    with closing(open_link(wanted, *ends, tmp_path / "journal.db", channels=channels)) as link:
        link.until_idle()
    assert net.balance(account) == 991
    assert scan_all(PathConfig(**names, port="icacontroller-x*", channels=("*",)), *ends).groups == {}
