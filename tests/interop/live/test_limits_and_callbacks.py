"""Rate limits and callbacks between ours under CometBFT and ibc-go v11, either way: our relayer, Hermes."""

import json
import urllib.request
from contextlib import ExitStack
from urllib.parse import quote

import pytest

from conformance.peers import contracts, limited
from conformance.peers.hermes import Hermes
from conformance.peers.process import until
from localnet import applications
from localnet.relayers import HermesChain, HermesConfig
from pyibc.core.coin import coin
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop

OURS, GO = "comet-go11", "go11-comet"
HERMES_S = 90


def with_limits(open_pair, stack, folder, make, **more):
    """A pair whose first chain has limits, and its first channel."""
    plugins, state = (limited.NAME, None) if make == OURS else (applications.NAME, limited.STATE)
    pair = open_pair(stack, folder, make, state=state, plugins=[plugins], **more)
    path = pair.open(new_channel=True)
    assert path.a.channel_id == limited.CHANNEL
    return pair, path


@pytest.fixture(scope="module", params=[OURS, GO])
def limits(request, open_pair, tmp_path_factory):
    with ExitStack() as stack:
        yield with_limits(open_pair, stack, tmp_path_factory.mktemp("limits"), request.param)


def send(chain, end, receiver, denom, amount, **more):
    return chain.submit("alice", [chain.transfer("alice", end, coin(denom, amount), receiver, **more)])


def is_too_much(outcome):
    """Whether it was refused, when it was simulated, as either make words it."""
    return outcome.code != 0 and "quota" in outcome.log.lower()


def test_a_transfer_beyond_the_quota_is_refused_and_what_came_back_makes_room(limits):
    pair, path = limits
    bob, before = pair.b.address("bob"), pair.a.balance("alice", "stake")
    assert send(pair.a, path.a, bob, "stake", 60).code == 0
    assert is_too_much(send(pair.a, path.a, bob, "stake", 41))
    assert pair.a.balance("alice", "stake") == before - 60
    assert send(pair.a, path.a, "nobody", "stake", 40).code == 0
    assert is_too_much(send(pair.a, path.a, bob, "stake", 1))
    told = pair.relay(path)
    assert (told.delivered, told.acknowledged) == (2, 2)
    assert pair.a.balance("alice", "stake") == before - 60  # the other chain knows no such account: refunded
    assert send(pair.a, path.a, bob, "stake", 40).code == 0
    pair.relay(path)
    assert pair.b.balance("bob", abroad("stake", path.b).coin_denom) == 100


def test_what_comes_in_beyond_the_quota_goes_back_to_its_sender(limits):
    pair, path = limits
    bob, before = pair.a.address("bob"), pair.b.balance("alice", "stake")
    voucher = abroad("stake", path.a).coin_denom
    assert voucher == limited.VOUCHER
    for amount in (70, 31, 30):
        assert send(pair.b, path.b, bob, "stake", amount).code == 0
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged) == (1, 1)
    assert pair.a.balance("bob", voucher) == pair.a.supply(voucher) == 100
    assert pair.b.balance("alice", "stake") == before - 100


@pytest.fixture(scope="module", params=["comet-go11cb", "go11cb-comet"])
def called(request, open_pair, tmp_path_factory, peer):
    """A pair whose chains both have the contracts, and a channel."""
    peer("simd11cb")
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("callbacks")
        pair = open_pair(stack, folder, request.param, plugins=[contracts.NAME])
        yield pair, pair.open(new_channel=True)


def asking(**contract):
    return json.dumps({f"{side}_callback": {"address": name} for side, name in contract.items()})


def told(chain, side, kind):
    """The callbacks of a kind that a chain tells of: address and result."""
    event = f"ibc_{side}_callback"
    query = quote(f"\"{event}.callback_type='{kind}'\"")
    with urllib.request.urlopen(f"{chain.url}/tx_search?query={query}&per_page=100", timeout=20) as answer:
        txs = json.load(answer)["result"]["txs"]
    found = []
    for each in (one for tx in txs for one in tx["tx_result"]["events"] if one["type"] == event):
        fields = {one["key"]: one["value"] for one in each["attributes"]}
        if fields["callback_type"] == kind:
            found.append((fields["callback_address"], fields["callback_result"]))
    return found


def test_both_chains_contracts_are_called(called):
    pair, path = called
    bob, voucher = pair.b.address("bob"), abroad("stake", path.b).coin_denom
    sent = send(pair.a, path.a, bob, "stake", 7, memo=asking(src="success", dest="success"))
    assert sent.code == 0, sent.log
    pair.relay(path)
    assert pair.b.balance("bob", voucher) == 7
    assert ("success", "success") in told(pair.a, "src", "send_packet")
    assert ("success", "success") in told(pair.a, "src", "acknowledgement_packet")
    assert ("success", "success") in told(pair.b, "dest", "receive_packet")


def test_a_contract_that_refuses_on_arrival_sends_the_coins_home(called):
    pair, path = called
    before, voucher = pair.a.balance("alice", "stake"), abroad("stake", path.b).coin_denom
    supply = pair.b.supply(voucher)
    memo = asking(dest="errors")
    assert send(pair.a, path.a, pair.b.address("bob"), "stake", 9, memo=memo).code == 0
    pair.relay(path)
    assert pair.a.balance("alice", "stake") == before
    assert pair.b.supply(voucher) == supply


def test_a_contract_that_refuses_a_send_is_asked_and_one_that_refuses_an_answer_is_not(called):
    pair, path = called
    before, bob = pair.a.balance("alice", "stake"), pair.b.address("bob")
    assert send(pair.a, path.a, bob, "stake", 3, memo=asking(src="errors")).code != 0
    assert send(pair.a, path.a, bob, "stake", 3, memo='{"dest_callback":{"address":7}}').code == 0
    assert send(pair.a, path.a, bob, "stake", 3, memo='{"src_callback":{"address":7}}').code != 0
    pair.relay(path)
    assert pair.a.balance("alice", "stake") == before  # malformed: answered with an error


def test_a_timeout_calls_the_source(called):
    pair, path = called
    before = pair.a.balance("alice", "stake")
    until = pair.b.as_user("relayer").tip().time_ns + 4 * 10**9
    memo = asking(src="success")
    assert send(pair.a, path.a, pair.b.address("bob"), "stake", 3, memo=memo, until=until).code == 0
    end = pair.b.as_user("relayer")
    while end.tip().time_ns <= until:
        end.wait(end.tip().height + 1)
    pair.relay(path)
    assert pair.a.balance("alice", "stake") == before
    assert ("success", "success") in told(pair.a, "src", "timeout_packet")


def hermes_between(pair, folder):
    chains = [HermesChain(chain.chain_id, chain.url, chain.grpc) for chain in (pair.a, pair.b)]
    return Hermes(folder / "hermes", chains, HermesConfig(clear_interval=0))


@pytest.mark.parametrize("make", [OURS, GO])
def test_hermes_brings_what_the_limits_let_through_and_takes_the_rest_home(open_pair, make, peer, tmp_path):
    peer("hermes")
    with ExitStack() as stack:
        pair, path = with_limits(open_pair, stack, tmp_path, make, legacy_events=True)
        hermes = hermes_between(pair, tmp_path)
        with hermes.relaying():
            there, back = abroad("stake", path.b).coin_denom, limited.VOUCHER
            bob = pair.b.address("bob")
            assert send(pair.a, path.a, bob, "stake", 60).code == 0
            assert is_too_much(send(pair.a, path.a, bob, "stake", 41))
            until(lambda: pair.b.balance("bob", there) == 60, "it comes", HERMES_S, hermes.last_words)
            before = pair.b.balance("alice", "stake")
            assert send(pair.b, path.b, pair.a.address("bob"), "stake", 101).code == 0
            assert pair.b.balance("alice", "stake") == before - 101
            assert send(pair.b, path.b, pair.a.address("bob"), "stake", 30).code == 0
            until(
                lambda: pair.b.balance("alice", "stake") == before - 30,
                "it goes home",
                HERMES_S,
                hermes.last_words,
            )
            until(lambda: pair.a.balance("bob", back) == 30, "the rest comes", HERMES_S)


@pytest.mark.parametrize("make", ["comet-go11cb", "go11cb-comet"])
def test_hermes_brings_packets_that_call_contracts(open_pair, make, peer, tmp_path):
    for each in ("simd11cb", "hermes"):
        peer(each)
    with ExitStack() as stack:
        pair = open_pair(stack, tmp_path, make, plugins=[contracts.NAME], legacy_events=True)
        path = pair.open(new_channel=True)
        hermes = hermes_between(pair, tmp_path)
        with hermes.relaying():
            bob, before = pair.b.address("bob"), pair.a.balance("alice", "stake")
            both = asking(src="success", dest="success")
            assert send(pair.a, path.a, bob, "stake", 7, memo=both).code == 0
            assert send(pair.a, path.a, bob, "stake", 9, memo=asking(dest="errors")).code == 0
            called_back = ("success", "success")
            until(
                lambda: called_back in told(pair.a, "src", "acknowledgement_packet"),
                "the answer calls",
                HERMES_S,
                hermes.last_words,
            )
            assert called_back in told(pair.b, "dest", "receive_packet")
            until(
                lambda: pair.a.balance("alice", "stake") == before - 7, "what was refused is home", HERMES_S
            )
            assert pair.b.balance("bob", abroad("stake", path.b).coin_denom) == 7
