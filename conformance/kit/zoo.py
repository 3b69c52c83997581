"""A chain's plugin in which anything can be broken, and the messages that reach every part of it.

A transaction of `arm(signer, callback, kind)` and the message that leads to the callback breaks it; all of
it is undone, so the next one finds the plugin whole. `conformance.kit.zoo_road` leads to every callback.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from conformance.kit.broken_apps import BROKEN, STORE
from ibc_core.any_message import AnyMessage
from ibc_core.application.classic import AppAcknowledgement, IbcApp
from ibc_core.application.middleware import PassThroughApp
from ibc_core.application.packet_data import PacketData
from ibc_core.application.services import Services
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.packet import acknowledgement as acks
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware
from ibc_module.json_message import json_message, json_route

PORT = "zoo"
VERSION = "zoo-1"
ARM, SEND = "/zoo.v1.Arm", "/zoo.v1.Send"
QUERY = "/zoo.v1.Query/Broken"
CALLBACKS = (
    "on_chan_open_init", "on_chan_open_try", "on_chan_open_ack", "on_chan_open_confirm", "on_recv_packet",
    "on_acknowledgement_packet", "on_timeout_packet", "on_chan_close_init", "on_chan_close_confirm",
)  # fmt: skip


class Arm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to break, in this transaction; `callback` may be `deliver`: at once."""

    signer: str
    callback: str
    kind: str


class Send(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A packet to be sent."""

    signer: str
    channel: str
    timeout_height: int


def arm(signer: str, callback: str, kind: str) -> AnyMessage:
    """Breaks a callback for the rest of the transaction."""
    return json_message(ARM, Arm(signer, callback, kind))


def send(signer: str, channel: str, timeout_height: int) -> AnyMessage:
    """Sends a packet."""
    return json_message(SEND, Send(signer, channel, timeout_height))


def _play(ctx: WriteContext, callback: str, value: Any, answer: Any) -> Any:
    kind = ctx.store(STORE).get(callback.encode())
    if kind is None:
        return answer
    ctx.store(STORE).set(b"written before", callback.encode())
    broken = BROKEN[kind.decode()].run(ctx, value)
    return answer if broken is None else broken


def _callback(name: str, answer: Any) -> Callable[..., Any]:
    def run(_app: object, *given: Any) -> Any:
        ctx, value = given
        return _play(ctx, name, value, answer)

    return run


_DONE = AppAcknowledgement(success=True, data=acks.success(b"done"))
_ANSWERS = {"on_chan_open_init": VERSION, "on_chan_open_try": VERSION, "on_recv_packet": _DONE}


class ZooApp(IbcApp):
    """Whole until a callback is armed."""

    def decode_packet_data(self, data: bytes) -> PacketData:
        """Breaks as the data say."""
        BROKEN[data.decode()].run(None, data)  # type: ignore[arg-type]  # a decoder has no context
        return PacketData("", "", "", data)


for _name in CALLBACKS:
    setattr(ZooApp, _name, _callback(_name, _ANSWERS.get(_name)))


class ZooLayer(PassThroughApp):
    """A middleware that breaks of itself (`layer`), or asks a decoder that does (`decoder`)."""

    def on_recv_packet(self, ctx: WriteContext, received: Any) -> Any:
        """Breaks if armed, else as below."""
        _play(ctx, "layer", received, None)
        kind = ctx.store(STORE).get(b"decoder")
        if kind is not None:
            self.below.decode_packet_data(kind, VERSION)
        return self.below.on_recv_packet(ctx, received)


class ZooPlugin:
    """The application, its middleware, its messages and a query."""

    services = AtWiring[Services]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application."""
        self.services = services
        return {PORT: ZooApp()}

    @hookimpl
    def ibc_register_middleware(self) -> Sequence[Middleware]:
        """The middleware."""
        return [Middleware(PORT, lambda below, _: ZooLayer(below))]

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Its messages."""
        addresses = self.services.addresses
        return {
            ARM: json_route(ARM, Arm, addresses, self._arm),
            SEND: json_route(SEND, Send, addresses, self._send),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """A query that breaks as it is asked to."""

        def broken(ctx: ReadContext, request: bytes) -> Any:
            return BROKEN[request.decode()].run(ctx, ())  # type: ignore[arg-type]

        return {QUERY: broken}

    def _arm(self, ctx: WriteContext, msg: Arm) -> Any:
        if msg.callback == "deliver":
            ctx.store(STORE).set(b"written before", b"deliver")
            broken = BROKEN[msg.kind].run(ctx, ())
            return b"" if broken is None else broken
        ctx.store(STORE).set(msg.callback.encode(), msg.kind.encode())
        return b""

    def _send(self, ctx: WriteContext, msg: Send) -> bytes:
        until = Height(ctx.height.revision_number, msg.timeout_height)
        return self.services.sender.send_packet(ctx, PORT, msg.channel, until, 0, b"x").to_bytes(8)


def zoo() -> list[object]:
    """For a node's settings: `conformance.kit.zoo:zoo`."""
    return [ZooPlugin()]
