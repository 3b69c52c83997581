"""The six queries of rate limits."""

import pytest

from conformance.kit.staged_block import StagedBlock
from ibc_module.plugin import Config
from pyibc.apps.rate_limit import queries, state
from pyibc.apps.rate_limit.limit import Flow, Quota, RateLimit, WhitelistedAddressPair
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.core.channel.types import Order
from pyibc.core.errors import InvalidRateLimitClient, InvalidRequest
from pyibc.core.wire.table import unpack
from pyibc.default_plugins import plugins
from pyibc.proto.ibc.applications.rate_limiting.v1 import query_pb2 as pb
from pyibc.testing.pair import two_chains


class Asked:
    """A chain with limits over a channel, a client and a solo machine's client, in a block under way."""

    def __init__(self):
        self.pair = two_chains(plugins=lambda: [*plugins(Config()), RateLimitPlugin()])
        path = self.pair.open("transfer", Order.UNORDERED, "ics20-1")
        self.channel, self.client = path.b.channel_id, path.b.client_id
        chain = self.pair.b.chain
        self.ctx = StagedBlock(chain).ctx
        self.routes = chain.app.pipeline.queries()
        self.over_channel = [self.add("grain", self.channel), self.add("stake", self.channel)]
        self.over_client = self.add("grain", self.client)

    def add(self, denom, over):
        made = RateLimit(denom, over, Quota(10, 20, 24), Flow(1, 2, 300))
        state.set_limit(self.ctx, made)
        return made

    def ask(self, name, **fields):
        request = getattr(pb, f"Query{name}Request")(**fields)
        answer = self.routes[f"{queries.SERVICE}{name}"](self.ctx, request.SerializeToString())
        return getattr(pb, f"Query{name}Response").FromString(answer)

    def limits(self, name, **fields):
        return [unpack(RateLimit, each) for each in self.ask(name, **fields).rate_limits]


@pytest.fixture(scope="module")
def shared():
    made = Asked()
    yield made
    made.pair.close()


@pytest.fixture
def asked(shared):
    with shared.ctx.branch() as branch:
        yield shared
        branch.discard()


def test_all_limits_in_the_order_of_their_keys(asked):
    first, second = sorted(
        [asked.over_client, asked.over_channel[0]], key=lambda each: each.channel_or_client_id
    )
    assert asked.limits("AllRateLimits") == [first, second, asked.over_channel[1]]


def test_one_limit_or_none(asked):
    found = asked.ask("RateLimit", denom="grain", channel_or_client_id=asked.channel)
    assert unpack(RateLimit, found.rate_limit) == asked.over_channel[0]
    assert not asked.ask("RateLimit", denom="grain", channel_or_client_id="channel-0").HasField("rate_limit")


def test_limits_of_one_end(asked):
    assert (
        asked.limits("RateLimitsByChannelOrClientID", channel_or_client_id=asked.channel)
        == asked.over_channel
    )
    assert asked.limits("RateLimitsByChannelOrClientID", channel_or_client_id=asked.client) == [
        asked.over_client
    ]
    assert asked.limits("RateLimitsByChannelOrClientID", channel_or_client_id="channel-0") == []


def test_limits_towards_one_chain(asked):
    all_of_it = asked.limits("AllRateLimits")
    assert asked.limits("RateLimitsByChainID", chain_id="chain-a-1") == all_of_it
    assert asked.limits("RateLimitsByChainID", chain_id="chain-b-1") == []


def test_a_client_that_is_no_tendermint_s_leads_to_no_chain(asked):
    solo = b"\x0a\x2c/ibc.lightclients.solomachine.v3.ClientState\x12\x00"
    asked.ctx.ibc.set(b"clients/06-solomachine-5/clientState", solo)
    asked.add("grain", "06-solomachine-5")
    assert len(asked.limits("RateLimitsByChainID", chain_id="chain-a-1")) == 3
    assert asked.limits("RateLimitsByChainID", chain_id="") == []


@pytest.mark.parametrize("gone", ["channel-77", "07-tendermint-77", "what"])
def test_a_limit_over_what_is_gone(asked, gone):
    asked.add("grain", gone)
    with pytest.raises(InvalidRateLimitClient) as caught:
        asked.limits("RateLimitsByChainID", chain_id="chain-a-1")
    assert caught.value.channel_or_client_id == gone


def test_the_lists(asked):
    for denom in ("worse", "bad"):
        state.add_to_blacklist(asked.ctx, denom)
    state.add_to_whitelist(asked.ctx, WhitelistedAddressPair("alice", "bob"))
    assert list(asked.ask("AllBlacklistedDenoms").denoms) == ["bad", "worse"]
    (pair,) = asked.ask("AllWhitelistedAddresses").address_pairs
    assert (pair.sender, pair.receiver) == ("alice", "bob")


@pytest.mark.parametrize("name", ["AllRateLimits", "RateLimit", "RateLimitsByChainID"])
def test_bytes_that_are_no_request(asked, name):
    with pytest.raises(InvalidRequest):
        asked.routes[f"{queries.SERVICE}{name}"](asked.ctx, b"\xff")
