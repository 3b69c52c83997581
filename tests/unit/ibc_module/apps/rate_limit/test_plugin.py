"""Rate limits in a chain: who sets and reads them, how they outlive a restart, what they do to coins."""

import json

import pytest

from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from ibc_core.any_message import AnyMessage
from ibc_core.channel.types import Order
from ibc_core.errors import (
    InvalidAddress,
    InvalidIdentifier,
    InvalidRequest,
    QuotaExceeded,
    RateLimitNotFound,
    TxDecode,
    UnauthorizedTx,
)
from ibc_core.genesis.entries import InvalidGenesis
from ibc_core.wire.message import pack_msg
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit.messages import MsgRemoveRateLimit, MsgSetRateLimit
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin
from ibc_module.apps.rate_limit.queries import RATE_LIMITS
from ibc_module.plugin import Config, plugins
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb
from ibc_relayer.wallet import Wallet
from ibc_testing.clock import SECOND
from ibc_testing.transfers import abroad, in_escrow, transfer
from ibc_testing.two_chains import two_chains

AUTHORITY = Wallet.from_seed("authority", "cosmos").address.text
LIMIT = RateLimit("channel-0", "stake", window_blocks=1_000_000, max_send=100, max_recv=50)


@pytest.fixture
def net():
    """Two chains; both allow 100 stake to leave over channel-0, and 50 to come in."""
    made = two_chains(plugins=lambda: [*plugins(Config(authority=AUTHORITY)), RateLimitPlugin([LIMIT])])
    made.path = made.open("transfer", Order.UNORDERED, "ics20-1")
    yield made
    made.close()


def send(net, amount, receiver=None, **options):
    to = net.b.address("bob") if receiver is None else receiver
    return net.a.execute("alice", transfer(net.a, "alice", net.path.a, "stake", amount, to, **options))


def flow(party):
    ctx = party.chain.app.query_context()
    return state.flow(ctx, state.limit(ctx, "channel-0", "stake"))


def stage(net):
    return StagedBlock(net.a.chain)


def set_limit(limit=LIMIT, signer=AUTHORITY):
    return pack_msg(MsgSetRateLimit(signer, limit))


def remove(over="channel-0", denom="stake", signer=AUTHORITY):
    return pack_msg(MsgRemoveRateLimit(signer, over, denom))


# -- coins


def test_a_transfer_beyond_the_quota_moves_nothing(net):
    assert send(net, 60).code == 0
    refused = send(net, 41)
    assert (refused.codespace, refused.code) == ("ratelimit", QuotaExceeded.code)
    assert in_escrow(net.a, net.path.a, "stake") == 60
    assert send(net, 40).code == 0
    assert flow(net.a).sent == 100


def test_a_refund_gives_the_quota_back(net):
    before = net.a.balance("alice", "stake")
    assert send(net, 60, receiver="nobody").code == 0
    assert send(net, 40, until=net.clock.now_ns + 30 * SECOND).code == 0
    assert send(net, 1).code == QuotaExceeded.code
    net.clock.advance(60 * SECOND)
    net.relay(net.path)
    assert net.a.balance("alice", "stake") == before
    assert flow(net.a).sent == 0
    assert send(net, 100).code == 0


def test_what_comes_home_beyond_the_quota_is_refunded_where_it_was(net):
    assert send(net, 80).code == 0
    net.relay(net.path)
    voucher = abroad("stake", net.path.b).coin_denom
    home = transfer(net.b, "bob", net.path.b, voucher, 51, net.a.address("alice"))
    assert net.b.execute("bob", home).code == 0
    net.relay(net.path)
    assert net.b.balance("bob", voucher) == 80
    assert flow(net.a).received == 0
    fitting = transfer(net.b, "bob", net.path.b, voucher, 50, net.a.address("alice"))
    assert net.b.execute("bob", fitting).code == 0
    net.relay(net.path)
    assert flow(net.a).received == 50
    assert in_escrow(net.a, net.path.a, "stake") == 30


# -- who sets them


def test_the_authority_sets_changes_and_removes(net):
    here = stage(net)
    other = RateLimit("07-tendermint-0", "stake", window_seconds=60, max_recv=7)
    assert here.attempt(set_limit(other)).error is None
    assert state.limit(here.ctx, "07-tendermint-0", "stake") == other
    assert here.attempt(remove("07-tendermint-0")).error is None
    assert state.limit(here.ctx, "07-tendermint-0", "stake") is None
    expect_refusal(here, remove("07-tendermint-0"), RateLimitNotFound)


def test_other_numbers_keep_what_was_counted_and_other_windows_do_not(net):
    assert send(net, 60).code == 0
    here = stage(net)
    for limit, sent in ((LIMIT._replace(max_send=70), 60), (LIMIT._replace(window_blocks=999_999), 0)):
        assert here.attempt(set_limit(limit)).error is None
        assert state.flow(here.ctx, limit).sent == sent


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (set_limit(signer=Wallet.from_seed("alice", "cosmos").address.text), UnauthorizedTx),
        (remove(signer=Wallet.from_seed("alice", "cosmos").address.text), UnauthorizedTx),
        (set_limit(signer="x"), InvalidAddress),
        (remove(signer="x"), InvalidAddress),
        (remove(denom="atom"), RateLimitNotFound),
        (set_limit(LIMIT._replace(channel_or_client_id="x")), InvalidIdentifier),
        (set_limit(LIMIT._replace(window_seconds=1)), InvalidRequest),
        (AnyMessage(MsgSetRateLimit.TYPE_URL, b"\xff"), TxDecode),
        (AnyMessage(MsgRemoveRateLimit.TYPE_URL, b"\xff"), TxDecode),
    ],
)
def test_messages_that_are_refused(net, message, error):
    expect_refusal(stage(net), message, error)


# -- who reads them


def ask(net, **page):
    request = pb.QueryRateLimitsRequest(pagination=PageRequest(**page)).SerializeToString()
    return pb.QueryRateLimitsResponse.FromString(net.a.chain.grpc(RATE_LIMITS, request))


def test_limits_and_their_windows_can_be_asked_for(net):
    assert send(net, 60).code == 0
    (only,) = ask(net, limit=5).rate_limits
    assert (only.limit.channel_or_client_id, only.limit.denom, only.limit.max_send) == (
        "channel-0",
        "stake",
        "100",
    )
    assert (only.flow.window, only.flow.sent, only.flow.received) == (0, "60", "0")
    with pytest.raises(InvalidRequest):
        ask(net, key=b"x")


# -- genesis


def fresh(net):
    """A stage whose store of limits is empty, and the plugin alone."""
    plugin, here = RateLimitPlugin([LIMIT]), stage(net)
    for key, _ in list(here.ctx.store("ratelimit").iterate(b"\0", None)):
        here.ctx.store("ratelimit").delete(key)
    return plugin, here.ctx


def all_entries(ctx):
    return list(ctx.reader("ratelimit").iterate(b"\0", None))


def test_limits_and_counts_outlive_a_restart(net):
    assert send(net, 60).code == 0
    before = all_entries(net.a.chain.app.query_context())
    assert len(before) == 3  # the limit, what it counted, the packet under way
    exported = json.loads(json.dumps(net.a.chain.app.export_genesis()))
    plugin, ctx = fresh(net)
    plugin.chain_init_genesis(ctx, exported)
    assert all_entries(ctx) == before
    assert plugin.chain_export_genesis(ctx)["ratelimit"] == exported["ratelimit"]


def test_a_new_chain_has_the_limits_of_its_plugin(net):
    plugin, ctx = fresh(net)
    plugin.chain_init_genesis(ctx, {})
    assert list(state.limits(ctx)) == [LIMIT]


@pytest.mark.parametrize(
    ("genesis", "key"),
    [
        ([], "ratelimit"),
        ({"surprise": 1}, "ratelimit.surprise"),
        ({"rate_limits": [{"denom": "stake"}]}, "ratelimit.rate_limits[0]"),
        ({"other_entries": 5}, "ratelimit.other_entries"),
    ],
)
def test_a_bad_genesis_is_refused_by_key(net, genesis, key):
    plugin, ctx = fresh(net)
    with pytest.raises(InvalidGenesis) as caught:
        plugin.chain_init_genesis(ctx, {"ratelimit": genesis})
    assert caught.value.key == key
    assert all_entries(ctx) == []


def test_a_limit_that_makes_no_sense_is_refused_at_wiring():
    with pytest.raises(InvalidRequest):
        RateLimitPlugin([LIMIT._replace(denom="")])
