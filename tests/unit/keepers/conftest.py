"""A block over an empty store, and a light client that notes what it is asked."""

import pytest

from keepers.client import ClientKeeper
from light_client.interface import LightClient
from light_client.registry import Registry
from pyibc.core.client.types import Status
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext
from pyibc.isolation.isolate import builtin

TYPE = "99-noting"


class Empty:
    def get(self, key):
        return None

    def iterate(self, start, end):
        return iter(())


@builtin
class NotingClient(LightClient):
    """Has the status it is told to; remembers the proofs it is shown."""

    client_type = TYPE

    def __init__(self):
        self.current = Status.ACTIVE
        self.asked = []

    def status(self, ctx, client_id):
        return self.current

    def latest_height(self, ctx, client_id):
        return Height(1, 30)

    def timestamp_at_height(self, ctx, client_id, height):
        return height.revision_height * 10

    def verify_membership(self, ctx, *rest):
        self.asked.append(("member", *rest))

    def verify_non_membership(self, ctx, *rest):
        self.asked.append(("absent", *rest))


@pytest.fixture(scope="session")
def empty_store():
    return Empty()


@pytest.fixture
def ctx(empty_store):
    return BlockContext("chain-1", 5, 10**18, {"ibc": empty_store})


@pytest.fixture
def light_client():
    return NotingClient()


@pytest.fixture
def clients(ctx, light_client):
    keeper = ClientKeeper(Registry([light_client]))
    keeper.set_allowed_clients(ctx, ("*",))
    return keeper


@pytest.fixture
def written(ctx):
    """The keys that `action` writes, and that nothing else changes."""

    def of(action):
        before = dict(ctx.writes("ibc"))
        action()
        after = dict(ctx.writes("ibc"))
        return sorted(key.decode() for key in after if key not in before or after[key] != before[key])

    return of
