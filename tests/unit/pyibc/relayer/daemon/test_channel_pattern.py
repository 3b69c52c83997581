"""Channels of a pattern: one group for each pair of clients, bounded work for channels that anybody opens."""

import pytest

from light_client.tendermint import states as codec
from localnet.endpoint import LocalEndpoint
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths as keys
from pyibc.core.channel.types import Order
from pyibc.relayer.clients.driver import Drivers, InitialStates
from pyibc.relayer.clients.tendermint import DAY, DRIVERS, TendermintDriver
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon import channel_pattern as module
from pyibc.relayer.daemon.channel_pattern import ChannelPattern, scan_all
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.pair import two_chains

TRANSFER = ("transfer", Order.UNORDERED, "ics20-1")


class Lax(TendermintDriver):
    """Creates clients whose trusting period differs from the policy."""

    def initial_states(self, reference):
        packed, held = super().initial_states(reference)
        state = codec.decode_client_state(packed.value)._replace(trusting_period_ns=20 * DAY)
        return InitialStates(AnyMessage(packed.type_url, codec.encode_client_state(state)), held)

    def differences(self, client_state, reference):
        return []


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s


class Counting(LocalEndpoint):
    """A node that counts queries, and fails or hides one key if told so."""

    def __init__(self, endpoint):
        super().__init__(endpoint.chain, endpoint.wallet)
        self.listings, self.hidden, self.down = 0, None, False

    def grpc(self, path, request):
        self.listings += path.endswith("/Channels")
        return super().grpc(path, request)

    def get(self, key, store=keys.STORE_NAME):
        if self.down and key.startswith(b"channelEnds"):
            raise EndpointUnavailable(self.chain_id, "is down")
        return None if key == self.hidden else super().get(key, store)


@pytest.fixture
def pair():
    made = two_chains(users=("alice", "rival"))
    yield made
    made.close()


def ends(pair, user="relayer"):
    return tuple(LocalEndpoint(each.chain, each.users[user]) for each in (pair.a, pair.b))


def strangers(pair, drivers=None):
    return make_path(*ends(pair, "rival"), *TRANSFER, drivers=drivers or DRIVERS, new_clients=True)


def config(pair, *channels, **options):
    a, b = (each.chain.chain_id for each in (pair.a, pair.b))
    return PathConfig(a=a, b=b, channels=channels or ("*",), **options)


def test_a_stranger_s_channel_is_left_out_and_holds_up_nobody(pair):
    ours = make_path(*ends(pair), *TRANSFER)
    bad = strangers(pair, Drivers(Lax()))
    found = scan_all(config(pair), *ends(pair))
    assert found.groups == {(ours.a.client_id, ours.b.client_id): (ours,)}
    assert (found.left_out, list(found.reasons)) == (1, [f"transfer/{bad.a.channel_id}"])
    assert "trusting_period" in found.reasons[f"transfer/{bad.a.channel_id}"]


def test_channels_are_grouped_by_their_clients(pair):
    first = make_path(*ends(pair), *TRANSFER)
    second = make_path(*ends(pair), *TRANSFER, new_channel=True)
    other = make_path(*ends(pair), *TRANSFER, new_clients=True)
    assert scan_all(config(pair), *ends(pair)).groups == {
        (first.a.client_id, first.b.client_id): (first, second),
        (other.a.client_id, other.b.client_id): (other,),
    }
    excepted = config(pair, excepted=(first.a.channel_id, "channel-2*"))
    assert scan_all(excepted, *ends(pair)).groups == {(first.a.client_id, first.b.client_id): (second,)}
    brackets = config(pair, "channel-[0-9]", "x*")
    assert scan_all(brackets, *ends(pair)).groups == {}


def test_new_channels_are_found_while_running_and_the_chain_is_listed_rarely(pair):
    clock, (a, b) = Clock(), ends(pair)
    a = Counting(a)
    first = make_path(*ends(pair), *TRANSFER)
    pattern = ChannelPattern(config(pair), clock)
    assert pattern.scan(a, b) is False
    second = make_path(*ends(pair), *TRANSFER, new_channel=True)
    clock.now_s += module.LIST_S - 1
    pattern.scan(a, b)
    assert (a.listings, sum(map(len, pattern.groups.values()))) == (1, 1)
    clock.now_s += 1
    pattern.scan(a, b)
    assert (a.listings, [*pattern.groups.values()]) == (2, [(first, second)])
    clock.now_s += module.RELIST_S - 1
    pattern.scan(a, b)
    assert a.listings == 2
    clock.now_s += 1
    pattern.scan(a, b)
    assert (a.listings, [*pattern.groups.values()]) == (3, [(first, second)])


def test_strangers_clients_are_audited_a_few_at_a_time(pair, monkeypatch):
    monkeypatch.setattr(module, "MAX_AUDITED", 1)
    paths = [strangers(pair), strangers(pair), make_path(*ends(pair), *TRANSFER, new_clients=True)]
    pattern = ChannelPattern(config(pair), Clock())
    for number, more in ((1, True), (2, True), (3, False)):
        assert pattern.scan(*ends(pair)) is more
        assert [*pattern.groups.values()] == [(each,) for each in paths[:number]]


def test_channels_are_judged_a_few_at_a_time(pair, monkeypatch):
    monkeypatch.setattr(module, "MAX_JUDGED", 1)
    first = make_path(*ends(pair), *TRANSFER)
    make_path(*ends(pair), *TRANSFER, new_channel=True)
    pattern = ChannelPattern(config(pair), Clock())
    assert pattern.scan(*ends(pair)) is True
    assert [*pattern.groups.values()] == [(first,)]
    assert pattern.scan(*ends(pair)) is False


def test_a_pattern_has_at_most_so_many_channels(pair):
    first = make_path(*ends(pair), *TRANSFER)
    make_path(*ends(pair), *TRANSFER, new_channel=True)
    found = scan_all(config(pair, max_channels=1), *ends(pair))
    assert [*found.groups.values()] == [(first,)]
    reason = "1 channels are relayed: raise max_channels, or use `except`"
    assert found.reasons == {"transfer/channel-1": reason}


def test_a_pattern_has_at_most_so_many_links(pair, monkeypatch):
    monkeypatch.setattr(module, "MAX_LINKS", 1)
    first = make_path(*ends(pair), *TRANSFER)
    make_path(*ends(pair), *TRANSFER, new_clients=True)
    found = scan_all(config(pair), *ends(pair))
    assert [*found.groups.values()] == [(first,)]
    assert found.reasons == {
        "transfer/channel-1": "1 pairs of clients are relayed: use `except`, or a path of its own"
    }


def test_what_was_left_out_is_judged_again_later_and_later(pair):
    """A node that hides a client keeps its channel out for a while only."""
    clock, (a, b) = Clock(), ends(pair)
    ours, a = make_path(*ends(pair), *TRANSFER), Counting(a)
    a.hidden = keys.client_state_path(ours.a.client_id)
    pattern = ChannelPattern(config(pair), clock)
    pattern.scan(a, b)
    assert (pattern.groups, "but no 07-tendermint-0" in pattern.reasons["transfer/channel-0"]) == ({}, True)
    a.hidden = None
    clock.now_s += module.RETRY_S - 1
    pattern.scan(a, b)
    assert pattern.groups == {}
    clock.now_s += 1
    pattern.scan(a, b)
    assert ([*pattern.groups.values()], pattern.left_out) == ([(ours,)], 0)


def test_a_chain_that_does_not_answer_ends_the_scan_and_judges_nobody(pair):
    ours, (a, b) = make_path(*ends(pair), *TRANSFER), ends(pair)
    a = Counting(a)
    a.down = True
    pattern = ChannelPattern(config(pair), Clock())
    with pytest.raises(EndpointUnavailable):
        pattern.scan(a, b)
    assert (pattern.left_out, pattern.groups) == (0, {})
    a.down = False
    pattern.scan(a, b)
    assert [*pattern.groups.values()] == [(ours,)]
