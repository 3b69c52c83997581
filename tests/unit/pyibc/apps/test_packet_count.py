"""Packets are counted over each channel and client, and counts outlive a restart."""

import json

import pytest

from conformance.memory import MemoryStore
from pyibc.apps.packet_count import PacketCountPlugin
from pyibc.core.application.classic import Acknowledged, Received, TimedOut
from pyibc.core.application.v2 import AcknowledgedV2, ReceivedV2, SendingV2, TimedOutV2
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet.types import Packet
from pyibc.core.setup_error import InvalidGenesis

KINDS = ("sent", "received", "acknowledged", "timed_out")
HERE, THERE = "channel-0", "channel-7"
SENT = Packet(1, "port", HERE, "port", THERE, b"data", ZERO_HEIGHT, 1)
RECEIVED = Packet(1, "port", THERE, "port", HERE, b"data", ZERO_HEIGHT, 1)
V1 = {
    "received": ("on_recv_packet", Received("v1", RECEIVED, None)),
    "acknowledged": ("on_acknowledgement_packet", Acknowledged("v1", SENT, b"ok", None)),
    "timed_out": ("on_timeout_packet", TimedOut("v1", SENT, None)),
}
V2 = {
    "sent": ("on_send_packet", SendingV2(HERE, THERE, 1, None, None)),
    "received": ("on_recv_packet", ReceivedV2(THERE, HERE, 1, None, None)),
    "acknowledged": ("on_acknowledgement_packet", AcknowledgedV2(HERE, THERE, 1, None, b"ok", None)),
    "timed_out": ("on_timeout_packet", TimedOutV2(HERE, THERE, 1, None, None)),
}


class Anything:
    def __getattr__(self, name):
        return lambda *_: name


def call(app, ctx, name, value):
    assert getattr(app, name)(ctx, value) == ("on_recv_packet" if name == "on_recv_packet" else None)


@pytest.fixture
def ctx():
    return BlockContext("chain-1", 1, 1, {"ibc": MemoryStore(), "packetcount": MemoryStore()})


@pytest.fixture
def plugin():
    return PacketCountPlugin("port", v2=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_packet_is_counted_once_where_it_belongs(plugin, ctx, kind):
    (layer,) = plugin.ibc_register_middleware()
    (layer_v2,) = plugin.ibc_register_middleware_v2()
    if kind == "sent":
        sender = layer.wrap_sender(Anything())
        assert sender.send_packet(ctx, "port", HERE, ZERO_HEIGHT, 1, b"data") == "send_packet"
    else:
        call(layer.wrap(Anything(), None), ctx, *V1[kind])
    call(layer_v2.wrap(Anything(), None), ctx, *V2[kind])
    found = {(each, end): plugin.read(ctx, each, end) for each in KINDS for end in (HERE, THERE)}
    assert found == {
        (each, end): 2 * ((each, end) == (kind, HERE)) for each in KINDS for end in (HERE, THERE)
    }
    assert [plugin.total(ctx, each) for each in KINDS] == [2 * (each == kind) for each in KINDS]


def test_a_port_without_ibc_v2_has_no_layer_there():
    assert PacketCountPlugin("port").ibc_register_middleware_v2() == []


def test_counts_outlive_a_restart(plugin, ctx):
    for end in (HERE, THERE, HERE):
        plugin.add(ctx, "sent", end)
    exported = json.loads(json.dumps(plugin.chain_export_genesis(ctx)))
    again = BlockContext("chain-1", 1, 1, {"ibc": MemoryStore(), "packetcount": MemoryStore()})
    plugin.chain_init_genesis(again, exported)
    assert again.writes("packetcount") == ctx.writes("packetcount")
    assert plugin.read(again, "sent", HERE) == 2


@pytest.mark.parametrize(("genesis", "key"), [([], "packetcount"), ({"entries": 1}, "packetcount.entries")])
def test_a_bad_genesis_is_refused_by_key(plugin, ctx, genesis, key):
    with pytest.raises(InvalidGenesis) as caught:
        plugin.chain_init_genesis(ctx, {"packetcount": genesis})
    assert caught.value.key == key
