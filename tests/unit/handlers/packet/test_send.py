"""Chain A sends: what an application may send, and every check as a row."""

import pytest

from conformance.kit.mutate_state import allow_clients, change_channel, change_connection, freeze_client
from conformance.kit.paired_chain import NEVER
from conformance.kit.sides import CLIENT_ON_A, CONNECTION_ON_A
from light_client.tendermint import store
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ChannelNotFound,
    ClientNotActive,
    ConnectionNotFound,
    ConsensusStateNotFound,
    InvalidChannelState,
    InvalidClientHeight,
    InvalidPacket,
    InvalidRequest,
    SequenceSendNotFound,
    TimeoutElapsed,
)
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_U64, be8
from pyibc.core.packet.types import MAX_DATA_SIZE


class Sending:
    """A stage on A, and what is asked to be sent from it."""

    def __init__(self, scene, order=Order.UNORDERED):
        self.scene = scene
        self.stage = scene.stage(scene.a)
        self.ctx = self.stage.ctx
        self.end = scene.path(order).a
        self.asked = {"port": "mock", "channel": self.end.channel_id, "height": NEVER, "ns": 0, "data": b"x"}

    def send(self, **changes):
        port, channel, height, ns, data = (self.asked | changes).values()
        return self.scene.a.scripted.sender.send_packet(self.ctx, port, channel, height, ns, data)

    def known(self):
        """Height and time of B that A's client knows."""
        height = store.client_state(self.ctx, CLIENT_ON_A).latest_height
        return height, store.consensus_state(self.ctx, CLIENT_ON_A, height).time_ns


@pytest.fixture
def sending(scene):
    return Sending(scene)


def lost_sequence(sending):
    sending.ctx.ibc.delete(paths.next_sequence_send_path("mock", sending.end.channel_id))


def exhausted(sending):
    sending.ctx.ibc.set(paths.next_sequence_send_path("mock", sending.end.channel_id), be8(MAX_U64))


def channel(**changes):
    return lambda sending: change_channel(sending.ctx, "mock", sending.end.channel_id, **changes)


def connection(**changes):
    return lambda sending: change_connection(sending.ctx, CONNECTION_ON_A, **changes)


def expire(sending):
    sending.ctx.time_ns += 20 * 86_400 * 10**9


def forget(sending):
    store.delete_consensus_state(sending.ctx, CLIENT_ON_A, sending.known()[0])


def nothing(_):
    """The state is as it was."""


ROWS = [
    ("no such channel", nothing, {"channel": "channel-999"}, ChannelNotFound),
    ("no such port", nothing, {"port": "transfer"}, ChannelNotFound),
    *(
        (f"channel {state.name}", channel(state=state), {}, InvalidChannelState)
        for state in (ChannelState.INIT, ChannelState.TRYOPEN, ChannelState.CLOSED)
    ),
    ("no sequence", lost_sequence, {}, SequenceSendNotFound),
    ("no timeout", nothing, {"height": Height(0, 0)}, InvalidPacket),
    ("no data", nothing, {"data": b""}, InvalidPacket),
    ("too much data", nothing, {"data": b"x" * (MAX_DATA_SIZE + 1)}, InvalidPacket),
    ("connection lost", channel(connection_hops=("connection-99",)), {}, ConnectionNotFound),
    ("client frozen", lambda s: freeze_client(s.ctx, CLIENT_ON_A), {}, ClientNotActive),
    ("client expired", expire, {}, ClientNotActive),
    ("client forgot its state", forget, {}, ClientNotActive),
    ("client not allowed", lambda s: allow_clients(s.ctx, "06-solomachine"), {}, ClientNotActive),
    ("client not registered", connection(client_id="solo-0"), {}, ClientNotActive),
    ("height elapsed", nothing, {"height": Height(1, 1)}, TimeoutElapsed),
    ("height of an older revision", nothing, {"height": Height(0, 10**9)}, TimeoutElapsed),
    ("time elapsed", nothing, {"ns": 1}, TimeoutElapsed),
    ("the last sequence", exhausted, {}, InvalidRequest),
]


@pytest.mark.parametrize(("name", "meddle", "asked", "error"), ROWS, ids=[row[0] for row in ROWS])
def test_refusals(sending, name, meddle, asked, error):
    meddle(sending)
    before = sending.stage.writes()
    with pytest.raises(error) as caught:
        sending.send(**asked)
    assert type(caught.value) is error
    assert (sending.stage.writes(), sending.ctx.events) == (before, [])


@pytest.mark.parametrize(("distance", "elapsed"), [(-1, True), (0, True), (1, False)])
def test_timeouts_at_their_limits(scene, distance, elapsed):
    height, time_ns = Sending(scene).known()
    by_height = {"height": Height(1, height.revision_height + distance)}
    by_time = {"height": Height(0, 0), "ns": time_ns + distance}
    for asked in (by_height, by_time):
        sending = Sending(scene)
        if elapsed:
            with pytest.raises(TimeoutElapsed) as caught:
                sending.send(**asked)
            assert (caught.value.height, caught.value.timestamp_ns) == (str(height), time_ns)
        else:
            sending.send(**asked)


class NoHeight:
    """A light client that is Active and knows no height."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        return getattr(self._real, name)

    def latest_height(self, ctx, client_id):
        return Height(0, 0)

    def status(self, ctx, client_id):
        return Status.ACTIVE


def test_a_client_without_a_height_carries_nothing(sending, monkeypatch):
    clients = sending.scene.a.keepers.clients
    real = clients.route(sending.ctx, CLIENT_ON_A)
    monkeypatch.setattr(clients, "route", lambda ctx, client_id: NoHeight(real))
    with pytest.raises(InvalidClientHeight):
        sending.send()
    assert sending.stage.writes() == {}


def test_a_client_without_its_newest_state_carries_nothing(sending, monkeypatch):
    clients = sending.scene.a.keepers.clients
    real = clients.route(sending.ctx, CLIENT_ON_A)
    ghost = NoHeight(real)
    ghost.latest_height = lambda ctx, client_id: Height(1, 10**9)
    monkeypatch.setattr(clients, "route", lambda ctx, client_id: ghost)
    with pytest.raises(ConsensusStateNotFound):
        sending.send()
    assert sending.stage.writes() == {}
