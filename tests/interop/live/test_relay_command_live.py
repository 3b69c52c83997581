"""`pyibc relay` as a user starts it, over a channel and from client to client: killed, two at once, idle."""

import json
import signal
import sys
from contextlib import ExitStack

import pytest

from conformance.peers.chain import key_text, sent_packets, sent_packets_v2
from conformance.peers.process import PeerProcess, run, until
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.packets.packets import commitment_key
from pyibc.relayer.paths.discovery import known_path
from pyibc.relayer.paths.open_path import known_client_path, make_client_path
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop

SHORT = Drivers(TendermintDriver(ClientSettings(trusting_ns=24 * 10**9)))


@pytest.fixture(scope="module", params=["comet-go"])
def pair(request, open_pair, tmp_path_factory):
    with ExitStack() as stack:
        yield open_pair(stack, tmp_path_factory.mktemp("command"), request.param)


class Channel:
    protocol = "channel"
    sent = staticmethod(sent_packets)

    @staticmethod
    def named(pair, end):
        return known_path(*pair.ends, "transfer", end["channel_id"])

    @staticmethod
    def options(end):
        return ["--channel", end["channel_id"]]

    @staticmethod
    def short_lived(pair):
        return pair.open(Order.UNORDERED, drivers=SHORT, new_clients=True)


class Clients:
    protocol = "v2"
    sent = staticmethod(sent_packets_v2)

    @staticmethod
    def named(pair, end):
        return known_client_path(*pair.ends, end["client_id"])

    @staticmethod
    def options(end):
        return ["--client", end["client_id"]]

    @staticmethod
    def short_lived(pair):
        return make_client_path(*pair.ends, drivers=SHORT, new_clients=True)


@pytest.fixture(params=[Channel, Clients], ids=["channel", "v2"])
def kind(request):
    return request.param


class Road:
    """What the command creates, or finds; and it is found again by its name."""

    def __init__(self, kind, pair, folder):
        self.kind, self.pair, self.folder = kind, pair, folder
        told = json.loads(run(self.command("relayer", "--json", create=True), timeout=120))
        alone = json.loads(run(self.command("relayer", "--json"), timeout=120))
        assert (alone["a"], alone["b"]) == (told["a"], told["b"])
        again = json.loads(run(self.command("bob", "--json", *kind.options(told["a"])), timeout=120))
        assert (again["a"], again["b"]) == (told["a"], told["b"])
        self.named = kind.options(told["a"])
        path = kind.named(pair, told["a"])
        self.ways = (pair, path.a, path.b), (pair.turned(), path.b, path.a)

    def command(self, user, *more, create=False):
        key = self.folder / f"{user}.key"
        key.write_text(key_text(user))
        key.chmod(0o600)
        chains = ["--a", self.pair.a.url, "--b", self.pair.b.url, "--key", key]
        command = [sys.executable, "-m", "pyibc", "relay", *(["create", "path"] if create else [])]
        return [*command, "--protocol", self.kind.protocol, *chains, *more]

    def send(self, count):
        """Sends so many packets each way; the chains with what they sent."""
        return [(side.a, self._send(side, near, count)) for side, near, _ in self.ways]

    def _send(self, side, end, count):
        messages = [side.a.transfer("alice", end, coin("stake", 1), side.b.address("bob"))] * count
        outcome = side.a.submit("alice", messages)
        assert outcome.code == 0, outcome.log
        return self.kind.sent(outcome)

    def vouchers(self):
        return [side.b.balance("bob", abroad("stake", far).coin_denom) for side, _, far in self.ways]


@pytest.fixture
def road(kind, pair, tmp_path):
    return Road(kind, pair, tmp_path)


def settled(sent):
    for chain, packets in sent:
        until(lambda c=chain, p=packets: not standing(c, p), "packets are settled", 60)


def standing(chain, packets):
    user = chain.as_user("relayer")
    return [packet for packet in packets if user.get(commitment_key(packet)) is not None]


@pytest.mark.parametrize("with_journal", [True, False], ids=["journal", "no memory"])
def test_killed_again_and_again_nothing_is_lost_or_doubled(pair, road, tmp_path, with_journal):
    before, sent = road.vouchers(), []
    more = ["--journal", tmp_path / "journal.db"] if with_journal else []
    command = road.command("relayer", "--follow", *more)
    for turn in range(4):
        process = PeerProcess(command, tmp_path / "relay.log")
        try:
            sent += road.send(4)
            pair.a.as_user("alice").wait(pair.a.as_user("alice").tip().height + 2 + turn)
        finally:
            assert process.runs, process.words()
            process.stop(signal.SIGKILL)
    process = PeerProcess(command, tmp_path / "last.log")
    try:
        until(lambda: "delivered" in process.words(), "the relayer has looked at both chains", 60)
        settled(sent)
    finally:
        assert process.stop(signal.SIGINT) == 0, process.words()
    assert road.vouchers() == [each + 16 for each in before]


def test_two_at_once(road, tmp_path):
    before = road.vouchers()
    processes = [
        PeerProcess(road.command(user, "--follow", "--json", *road.named), tmp_path / f"{user}.log")
        for user in ("relayer", "bob")
    ]
    try:
        for _ in range(3):
            settled(road.send(5))
    finally:
        codes = [process.stop(signal.SIGINT) for process in processes]
    assert codes == [0, 0], [process.words() for process in processes]
    assert road.vouchers() == [each + 15 for each in before]
    last = [json.loads(process.words().splitlines()[-1]) for process in processes]
    assert sum(each["delivered"] for each in last) == 30
    assert all(each["given_up"] == {} for each in last)


def test_idle_clients_are_refreshed_before_they_expire(kind, pair):
    path = kind.short_lived(pair)
    clients = (
        ForeignClient(*pair.ends, path.a.client_id),
        ForeignClient(*reversed(pair.ends), path.b.client_id),
    )
    first = [client.view().latest for client in clients]
    for _ in range(30):
        pair.relay(path)
        pair.a.as_user("relayer").wait(pair.a.as_user("relayer").tip().height + 2)
    assert all(client.view().latest > latest for client, latest in zip(clients, first, strict=True))
    for client in clients:
        client.check()
