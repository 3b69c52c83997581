"""`pyibc relay` as a user starts it: by URLs and a key file, killed and started again, two at once."""

import json
import signal
import sys
from contextlib import ExitStack

import pytest

from ibc_module.core import paths
from ibc_module.core.channel import Order
from ibc_module.core.coin import coin
from ibc_module.relayer.client import TendedClient
from ibc_module.relayer.known_path import known_path
from ibc_module.relayer.tendermint import ClientTerms
from localnet.testkit.peers.chain import key_text, sent_packets
from localnet.testkit.peers.process import PeerProcess, run, until
from localnet.testkit.transfers import abroad

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module", params=["comet-go"])
def pair(request, open_pair, tmp_path_factory):
    with ExitStack() as stack:
        yield open_pair(stack, tmp_path_factory.mktemp("command"), request.param)


def relay_words(pair, folder, user, *more):
    key = folder / f"{user}.key"
    key.write_text(key_text(user))
    return [
        sys.executable,
        "-m",
        "ibc_module",
        "relay",
        "--a",
        pair.a.url,
        "--b",
        pair.b.url,
        "--key",
        key,
        *more,
    ]


def send(chain, end, receiver, count):
    messages = [chain.transfer("alice", end, coin("stake", 1), receiver) for _ in range(count)]
    outcome = chain.submit("alice", messages)
    assert outcome.code == 0, outcome.log
    return sent_packets(outcome)


def pending(chain, packets):
    keys = [paths.packet_commitment_path(p.port_id_on_a, p.channel_id_on_a, p.sequence) for p in packets]
    return [key for key in keys if chain.as_user("relayer").get(key) is not None]


def opened(pair, folder):
    told = json.loads(run(relay_words(pair, folder, "relayer", "--json"), timeout=120))
    return known_path(*pair.ends, "transfer", told["a"]["channel_id"])


def test_killed_again_and_again_nothing_is_lost_or_doubled(pair, tmp_path):
    path = opened(pair, tmp_path)
    ways = ((pair, path.a, path.b), (pair.turned(), path.b, path.a))
    before = [side.b.balance("bob", abroad("stake", far).coin_denom) for side, _, far in ways]
    words = relay_words(pair, tmp_path, "relayer", "--follow", "--journal", tmp_path / "journal.db")
    packets = []
    for turn in range(4):
        process = PeerProcess(words, tmp_path / "relay.log")
        try:
            for side, near, _ in ways:
                packets += [(side.a, send(side.a, near, side.b.address("bob"), 4))]
            pair.a.as_user("alice").wait(pair.a.as_user("alice").tip().height + 2 + turn)
        finally:
            assert process.runs, process.words()
            process.stop(signal.SIGKILL)
    process = PeerProcess(words, tmp_path / "last.log")
    try:
        until(lambda: "delivered" in process.words(), "the relayer has looked at both chains", 60)
        for chain, sent in packets:
            until(lambda chain=chain, sent=sent: not pending(chain, sent), "packets are settled", 60)
    finally:
        assert process.stop(signal.SIGINT) == 0, process.words()
    after = [side.b.balance("bob", abroad("stake", far).coin_denom) for side, _, far in ways]
    assert after == [each + 16 for each in before]


def test_two_at_once(pair, tmp_path):
    path = opened(pair, tmp_path)
    ways = ((pair, path.a, path.b), (pair.turned(), path.b, path.a))
    before = [side.b.balance("bob", abroad("stake", far).coin_denom) for side, _, far in ways]
    users = ("relayer", "bob")
    processes = [
        PeerProcess(relay_words(pair, tmp_path, user, "--follow", "--json"), tmp_path / f"{user}.log")
        for user in users
    ]
    try:
        for _ in range(3):
            sent = [(side.a, send(side.a, near, side.b.address("bob"), 5)) for side, near, _ in ways]
            for chain, packets in sent:
                until(lambda c=chain, p=packets: not pending(c, p), "packets are settled", 60)
    finally:
        codes = [process.stop(signal.SIGINT) for process in processes]
    assert codes == [0, 0], [process.words() for process in processes]
    after = [side.b.balance("bob", abroad("stake", far).coin_denom) for side, _, far in ways]
    assert after == [each + 15 for each in before]
    last = [json.loads(process.words().splitlines()[-1]) for process in processes]
    assert sum(each["delivered"] for each in last) == 30
    assert all(each["given_up"] == {} for each in last)


def test_idle_clients_are_refreshed_before_they_expire(pair):
    terms = ClientTerms(trusting_ns=24 * 10**9)
    path = pair.open(Order.UNORDERED, terms=terms, new_clients=True)
    clients = TendedClient(*pair.ends, path.a.client_id), TendedClient(*reversed(pair.ends), path.b.client_id)
    first = [client.view().latest for client in clients]
    for _ in range(30):
        pair.relay(path)
        pair.a.as_user("relayer").wait(pair.a.as_user("relayer").tip().height + 2)
    assert all(client.view().latest > latest for client, latest in zip(clients, first, strict=True))
    for client in clients:
        client.check()
