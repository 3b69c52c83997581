"""`pyibc relay --protocol v2` as a user starts it: killed and started again, two at once, idle."""

import json
import signal
import sys
from contextlib import ExitStack

import pytest

from ibc_module.core import paths
from ibc_module.core.coin import coin
from ibc_module.relayer.client import TendedClient
from ibc_module.relayer.open_clients import known_client_path, make_client_path
from ibc_module.relayer.tendermint import ClientTerms
from localnet.testkit.peers.chain import key_text, sent_packets_v2
from localnet.testkit.peers.process import PeerProcess, run, until
from localnet.testkit.transfers import abroad

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module", params=["comet-go"])
def pair(request, open_pair, tmp_path_factory):
    with ExitStack() as stack:
        yield open_pair(stack, tmp_path_factory.mktemp("command-v2"), request.param)


def words(pair, folder, user, *more):
    key = folder / f"{user}.key"
    key.write_text(key_text(user))
    chains = ["--a", pair.a.url, "--b", pair.b.url, "--key", key]
    return [sys.executable, "-m", "ibc_module", "relay", "--protocol", "v2", *chains, *more]


def opened(pair, folder):
    """The pair that the command makes, or finds; and it is found again by its name."""
    told = json.loads(run(words(pair, folder, "relayer", "--json"), timeout=120))
    named = json.loads(
        run(words(pair, folder, "bob", "--json", "--client", told["a"]["client_id"]), timeout=120)
    )
    assert (named["a"], named["b"]) == (told["a"], told["b"])
    return known_client_path(*pair.ends, told["a"]["client_id"])


def ways(pair, path):
    return (pair, path.a, path.b), (pair.turned(), path.b, path.a)


def send(side, end, count):
    messages = [side.a.transfer("alice", end, coin("stake", 1), side.b.address("bob"))] * count
    outcome = side.a.submit("alice", messages)
    assert outcome.code == 0, outcome.log
    return sent_packets_v2(outcome)


def standing(chain, packets):
    keys = [paths.packet_commitment_v2_path(p.client_id_on_a, p.sequence) for p in packets]
    return [key for key in keys if chain.as_user("relayer").get(key) is not None]


def vouchers(pair, path):
    return [side.b.balance("bob", abroad("stake", far).coin_denom) for side, _, far in ways(pair, path)]


@pytest.mark.parametrize("with_journal", [True, False], ids=["journal", "no memory"])
def test_killed_again_and_again_nothing_is_lost_or_doubled(pair, tmp_path, with_journal):
    path = opened(pair, tmp_path)
    before, packets = vouchers(pair, path), []
    more = ["--journal", tmp_path / "journal.db"] if with_journal else []
    command = words(pair, tmp_path, "relayer", "--follow", *more)
    for turn in range(4):
        process = PeerProcess(command, tmp_path / "relay.log")
        try:
            for side, near, _ in ways(pair, path):
                packets += [(side.a, send(side, near, 4))]
            pair.a.as_user("alice").wait(pair.a.as_user("alice").tip().height + 2 + turn)
        finally:
            assert process.runs, process.words()
            process.stop(signal.SIGKILL)
    process = PeerProcess(command, tmp_path / "last.log")
    try:
        until(lambda: "delivered" in process.words(), "the relayer has looked at both chains", 60)
        for chain, sent in packets:
            until(lambda chain=chain, sent=sent: not standing(chain, sent), "packets are settled", 60)
    finally:
        assert process.stop(signal.SIGINT) == 0, process.words()
    assert vouchers(pair, path) == [each + 16 for each in before]


def test_two_at_once(pair, tmp_path):
    path = opened(pair, tmp_path)
    before = vouchers(pair, path)
    processes = [
        PeerProcess(words(pair, tmp_path, user, "--follow", "--json"), tmp_path / f"{user}.log")
        for user in ("relayer", "bob")
    ]
    try:
        for _ in range(3):
            for chain, packets in [(side.a, send(side, near, 5)) for side, near, _ in ways(pair, path)]:
                until(lambda c=chain, p=packets: not standing(c, p), "packets are settled", 60)
    finally:
        codes = [process.stop(signal.SIGINT) for process in processes]
    assert codes == [0, 0], [process.words() for process in processes]
    assert vouchers(pair, path) == [each + 15 for each in before]
    last = [json.loads(process.words().splitlines()[-1]) for process in processes]
    assert sum(each["delivered"] for each in last) == 30
    assert all(each["given_up"] == {} for each in last)


def test_idle_clients_are_refreshed_before_they_expire(pair):
    path = make_client_path(*pair.ends, terms=ClientTerms(trusting_ns=24 * 10**9), new_clients=True)
    clients = TendedClient(*pair.ends, path.a.client_id), TendedClient(*reversed(pair.ends), path.b.client_id)
    first = [client.view().latest for client in clients]
    for _ in range(30):
        pair.relay(path)
        pair.a.as_user("relayer").wait(pair.a.as_user("relayer").tip().height + 2)
    assert all(client.view().latest > latest for client, latest in zip(clients, first, strict=True))
    for client in clients:
        client.check()
