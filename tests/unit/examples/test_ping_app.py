"""The ping application refuses what it does not know, and changes nothing then."""

import pytest

from examples import ping_app
from examples.ping_app import Ping, PingApp, PingPlugin, ping
from examples.tinychain import TinyBank, TinyChain, TinyEndpoint
from ibc_core.address import AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.application.classic import Acknowledged, Closing, Opened, Opening, Received
from ibc_core.channel.types import Order
from ibc_core.errors import (
    CallbackNotImplemented,
    ChannelNotFound,
    InvalidChannelVersion,
    InvalidPacket,
    TxDecode,
)
from ibc_core.height import ZERO_HEIGHT
from ibc_core.packet.acknowledgement import failure
from ibc_core.packet.types import Packet
from ibc_module.plugin import Config, plugins
from ibc_module.wiring_error import WiringError

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
    asked, proposed = Opening(*ends, ""), Opening(*ends, "ping-1")
    assert app.on_chan_open_init(asked) == app.on_chan_open_try(proposed) == "ping-1"
    for call in (
        lambda: app.on_chan_open_init(Opening(*ends, "ping-2")),
        lambda: app.on_chan_open_try(asked),
        lambda: app.on_chan_open_ack(Opened("ping", "channel-0", None, "ping-2")),
    ):
        with pytest.raises(InvalidChannelVersion):
            call()


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
    "raw", [b"", b"{}", b'{"signer":"","channel":"","timeout_ns":0}', b'{"signer":"\xff"}', b"[" * 10**5]
)
def test_malformed_messages(raw):
    route = PingPlugin().chain_messages()[ping_app.PING]
    with pytest.raises(TxDecode):
        route.decode(raw)


def test_a_ping_without_a_channel():
    parts = [TinyBank(TINY), PingPlugin(), *plugins(Config(account_prefix="tiny"))]
    chain = TinyChain("tiny-1", parts, {}, [b"v" * 32], lambda: 10**18)
    end = TinyEndpoint(chain, b"k" * 32, TINY)
    message = ping(end.signer, "channel-9", 1)
    assert isinstance(message, AnyMessage)
    assert end.submit([message]).code == ChannelNotFound.code


def test_not_wired():
    route = PingPlugin().chain_messages()[ping_app.PING]
    with pytest.raises(WiringError, match="before a Pipeline"):
        route.signers(Ping("x", "channel-0", 1))
