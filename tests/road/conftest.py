"""Two chains with users, and a transfer channel between them."""

import pytest

from ibc_module.core.channel import Order
from ibc_module.core.coin import coin
from localnet.testkit.ledger import broken_laws, channel_view
from localnet.testkit.scene import Scene
from localnet.testkit.two_chains import two_chains

FUNDS = (coin("stake", 10**12), coin("uatom", 10**12))


@pytest.fixture(scope="session")
def the_scene():
    return Scene()


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
        self.chains = two_chains(funds=FUNDS, **options)
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
