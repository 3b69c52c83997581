"""Two chains with users, and a transfer channel between them."""

import json

import pytest

from conformance.kit.scenario import Scenario
from conformance.kit.scripted_app import ScriptedPlugin
from conformance.kit.serving import serving
from conformance.kit.v2_chains import V2Chains
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.default_plugins import plugins
from pyibc.relayer.links.link import relay
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.faults import without_waiting
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import FAR

FUNDS = (coin("stake", 10**12), coin("uatom", 10**12))
KEY, USER_KEY = "11" * 32, "22" * 32


@pytest.fixture(scope="session")
def the_scene():
    return Scenario()


@pytest.fixture
def scene(the_scene):
    """Two chains with everything half-done; never committed to."""
    for side in (the_scene.a, the_scene.b):
        side.app.script.clear()
        side.app.calls.clear()
    return the_scene


class Net:
    """Two chains and their transfer channel."""

    def __init__(self, **options):
        self.chains = two_chains(**{"funds": FUNDS, **options})
        self.a, self.b, self.clock = self.chains.a, self.chains.b, self.chains.clock
        self.path = self.chains.open("transfer", Order.UNORDERED, "ics20-1")

    def relay(self, *paths):
        self.chains.relay(*(paths or (self.path,)))

    def broken_laws(self, *paths):
        return broken_laws([channel_view(path, self.a.chain, self.b.chain) for path in paths or (self.path,)])


@pytest.fixture
def make_net():
    made = []

    def make(**options):
        made.append(Net(**options))
        return made[-1]

    yield make
    for net in made:
        net.chains.close()


@pytest.fixture
def net(make_net):
    return make_net()


class Hostile:
    """A chain of an attacker: its transfer port says whatever he likes; the honest chain b knows it."""

    def __init__(self, net):
        self.net = net
        self.scripted = ScriptedPlugin("transfer")
        wallet = Wallet.from_seed("attacker", "cosmos")
        self.chain = LocalChain(
            "hostile-1",
            plugins=[*plugins(Config(), transfer=False), self.scripted],
            genesis=Genesis(funded([(wallet.address.text, [coin("stake", 10**12)])]), net.clock.now_ns, 1),
            clock=net.clock,
        )
        self.endpoint = LocalEndpoint(self.chain, wallet)
        self.path = make_path(
            self.endpoint, net.b.endpoint, "transfer", Order.UNORDERED, "ics20-1", new_clients=True
        )

    def send(self, data, until=FAR):
        """A packet with any data over the attacker's own channel, signed by all his validators."""
        end = self.path.a
        raw = data if isinstance(data, bytes) else json.dumps(data, separators=(",", ":")).encode()
        self.scripted.at_begin.append(
            lambda ctx: self.scripted.sender.send_packet(ctx, end.port_id, end.channel_id, until, 0, raw)
        )
        self.chain.make_block([])

    def relay(self):
        relay(self.path, self.endpoint, self.net.b.endpoint, options=without_waiting())

    def attack(self, **fields):
        """Sends a transfer as he likes it, and brings it to chain b; returns b's acknowledgements."""
        data = {"denom": "uevil", "amount": "1", "sender": "x", "receiver": self.net.b.address("bob")}
        before = self.net.b.chain.height
        self.send({**data, **fields})
        self.relay()
        return self.answers(before)

    def answers(self, after):
        """Acknowledgements that chain b wrote after a height."""
        return [
            bytes.fromhex(dict(attributes)["packet_ack_hex"])
            for height in range(after + 1, self.net.b.chain.height + 1)
            for outcome in self.net.b.chain.block(height).txs
            for kind, attributes in outcome.events
            if kind == "write_acknowledgement"
        ]


@pytest.fixture
def hostile(net):
    made = Hostile(net)
    yield made
    made.chain.close()


@pytest.fixture
def client_net():
    """Two chains and two clients."""
    made = V2Chains()
    yield made
    made.close()


@pytest.fixture
def nodes():
    """Two chains that make blocks, behind their RPC."""
    with serving(("one-1", "two-2"), plugins, [KEY, USER_KEY], 0.1) as servers:
        yield servers


@pytest.fixture
def key_file(tmp_path):
    """The file of the relayer's key, and nobody else's to read."""
    file = tmp_path / "key"
    file.write_text(KEY)
    file.chmod(0o600)
    return str(file)
