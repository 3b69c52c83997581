"""Chains that change while others know them: a next revision, and applications that are added."""

import json
import logging
from contextlib import closing

import pytest

from ibc_module.hookspecs import Upgrade
from ibc_module.plugin import Config
from ibc_module.upgrades import PlannedUpgrade, PluginsChanged, UpgradeNeeded, UpgradePlugin
from localnet.chain import LocalChain
from localnet.errors import AwaitsUpgrade, NoSuchBlock
from localnet.settings import Genesis
from pyibc.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from pyibc.apps.rate_limit.messages import MsgAddRateLimit
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.config import HostConfig
from pyibc.codec.anys import AnyMessage
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade
from pyibc.core.client.types import UpgradePlan
from pyibc.core.coin import coin
from pyibc.core.errors import QuotaExceeded
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import ClientSettings, client_state
from pyibc.relayer.clients.upgrade import upgrade
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.discovery import known_path
from pyibc.testing.interchain_accounts import account_of, register_account, send_tx
from pyibc.testing.pair import Party, two_chains
from pyibc.testing.transfers import abroad, transfer

AUTHORITY = Wallet.from_seed("alice", "cosmos").address.text
HOUR_NS = 3_600 * 10**9


def listed(*extra):
    return [*extra, *plugins(Config(authority=AUTHORITY))]


def run_to(chain, height):
    while chain.height < height:
        chain.make_block()


def send(net, party, end, denom, amount):
    until = net.clock.now_ns + 24 * HOUR_NS
    message = transfer(party, "bob", end, denom, amount, net.a.address("bob"), until=until)
    return party.execute("bob", message)


def reopened(net, chain_id, home, plugins, *, genesis=None, upgrade=None):
    rules = HostConfig(chain_id, upgrade=upgrade)
    return LocalChain(chain_id, home, plugins=plugins, config=rules, genesis=genesis, clock=net.clock)


def committed(party, end):
    """Sequences that wait for an answer."""
    prefix = paths.packet_commitment_prefix(end.port_id, end.channel_id)
    return [
        int(key[len(prefix) :])
        for key, _ in party.chain.app.query_context().ibc.iterate(prefix, prefix + b":")
    ]


def plan_next_revision(net, at):
    """B is to become chain-b-2."""
    plan = UpgradePlan("v2", GO_ZERO_TIME_NS, at, "", has_client_state=False)
    state = client_state("chain-b-2", at + 1, ClientSettings())
    assert net.b.execute("alice", pack_msg(MsgIbcSoftwareUpgrade(plan, state, AUTHORITY))).code == 0


def follow(net, path, at):
    """A's client of B is upgraded, by whoever likes to."""
    client = ForeignClient(net.a.endpoint, net.b.endpoint, path.a.client_id)
    done = upgrade(client, at)
    if done is not None:
        assert done.outcome.code == 0
        assert (client.view().chain_id, client.view().latest) == ("chain-b-2", Height(2, at + 1))
    return done


def stop_at(net, at, caplog):
    """B comes to its upgrade: its last block, and the header above it."""
    chain = net.b.chain
    with caplog.at_level(logging.ERROR, "localnet"), pytest.raises(UpgradeNeeded, match="'chain-b-2'"):
        chain.make_block()
    said = 'chain-b-1: UPGRADE "v2" NEEDED at height: '
    assert [each.message.startswith(said) for each in caplog.records] == [True]
    assert (chain.height, chain.app.info().height) == (at - 1, at - 1)
    with pytest.raises(AwaitsUpgrade, match=f"chain-b-1 stopped at block {at}: UPGRADE"):
        chain.submit(b"")
    assert [has_header(chain, height) for height in (at - 1, at, at + 1)] == [True, True, False]
    return chain.app.info(), chain.light_block(at)


def has_header(chain, height):
    try:
        return chain.light_block(height).height == height
    except NoSuchBlock:
        return False


def test_h278_two_chains_live_through_an_upgrade(tmp_path, caplog):
    """B is planned to become a next revision: it stops, A's client follows, packets flow on both ways."""
    net = two_chains(plugins=listed, home=tmp_path)
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    assert send(net, net.a, path.a, "stake", 500).code == 0
    net.relay(path)
    at = net.b.chain.height + 6
    plan_next_revision(net, at)
    assert send(net, net.b, path.b, "stake", 8).code == 0
    net.b.chain.make_block()  # the header that proves it
    with closing(net.link(path)) as link:
        link.round()
    on_b, on_a = abroad("stake", path.b).coin_denom, abroad("stake", path.a).coin_denom
    assert net.a.balance("bob", on_a) == 8  # its answer is under way at the upgrade, and a packet of A
    assert send(net, net.a, path.a, "stake", 70).code == 0
    run_to(net.b.chain, at - 1)
    assert (committed(net.a, path.a), committed(net.b, path.b)) == ([2], [1])
    assert follow(net, path, at) is None  # the header that proves it is not signed yet
    stopped = stop_at(net, at, caplog)
    net.b.chain.close()

    old = reopened(net, "chain-b-1", tmp_path / "chain-b-1", listed())  # the same software stops again
    assert (old.app.info(), old.light_block(at)) == stopped
    net.b = Party(old, net.b.users)
    assert follow(net, path, at)
    exported = json.loads(json.dumps(old.app.export_genesis()))
    old.close()

    genesis = Genesis(exported, net.clock(), initial_height=at, keys_of="chain-b-1")
    new = reopened(net, "chain-b-2", tmp_path / "chain-b-2", listed(), genesis=genesis)
    net.b = Party(new, net.b.users)
    with closing(net):
        run_to(new, at + 1)
        path = known_path(net.a.endpoint, net.b.endpoint, "transfer", path.a.channel_id)
        net.relay(path)
        assert [*committed(net.a, path.a), *committed(net.b, path.b)] == []
        assert (net.b.balance("bob", on_b), net.a.balance("bob", on_a)) == (570, 8)
        assert send(net, net.a, path.a, "stake", 1000).code == 0
        assert send(net, net.b, path.b, "stake", 20).code == 0
        net.relay(path)
        assert (net.b.balance("bob", on_b), net.a.balance("bob", on_a)) == (1570, 28)
        assert ForeignClient(net.a.endpoint, net.b.endpoint, path.a.client_id).view().chain_id == "chain-b-2"


class Replica:
    """Another validator of a chain: executes its blocks on its own disk."""

    def __init__(self, home, chain, plugins):
        self.home, self.app = home, None
        self.start(plugins)
        self.app.init_chain(chain.block(1).time_ns, chain.app._genesis)

    def start(self, plugins, upgrade=None):
        if self.app is not None:
            self.app.store.close()
        self.app = HostApp(HostConfig("chain-b-1", upgrade=upgrade), plugins, self.home)

    def execute(self, chain):
        record = chain.record(self.app.store.next_version)
        txs = [each.tx for each in record.result.txs]
        final = self.app.finalize_block(record.header.time_ns, txs, record.header.next_validators_hash)
        return final.app_hash, record.result.app_hash

    def follow(self, chain, until):
        """Comes to the same app hash after each block."""
        while self.app.info().height < until:
            own, theirs = self.execute(chain)
            assert own == theirs
            self.app.commit()


def with_apps():
    apps = RateLimitPlugin(), InterchainAccountsPlugin()
    return listed(*apps, UpgradePlugin({"apps": Upgrade()}))


def test_h277_applications_that_an_upgrade_adds_work(tmp_path):
    """Interchain accounts and rate limits come to B, which two validators execute, at one height."""
    makes = iter([listed(InterchainAccountsPlugin(host=False)), listed()])
    net = two_chains(plugins=lambda: next(makes), home=tmp_path)
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    b, home = net.b.chain, tmp_path / "chain-b-1"
    replica = Replica(tmp_path / "replica", b, listed())
    planned = PlannedUpgrade("apps", b.height + 3)
    b.close()
    with pytest.raises(PluginsChanged, match=r"'ratelimit' .* is not in the state.*no upgrade is planned"):
        reopened(net, "chain-b-1", home, with_apps())
    b = reopened(net, "chain-b-1", home, listed(), upgrade=planned)
    run_to(b, planned.height - 1)
    with pytest.raises(UpgradeNeeded, match='UPGRADE "apps" NEEDED'):
        b.make_block()
    b.close()
    b = reopened(net, "chain-b-1", home, with_apps(), upgrade=planned)
    assert b.height == planned.height  # the block that was signed is the block of the upgrade
    net.b = Party(b, net.b.users)
    with closing(net):
        replica.follow(b, planned.height - 1)
        for _ in range(2):  # and it is killed once, in the block of the upgrade
            replica.start(with_apps(), planned)
            own, theirs = replica.execute(b)
            assert own == theirs
        uses_an_account(net, path)
        uses_a_limit(net, path)
        replica.follow(b, b.height)
        assert replica.app.info() == b.app.info()
        replica.app.store.close()


def uses_an_account(net, path):
    """An account on B pays from what it has, as its owner on A says."""
    accounts = register_account(net, "bob", path.a.connection_id)
    account = account_of(accounts)
    paid = AnyMessage(MSG_SEND, encode_send(net.b.address("bob"), account, [coin("stake", 90)]))
    assert net.b.execute("bob", paid).code == 0
    back = AnyMessage(MSG_SEND, encode_send(account, net.b.address("alice"), [coin("stake", 40)]))
    assert net.a.execute("bob", send_tx(net.a, "bob", path.a.connection_id, [back])).code == 0
    before = net.b.balance("alice", "stake")
    net.relay(accounts)
    assert net.b.balance("alice", "stake") == before + 40


def uses_a_limit(net, path):
    """A limit of B holds for the hour of its window, and the window ends."""
    net.relay(path)
    limit = MsgAddRateLimit(AUTHORITY, "stake", path.b.channel_id, 1, 1, 1)
    assert net.b.execute("alice", pack_msg(limit)).code == 0
    percent = 3 * 10**12 // 100
    for code in (0, QuotaExceeded.code):
        assert send(net, net.b, path.b, "stake", percent).code == code
    net.clock.advance(HOUR_NS)
    net.b.chain.make_block()
    assert send(net, net.b, path.b, "stake", percent).code == 0


def test_h277_a_chain_that_is_killed_before_it_commits_its_upgrade_executes_it_again(tmp_path, monkeypatch):
    """The block is stored with its results, the state is not: only the new software goes on from there."""
    net, planned, home = two_chains(plugins=listed), PlannedUpgrade("apps", 3), tmp_path / "chain"
    net.close()
    reopened(net, "chain-b-1", home, listed(), genesis=Genesis(time_ns=net.clock.now_ns)).close()

    def start(plugins):
        return reopened(net, "chain-b-1", home, plugins, genesis=Genesis(), upgrade=planned)

    with closing(start(listed())) as chain:
        run_to(chain, 2)
        with pytest.raises(UpgradeNeeded):
            chain.make_block()
    with monkeypatch.context() as patched:
        patched.setattr(HostApp, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            start(with_apps())
    with pytest.raises(UpgradeNeeded, match='UPGRADE "apps" NEEDED at height: 3'):
        start(listed())
    with closing(start(with_apps())) as chain:
        run_to(chain, 5)
        assert chain.block(3).app_hash == chain.record(4).header.app_hash
        assert "ratelimit" in chain.app.store.info(3).roots


def killed(_):
    raise KeyboardInterrupt
