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
from pyibc.codec.anys import AnyMessage
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
    TxDecode,
    UnauthorizedTx,
    ZeroChannelValue,
)
from pyibc.core.height import Height
from pyibc.core.setup_error import WiringError
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import SECOND, two_chains
from pyibc.testing.transfers import abroad, in_escrow, transfer
from tests.unit.pyibc.apps.rate_limit.support import mark

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

    def govern(self, party, message):
        outcome = party.execute("alice", pack_msg(message))
        assert outcome.code == 0, outcome.log
        return outcome

    def send(self, amount, denom="grain", receiver=None, **options):
        to = self.b.address("bob") if receiver is None else receiver
        return self.a.execute("alice", transfer(self.a, "alice", self.path.a, denom, amount, to, **options))

    def home(self, amount, denom="grain"):
        voucher = abroad(denom, self.path.b).coin_denom
        sent = transfer(self.b, "bob", self.path.b, voucher, amount, self.a.address("alice"))
        outcome = self.b.execute("bob", sent)
        self.relay()
        return outcome

    def relay(self):
        self.pair.relay(self.path, self.path_v2)


@pytest.fixture
def net():
    made = Net()
    yield made
    made.pair.close()


def on(party):
    return party.chain.app.query_context()


def limit_of(party, denom, over):
    return state.limit(on(party), denom, over)


def add(over, denom="grain", send=10, recv=5, hours=24, signer=AUTHORITY):
    return MsgAddRateLimit(signer, denom, over, send, recv, hours)


# -- coins; the supply of grain is 3000: two users and the relayer


def test_a_transfer_beyond_the_quota_moves_nothing(net):
    net.govern(net.a, add(net.path.a.channel_id))
    assert net.send(200).code == 0
    refused = net.send(101)
    assert (refused.codespace, refused.code) == ("ratelimit", QuotaExceeded.code)
    assert in_escrow(net.a, net.path.a, "grain") == 200
    assert net.send(100).code == 0
    assert limit_of(net.a, "grain", net.path.a.channel_id).flow == Flow(0, 300, 3_000)


def test_a_refund_gives_the_quota_back(net):
    net.govern(net.a, add(net.path.a.channel_id))
    before = net.a.balance("alice", "grain")
    assert net.send(200, receiver="nobody").code == 0
    assert net.send(100, until=net.clock.now_ns + 30 * SECOND).code == 0
    assert net.send(1).code == QuotaExceeded.code
    net.clock.advance(60 * SECOND)
    net.relay()
    assert net.a.balance("alice", "grain") == before
    assert limit_of(net.a, "grain", net.path.a.channel_id).flow == Flow(0, 0, 3_000)
    assert net.send(300).code == 0


def test_what_comes_home_beyond_the_quota_is_refunded_where_it_was(net):
    assert net.send(400).code == 0
    net.relay()
    net.govern(net.a, add(net.path.a.channel_id))
    voucher = abroad("grain", net.path.b).coin_denom
    assert net.home(151).code == 0
    assert net.b.balance("bob", voucher) == 400
    assert net.home(150).code == 0
    assert net.b.balance("bob", voucher) == 250
    assert in_escrow(net.a, net.path.a, "grain") == 250
    assert limit_of(net.a, "grain", net.path.a.channel_id).flow == Flow(150, 0, 3_000)


# -- who sets them


def stage(net):
    return StagedBlock(net.a.chain)


def test_the_authority_adds_updates_and_removes(net):
    here, over = stage(net), net.path.a.channel_id
    assert here.attempt(pack_msg(add(over))).error is None
    assert state.limit(here.ctx, "grain", over) == RateLimit(
        "grain", over, Quota(10, 5, 24), Flow(0, 0, 3_000)
    )
    update = MsgUpdateRateLimit(AUTHORITY, "grain", over, 0, 50, 7)
    assert here.attempt(pack_msg(update)).error is None
    assert state.limit(here.ctx, "grain", over).quota == Quota(0, 50, 7)
    assert here.attempt(pack_msg(MsgRemoveRateLimit(AUTHORITY, "grain", over))).error is None
    assert state.limit(here.ctx, "grain", over) is None


def test_an_update_empties_the_flow_and_leaves_the_marks(net):
    over = net.path.a.channel_id
    net.govern(net.a, add(over))
    assert net.send(200, receiver="nobody").code == 0
    net.govern(net.a, MsgUpdateRateLimit(AUTHORITY, "grain", over, 10, 10, 24))
    assert net.send(50).code == 0
    net.relay()
    assert limit_of(net.a, "grain", over).flow == Flow(0, 0, 3_000)  # 50 - 200, clamped


def test_a_reset_empties_the_flow_and_the_marks_of_this_limit_only(net):
    over, here = net.path.a.channel_id, stage(net)
    for denom in ("grain", "stake"):
        assert here.attempt(pack_msg(add(over, denom))).error is None
        for kind in (state.SENT, state.RECEIVED):
            state.add_pending_packet(here.ctx, state.packets_prefix(kind, over, denom), 4)
    state.add_pending_packet(here.ctx, state.packets_prefix(state.SENT, "channel-99", "grain"), 4)
    grown = state.limit(here.ctx, "grain", over)
    state.set_limit(here.ctx, grown._replace(flow=Flow(1, 2, 3)))
    assert here.attempt(pack_msg(MsgResetRateLimit(AUTHORITY, "grain", over))).error is None
    assert state.limit(here.ctx, "grain", over).flow == Flow(0, 0, 3_000)
    left = [key for key, _ in here.ctx.store("ratelimit").iterate(b"\0", b"\2")]
    assert left == sorted(
        [mark(b"\0", over, "stake", 4), mark(b"\1", over, "stake", 4), mark(b"\0", "channel-99", "grain", 4)]
    )


@pytest.mark.parametrize("kind", [MsgUpdateRateLimit, MsgRemoveRateLimit, MsgResetRateLimit])
def test_what_is_not_limited_cannot_be_changed(net, kind):
    rest = (1, 1, 1) if kind is MsgUpdateRateLimit else ()
    expect_refusal(stage(net), pack_msg(kind(AUTHORITY, "grain", "channel-0", *rest)), RateLimitNotFound)


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


@pytest.mark.parametrize("kind", [MsgAddRateLimit, MsgUpdateRateLimit, MsgRemoveRateLimit, MsgResetRateLimit])
def test_bytes_that_are_no_message(net, kind):
    expect_refusal(stage(net), AnyMessage(kind.TYPE_URL, b"\xff"), TxDecode)


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


@pytest.mark.parametrize(("number", "resets"), [(23, True), (11, True), (22, False), (0, False)])
def test_windows_end_when_the_hour_s_number_is_a_multiple_of_theirs(net, number, resets):
    here, over, plugin = stage(net), net.path.a.channel_id, net.limits[0]
    assert here.attempt(pack_msg(add(over, hours=12))).error is None
    counted = state.limit(here.ctx, "grain", over)._replace(flow=Flow(5, 6, 7))
    state.set_limit(here.ctx, counted)
    state.add_pending_packet(here.ctx, state.packets_prefix(state.SENT, over, "grain"), 3)
    plugin.set_hour_epoch(here.ctx, HourEpoch(number, HOUR_NS, here.ctx.time_ns, 5))
    begin(here, 5)
    plugin.chain_begin_block(here.ctx)
    epoch = state.epoch(here.ctx)
    assert (epoch.epoch_number, epoch.start_height) == (number + 1, 777)
    assert state.limit(here.ctx, "grain", over).flow == (Flow(0, 0, 3_000) if resets else Flow(5, 6, 7))
    left = [key for key, _ in here.ctx.store("ratelimit").iterate(b"\0", b"\1")]
    assert left == ([] if resets else [mark(b"\0", over, "grain", 3)])


def test_an_hour_that_is_not_over_changes_nothing(net):
    here, plugin = stage(net), net.limits[0]
    plugin.set_hour_epoch(here.ctx, HourEpoch(0, HOUR_NS, here.ctx.time_ns, 5))
    here.ctx.time_ns += HOUR_NS
    before = here.writes()
    plugin.chain_begin_block(here.ctx)
    assert here.writes() == before


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
