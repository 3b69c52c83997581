"""Packets are counted over each channel and client, and counts outlive a restart."""

import json
from types import SimpleNamespace

import pytest

from conformance.memory import MemoryStore
from ibc_core.genesis.entries import InvalidGenesis
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.overlay import BlockContext
from ibc_core.packet.types import Packet
from ibc_module.apps.packet_count.counter import KINDS
from ibc_module.apps.packet_count.plugin import PacketCountPlugin

HERE, THERE = "channel-0", "channel-7"
SENT = Packet(1, "port", HERE, "port", THERE, b"data", ZERO_HEIGHT, 1)
RECEIVED = Packet(1, "port", THERE, "port", HERE, b"data", ZERO_HEIGHT, 1)
V1 = {
    "sent": lambda layers, ctx: layers.sender.send_packet(ctx, "port", HERE, ZERO_HEIGHT, 1, b"data"),
    "received": lambda layers, ctx: layers.app.on_recv_packet(ctx, "v1", RECEIVED, None),
    "acknowledged": lambda layers, ctx: layers.app.on_acknowledgement_packet(ctx, "v1", SENT, b"ok", None),
    "timed_out": lambda layers, ctx: layers.app.on_timeout_packet(ctx, "v1", SENT, None),
}
V2 = {
    "sent": lambda app, ctx: app.on_send_packet(ctx, HERE, THERE, 1, None, None),
    "received": lambda app, ctx: app.on_recv_packet(ctx, THERE, HERE, 1, None, None),
    "acknowledged": lambda app, ctx: app.on_acknowledgement_packet(ctx, HERE, THERE, 1, b"ok", None, None),
    "timed_out": lambda app, ctx: app.on_timeout_packet(ctx, HERE, THERE, 1, None, None),
}


class Anything:
    def __getattr__(self, name):
        return lambda *_: name


@pytest.fixture
def ctx():
    return BlockContext("chain-1", 1, 1, {"ibc": MemoryStore(), "packetcount": MemoryStore()})


@pytest.fixture
def plugin():
    return PacketCountPlugin("port", v2=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_packet_is_counted_once_where_it_belongs(plugin, ctx, kind):
    (layer,) = plugin.ibc_register_middleware()
    layers = SimpleNamespace(app=layer.wrap(Anything(), None), sender=layer.wrap_sender(Anything()))
    (layer_v2,) = plugin.ibc_register_middleware_v2()
    answer = V1[kind](layers, ctx)
    assert answer in {"send_packet", "on_recv_packet", None}
    V2[kind](layer_v2.wrap(Anything(), None), ctx)
    found = {(each, end): plugin.counter.read(ctx, each, end) for each in KINDS for end in (HERE, THERE)}
    assert found == {
        (each, end): 2 * ((each, end) == (kind, HERE)) for each in KINDS for end in (HERE, THERE)
    }
    assert [plugin.counter.total(ctx, each) for each in KINDS] == [2 * (each == kind) for each in KINDS]


def test_a_port_without_ibc_v2_has_no_layer_there():
    assert PacketCountPlugin("port").ibc_register_middleware_v2() == []


def test_counts_outlive_a_restart(plugin, ctx):
    for end in (HERE, THERE, HERE):
        plugin.counter.add(ctx, "sent", end)
    exported = json.loads(json.dumps(plugin.chain_export_genesis(ctx)))
    again = BlockContext("chain-1", 1, 1, {"ibc": MemoryStore(), "packetcount": MemoryStore()})
    plugin.chain_init_genesis(again, exported)
    assert again.writes("packetcount") == ctx.writes("packetcount")
    assert plugin.counter.read(again, "sent", HERE) == 2


@pytest.mark.parametrize(("genesis", "key"), [([], "packetcount"), ({"entries": 1}, "packetcount.entries")])
def test_a_bad_genesis_is_refused_by_key(plugin, ctx, genesis, key):
    with pytest.raises(InvalidGenesis) as caught:
        plugin.chain_init_genesis(ctx, {"packetcount": genesis})
    assert caught.value.key == key
