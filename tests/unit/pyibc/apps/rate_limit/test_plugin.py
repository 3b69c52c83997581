"""Rate limits in a chain: who sets and reads them, when windows end, how they outlive a restart."""

import pytest

from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import HOUR_NS, Flow, HourEpoch, Quota, RateLimit, WhitelistedAddressPair
from pyibc.apps.rate_limit.messages import (
    MsgAddRateLimit,
    MsgRemoveRateLimit,
    MsgResetRateLimit,
    MsgUpdateRateLimit,
)
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.core.application.classic import IbcApp
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.v2 import IbcAppV2
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.errors import (
    DenomIsBlacklisted,
    InvalidEpoch,
    InvalidSdkAddress,
    InvalidSdkRequest,
    QuotaExceeded,
    RateLimitAlreadyExists,
    RateLimitChannelNotFound,
    RateLimitNotFound,
    UnauthorizedTx,
    ZeroChannelValue,
)
from pyibc.core.height import Height
from pyibc.core.setup_error import WiringError
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer

AUTHORITY = Wallet.from_seed("alice", "cosmos").address.text
STRANGER = Wallet.from_seed("bob", "cosmos").address.text


class Net:
    """Two chains with a channel and two clients; alice governs both."""

    def __init__(self):
        self.limits = []
        self.pair = two_chains(plugins=self.listed, funds=(coin("grain", 1_000), coin("stake", 10**12)))
        self.a, self.b, self.clock = self.pair.a, self.pair.b, self.pair.clock
        self.path = self.pair.open("transfer", Order.UNORDERED, "ics20-1")
        self.path_v2 = self.pair.open_clients()

    def listed(self):
        self.limits.append(RateLimitPlugin())
        return [*plugins(Config(authority=AUTHORITY)), self.limits[-1]]

    def send(self, amount, denom="grain", receiver=None, **options):
        to = self.b.address("bob") if receiver is None else receiver
        return self.a.execute("alice", transfer(self.a, "alice", self.path.a, denom, amount, to, **options))

    def relay(self):
        self.pair.relay(self.path, self.path_v2)


@pytest.fixture
def net():
    made = Net()
    yield made
    made.pair.close()


def add(over, denom="grain", send=10, recv=5, hours=24, signer=AUTHORITY):
    return MsgAddRateLimit(signer, denom, over, send, recv, hours)


# -- coins; the supply of grain is 3000: two users and the relayer


# -- who sets them


def stage(net):
    return StagedBlock(net.a.chain)


@pytest.mark.parametrize("kind", [MsgAddRateLimit, MsgUpdateRateLimit, MsgRemoveRateLimit, MsgResetRateLimit])
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"signer": STRANGER}, UnauthorizedTx),
        ({"signer": "nobody"}, InvalidSdkAddress),
        ({"denom": ""}, InvalidSdkRequest),
    ],
)
def test_messages_that_are_refused(net, kind, changes, error):
    over, here = net.path.a.channel_id, stage(net)
    assert here.attempt(pack_msg(add(over))).error is None
    rest = (1, 1, 1) if kind in {MsgAddRateLimit, MsgUpdateRateLimit} else ()
    given = {"signer": AUTHORITY, "denom": "grain", **changes}
    expect_refusal(here, pack_msg(kind(given["signer"], given["denom"], over, *rest)), error)


def test_limits_that_cannot_be_added(net):
    over, here = net.path.a.channel_id, stage(net)
    expect_refusal(here, pack_msg(add(over, "nocoin")), ZeroChannelValue)
    expect_refusal(here, pack_msg(add("channel-98")), RateLimitChannelNotFound)
    expect_refusal(here, pack_msg(add("07-tendermint-98")), RateLimitChannelNotFound)
    expect_refusal(here, pack_msg(add("strange-1")), RateLimitChannelNotFound)
    assert here.attempt(pack_msg(add(over))).error is None
    expect_refusal(here, pack_msg(add(over, send=50)), RateLimitAlreadyExists)
    assert here.attempt(pack_msg(add(net.path_v2.a.client_id))).error is None


# -- lists, which have no messages


def refuses(here, message, error):
    """A message that fails after writes, which the host undoes."""
    before = here.writes()
    with pytest.raises(error):
        here.run(message)
    assert here.writes() == before


def test_the_host_sets_the_lists(net):
    here, plugin = stage(net), net.limits[0]
    message = transfer(net.a, "alice", net.path.a, "grain", 5, net.b.address("bob"))
    plugin.blacklist_denom(here.ctx, "grain")
    refuses(here, message, DenomIsBlacklisted)
    plugin.unblacklist_denom(here.ctx, "grain")
    assert here.attempt(pack_msg(add(net.path.a.channel_id, send=0))).error is None
    refuses(here, message, QuotaExceeded)
    pair = WhitelistedAddressPair(net.a.address("alice"), net.b.address("bob"))
    plugin.whitelist_pair(here.ctx, pair)
    here.run(message)
    plugin.unwhitelist_pair(here.ctx, pair)
    refuses(here, message, QuotaExceeded)


# -- hours


def begin(here, hours_later):
    """The begin block of a block so many hours after the epoch began."""
    now = state.epoch(here.ctx)
    here.ctx.time_ns = now.start_ns + hours_later * HOUR_NS + 1
    here.ctx.height = Height(1, 777)


def test_a_limit_of_no_hours_lasts(net):
    """No message makes one; a genesis may have it."""
    here, over, plugin = stage(net), net.path.a.channel_id, net.limits[0]
    endless = RateLimit("grain", over, Quota(1, 1, 0), Flow(5, 6, 7))
    state.set_limit(here.ctx, endless)
    plugin.set_hour_epoch(here.ctx, HourEpoch(23, HOUR_NS, here.ctx.time_ns, 5))
    begin(here, 1)
    plugin.chain_begin_block(here.ctx)
    assert state.epoch(here.ctx).epoch_number == 24
    assert state.limit(here.ctx, "grain", over) == endless


def test_h184_an_hour_that_cannot_be_stored_does_not_stop_the_chain(net):
    """A genesis may count hours backwards: they stop at the first one of Go's calendar."""
    here, plugin = stage(net), net.limits[0]
    first = HourEpoch(5, -HOUR_NS, -62_135_596_800 * 10**9 + 1, 5)
    plugin.set_hour_epoch(here.ctx, first)
    plugin.chain_begin_block(here.ctx)
    assert state.epoch(here.ctx) == first
    with pytest.raises(InvalidEpoch):
        plugin.set_hour_epoch(here.ctx, first._replace(start_ns=first.start_ns - HOUR_NS))
    assert state.epoch(here.ctx) == first


# -- wiring


class Readable(IbcApp):
    def decode_packet_data(self, data):
        return PacketData("", "", "", data)


class NoBank:
    """A port `transfer` of somebody else's, on a host without coins."""

    @hookimpl
    def ibc_register_apps(self):
        return {"transfer": Readable()}

    @hookimpl
    def ibc_register_apps_v2(self):
        return {"transfer": IbcAppV2()}


def test_a_host_without_coins_is_told_so():
    with pytest.raises(ValueError, match="rate limits need a host that offers its coins"):
        Pipeline([*plugins(Config(), transfer=False), NoBank(), RateLimitPlugin()])


def test_without_ics_20_there_is_nothing_to_limit():
    with pytest.raises(WiringError, match="declares a middleware for port 'transfer'"):
        Pipeline([*plugins(Config(), transfer=False), RateLimitPlugin()])


@pytest.mark.parametrize("kind", [MsgUpdateRateLimit, MsgRemoveRateLimit, MsgResetRateLimit])
def test_what_is_not_limited_cannot_be_changed(net, kind):
    rest = (1, 1, 1) if kind is MsgUpdateRateLimit else ()
    expect_refusal(stage(net), pack_msg(kind(AUTHORITY, "grain", "channel-0", *rest)), RateLimitNotFound)
