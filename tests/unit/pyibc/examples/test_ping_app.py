"""The ping application refuses what it does not know, and changes nothing then."""

import pytest

from ibc_module.json_message import json_message, json_route
from ibc_module.plugin import Config
from pyibc.core.address import AddressCodec
from pyibc.core.application.classic import Acknowledged, Closing, Opened, Opening, Received, bind_app
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    CallbackNotImplemented,
    ChannelNotFound,
    InvalidChannelVersion,
    InvalidPacket,
    TxDecode,
)
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet.acknowledgement import failure
from pyibc.core.packet.types import Packet
from pyibc.core.setup_error import WiringError
from pyibc.default_plugins import plugins
from pyibc.examples import ping_app
from pyibc.examples.ping_app import PING, Ping, PingApp, PingPlugin
from pyibc.examples.tinychain import TinyBank, TinyChain
from pyibc.examples.tinychain.endpoint import TinyEndpoint

TINY = AddressCodec("tiny")


@pytest.fixture
def ctx():
    parts = [TinyBank(TINY), PingPlugin(), *plugins(Config(account_prefix="tiny"))]
    return TinyChain("tiny-1", parts, {}, [b"v" * 32], lambda: 10**18).reader()


def packet(data: bytes) -> Packet:
    return Packet(1, "ping", "channel-0", "ping", "channel-0", data, ZERO_HEIGHT, 1)


def test_versions(ctx):
    app = PingApp()
    ends = (Order.ORDERED, "connection-0", "ping", "channel-0", None)
    bound = bind_app(app, "ping")
    for asked in ("", "ping-1", "ping-2"):
        for ask in (bound.on_chan_open_init, bound.on_chan_open_try):
            assert ask(ctx, Opening(*ends, asked)) == "ping-1"
    bound.on_chan_open_ack(ctx, Opened("ping", "channel-0", None, "ping-1"))
    with pytest.raises(InvalidChannelVersion) as refused:
        bound.on_chan_open_ack(ctx, Opened("ping", "channel-0", None, "ping-2"))
    assert (refused.value.expected, refused.value.got) == ("ping-1", "ping-2")


def test_a_channel_stays_open(ctx):
    with pytest.raises(CallbackNotImplemented):
        PingApp().on_chan_close_init(ctx, Closing("ping", "channel-0"))


def test_what_is_no_ping_is_refused(ctx):
    answer = PingApp().on_recv_packet(ctx, Received("ping-1", packet(b"pong"), None))
    assert answer == (False, failure(InvalidPacket("")))
    assert ping_app.count(ctx, "received") == 0
    assert ctx.writes("ping") == []


def test_another_answer_is_a_loss(ctx):
    PingApp().on_acknowledgement_packet(
        ctx, Acknowledged("ping-1", packet(b"ping"), failure(InvalidPacket("")), None)
    )
    assert (ping_app.count(ctx, "lost"), ping_app.count(ctx, "answered")) == (1, 0)


@pytest.mark.parametrize(
    "raw", [b"", b"{}", b'{"signer":"","channel":"","until_ns":0}', b'{"signer":"\xff"}', b"[" * 10**5]
)
def test_malformed_messages(raw):
    route = json_route(PING, Ping, TINY, PingPlugin().send)
    with pytest.raises(TxDecode):
        route.decode(raw)


def test_a_ping_without_a_channel():
    parts = [TinyBank(TINY), PingPlugin(), *plugins(Config(account_prefix="tiny"))]
    chain = TinyChain("tiny-1", parts, {}, [b"v" * 32], lambda: 10**18)
    end = TinyEndpoint(chain, b"k" * 32, TINY)
    message = json_message(PING, Ping(end.signer, "channel-9", 1))
    assert end.submit([message]).code == ChannelNotFound.code


def test_not_wired():
    with pytest.raises(WiringError, match="before a Pipeline"):
        PingPlugin().chain_messages()
