"""For v1, two chains with everything half-done; tests look at them through stages, which commit nothing.

For v2, one chain with a client that believes the proof `good`, and applications that do as they are told.
"""

from types import SimpleNamespace

import pytest

from conformance.kit.scenario import Scenario
from handlers.dispatch import HANDLERS, routes
from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.wiring import wire
from light_client.interface import LightClient
from pyibc.core import paths
from pyibc.core.address import AddressCodec
from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.client.types import Status
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.errors import ConsensusStateNotFound, InvalidProof
from pyibc.core.height import Height
from pyibc.core.host.context import Config
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet_v2.types import PacketV2, Payload

OURS, THEIRS = "99-believer-0", "99-believer-7"
NOW_S = 1_700_000_000
HEIGHT = Height(1, 10)
GOOD = b"good"


class EmptyStore:
    def get(self, key):
        return None

    def iterate(self, start, end):
        return iter(())


class Believer(LightClient):
    """Knows one height, whose time is `time_s`; writes down what it was asked to believe."""

    client_type = "99-believer"

    def __init__(self):
        self.asked, self.time_s, self.current = [], NOW_S, Status.ACTIVE
        self.effect = None

    def status(self, ctx, client_id):
        return self.current if client_id == OURS else Status.UNKNOWN

    def latest_height(self, ctx, client_id):
        return HEIGHT

    def timestamp_at_height(self, ctx, client_id, height):
        if height != HEIGHT:
            raise ConsensusStateNotFound(client_id, str(height))
        return self.time_s * 10**9 + 999_999_999

    def verify_membership(self, ctx, client_id, claim):
        return self._believe(client_id, claim, claim.value)

    def verify_non_membership(self, ctx, client_id, claim):
        return self._believe(client_id, claim, None)

    def _believe(self, client_id, claim, value):
        delay = claim.delay_time_ns, claim.delay_blocks
        self.asked.append((client_id, claim.height, *delay, claim.path, value))
        if claim.proof != GOOD:
            raise InvalidProof("bad")
        return self.effect


class Scripted:
    """Answers with `answer`, or raises `refusal`; each call writes and emits something."""

    def __init__(self):
        self.calls, self.answer, self.refusal = [], PayloadAnswer(success=True, data=b"done"), None
        self.act = {}  # "recv", ... -> what runs in that call, given the context, and answers for it

    def _called(self, name, ctx, *arguments):
        self.calls.append((name, *arguments))
        ctx.store("app").set(name.encode(), b"called")
        ctx.emit(("app", (("call", name),)))
        if self.refusal is not None:
            raise self.refusal
        return self.act.get(name, lambda _: self.answer)(ctx)

    def on_send_packet(self, ctx, sending):
        self._called("send", ctx, *sending)

    def on_recv_packet(self, ctx, received):
        return self._called("recv", ctx, *received)

    def on_acknowledgement_packet(self, ctx, acknowledged):
        self._called("acknowledge", ctx, *acknowledged)

    def on_timeout_packet(self, ctx, timed_out):
        self._called("timeout", ctx, *timed_out)


class Plugin:
    def __init__(self):
        self.client, self.apps, self.services = Believer(), {"one": Scripted(), "two": Scripted()}, None

    @hookimpl
    def chain_stores(self):
        return ("app",)

    @hookimpl
    def ibc_register_light_clients(self):
        return [self.client]

    @hookimpl
    def ibc_register_apps_v2(self, services):
        self.services = services
        return self.apps


class Chain:
    """A chain in one block; `route` is the message's way in."""

    def __init__(self, several=False):
        self.plugin = Plugin()
        self.client, self.one, self.two = (self.plugin.client, *self.plugin.apps.values())
        self.addresses = AddressCodec("cosmos")
        self.alice, self.bob = (self.addresses.encode(bytes([n]) * 20) for n in (1, 2))
        config = Config(several_payloads=several, authority=self.addresses.encode(b"g" * 20).text)
        self.keepers = wire(Pipeline([self.plugin]), config)
        self.routes = routes(self.keepers, HANDLERS)
        self.ctx = BlockContext("chain-1", 5, NOW_S * 10**9 + 1, {"ibc": EmptyStore(), "app": EmptyStore()})
        self.keepers.clients.set_allowed_clients(self.ctx, ("*",))
        self.keepers.clients.set_creator(self.ctx, OURS, self.alice.raw)
        counterparty = ClientCounterparty((b"ibc", b"p/"), THEIRS)
        self.keepers.v2.clients.set_counterparty(self.ctx, OURS, counterparty)
        self.keepers.v2.packets.set_next_send(self.ctx, OURS, 4)
        self.ctx.take_events()

    @property
    def sender(self):
        return self.plugin.services.sender_v2

    def state(self):
        return dict(self.ctx.writes("ibc")), dict(self.ctx.writes("app"))

    def check(self, type_url, raw):
        return self.routes[type_url].decode(raw)

    def deliver(self, type_url, raw):
        """Response and events; a refusal is undone as a host does."""
        route = self.routes[type_url]
        message = route.decode(raw)
        with self.ctx.branch():
            response = route.deliver(self.ctx, message)
        return response, self.ctx.take_events()

    def refuses(self, error, type_url, raw):
        """The error that a message raises, which left no trace."""
        before = self.state()
        with pytest.raises(error) as caught:
            self.deliver(type_url, raw)
        assert type(caught.value) is error
        assert self.state() == before
        assert self.ctx.events == []
        return caught.value


def payload(port="one", value=b"data"):
    return Payload(port, f"{port}", "v1", "text/plain", value)


def outgoing(**changes):
    """The packet that the chain sent to the other."""
    fields = {
        "sequence": 3,
        "client_id_on_a": OURS,
        "client_id_on_b": THEIRS,
        "timeout_s_on_b": NOW_S + 100,
        "payloads": (payload(),),
    }
    return PacketV2(**fields | changes)


def incoming(**changes):
    """A packet that the other chain sent to this."""
    return outgoing(**{"client_id_on_a": THEIRS, "client_id_on_b": OURS} | changes)


@pytest.fixture
def chain():
    return Chain()


@pytest.fixture
def several():
    return Chain(several=True)


@pytest.fixture
def kit():
    return SimpleNamespace(
        OURS=OURS, THEIRS=THEIRS, NOW_S=NOW_S, HEIGHT=HEIGHT, GOOD=GOOD,
        payload=payload, outgoing=outgoing, incoming=incoming, paths=paths,
    )  # fmt: skip


@pytest.fixture(scope="session")
def the_scene():
    return Scenario()


@pytest.fixture
def scene(the_scene):
    """The scene, its applications agreeing to everything and called by nobody yet."""
    for side in (the_scene.a, the_scene.b):
        side.app.script.clear()
        side.app.calls.clear()
    return the_scene
