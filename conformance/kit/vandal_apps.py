"""Applications that do what none may, on every way by which a chain calls code of others: a plugin.

While it is active, its `conformance.kit.vandal` attacks all that it is given. A transaction of
`arm(signer, callback, kind)` and the message that leads to the callback breaks that one, as
`conformance.kit.broken_apps` says; all of it is undone, so the next one finds the plugin whole.
`conformance.kit.broken_road` leads to every callback.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from conformance.kit.broken_apps import BROKEN
from conformance.kit.vandal import STORE, Vandal
from ibc_core.any_message import AnyMessage
from ibc_core.application.classic import AppAcknowledgement, BoundApp, IbcApp, Received
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2, PassThroughSenderV2
from ibc_core.application.packet_data import PacketData
from ibc_core.application.services import Services
from ibc_core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, ReceivedV2
from ibc_core.errors import IbcError, InvalidRequest, TxDecode
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.host.block import CommittedBlock
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_core.queue.application import MakeQueueApp, QueueApp, QueueReceived, QueueSender, QueueServices
from ibc_core.queue.types import End
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.json_message import json_message, json_route

PORT, VERSION, TYPE = "vandal", "vandal-1", "vandal"
SEND, EAT, ARM, QUERY = "/vandal.Send", "/vandal.Eat", "/vandal.Arm", "/vandal.Query/Look"
CALLBACKS = (
    "on_chan_open_init", "on_chan_open_try", "on_chan_open_ack", "on_chan_open_confirm", "on_recv_packet",
    "on_acknowledgement_packet", "on_timeout_packet", "on_chan_close_init", "on_chan_close_confirm",
)  # fmt: skip
_AGREED = ("on_chan_open_init", "on_chan_open_try")
REFUSED = b"refuse me"
HEIGHTS = 10**12
"""A timeout below this is a height."""


class _Told:
    """What both protocols' applications do when they are told something: attack, note it, break if armed."""

    def __init__(self, vandal: Vandal, services: Services) -> None:
        self._vandal = vandal
        self._services = services

    def told(self, callback: str, ctx: WriteContext, value: object, answer: object = None) -> Any:
        """Returns the answer, or what the callback is armed with answers."""
        self._vandal.attack(ctx, value, self._services)
        self._vandal.keep(ctx)
        count = int.from_bytes(ctx.store(STORE).get(b"calls") or b"", "big") + 1
        ctx.store(STORE).set(b"calls", count.to_bytes(8))
        ctx.emit(("vandal_called", (("count", str(count)),)))
        return play(ctx, callback, value, answer)


def play(ctx: WriteContext, callback: str, value: object, answer: object) -> Any:
    """Breaks a callback that is armed in this transaction; else returns the answer."""
    kind = ctx.store(STORE).get(callback.encode())
    if kind is None:
        return answer
    ctx.store(STORE).set(b"written before", callback.encode())
    broken = BROKEN[kind.decode()].run(ctx, value)
    return answer if broken is None else broken


def _callback(name: str, answer: object = None) -> Callable[..., Any]:
    def run(app: _Told, *given: Any) -> Any:
        ctx, value = given
        return app.told(name, ctx, value, answer)

    return run


class VandalApp(_Told, IbcApp):
    """Of IBC classic: agrees to everything that it is not armed against."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Answers with the packet's data."""
        answer = AppAcknowledgement(success=True, data=received.packet.data)
        return self.told("on_recv_packet", ctx, received, answer)  # type: ignore[no-any-return]

    def decode_packet_data(self, data: bytes) -> PacketData:
        """Breaks as the data say."""
        BROKEN[data.decode()].run(None, data)  # type: ignore[arg-type]  # a decoder has no context
        return PacketData("", "", "", data)


class VandalAppV2(_Told, IbcAppV2):
    """Of IBC v2: agrees to everything."""

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Answers with the payload's value."""
        answer = PayloadAnswer(success=True, data=received.payload.value)
        return self.told("on_recv_packet", ctx, received, answer)  # type: ignore[no-any-return]


for _name in CALLBACKS:
    if _name != "on_recv_packet":
        setattr(VandalApp, _name, _callback(_name, VERSION if _name in _AGREED else None))
for _name in ("on_send_packet", "on_acknowledgement_packet", "on_timeout_packet"):
    setattr(VandalAppV2, _name, _callback(_name))


class BreakingLayer(PassThroughApp):
    """Middleware that breaks of itself (`layer`), or asks a decoder that does (`decoder`)."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Breaks if armed, else as below."""
        play(ctx, "layer", received, None)
        kind = ctx.store(STORE).get(b"decoder")
        if kind is not None:
            self.below.decode_packet_data(kind, VERSION)
        return self.below.on_recv_packet(ctx, received)


class VandalLayer(PassThroughApp):
    """Around ICS-20: attacks what it is told before the application below is told."""

    def __init__(self, below: BoundApp, vandal: Vandal, services: Services) -> None:
        super().__init__(below)
        self._vandal = vandal
        self._services = services

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """As below."""
        with suppress(IbcError):  # where the data is no transfer's
            data = self.below.decode_packet_data(received.packet.data, received.channel_version)
            self._vandal.attack(ctx, data)
        self._vandal.attack(ctx, received, self._services, self.below)
        answer = self.below.on_recv_packet(ctx, received)
        self._vandal.attack(ctx, answer)
        return answer


class VandalLayerV2(PassThroughAppV2):
    """The same of IBC v2."""

    def __init__(self, below: BoundAppV2, vandal: Vandal, services: Services) -> None:
        super().__init__(below)
        self._vandal = vandal
        self._services = services

    def on_send_packet(self, ctx: WriteContext, sending: Any) -> None:
        """As below."""
        self._vandal.attack(ctx, sending, self._services, self.below)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """As below."""
        self._vandal.attack(ctx, self.below.decode_packet_data(ctx, received.payload), received)
        answer = self.below.on_recv_packet(ctx, received)
        self._vandal.attack(ctx, answer)
        return answer


class VandalSender(PassThroughSender):
    """Between ICS-20 and the module."""

    def __init__(self, above: Any, vandal: Vandal) -> None:
        super().__init__(above)
        self._vandal = vandal

    def send_packet(self, ctx: WriteContext, *packet: Any) -> int:
        """As above."""
        self._vandal.attack(ctx, self.above, *packet)
        return super().send_packet(ctx, *packet)


class VandalSenderV2(PassThroughSenderV2):
    """The same of IBC v2."""

    def __init__(self, above: Any, vandal: Vandal) -> None:
        super().__init__(above)
        self._vandal = vandal

    def send_packet(self, ctx: WriteContext, *packet: Any) -> int:
        """As above."""
        self._vandal.attack(ctx, self.above, *packet)
        return super().send_packet(ctx, *packet)


class VandalQueueApp(QueueApp):
    """On queues: agrees to everything but `REFUSED`."""

    def __init__(self, vandal: Vandal, services: QueueServices) -> None:
        self._vandal = vandal
        self._services = services

    def _called(self, *given: Any) -> None:
        ctx, told = given
        self._vandal.attack(ctx, told, self._services)
        self._vandal.keep(ctx)
        count = int.from_bytes(ctx.store(STORE).get(b"of queues") or b"", "big") + 1
        ctx.store(STORE).set(b"of queues", count.to_bytes(8))

    on_send = on_commit = on_rollback = _called

    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:
        """Answers, or refuses."""
        self._called(ctx, received)
        if received.packet.data == REFUSED:
            raise InvalidRequest("the vandal's own")
        return received.packet.data


class Eat(msgspec.Struct):
    """A message whose execution uses it up: whoever sees the same object again sees another message."""

    signer: str
    crumbs: list[int]


def _decode_eat(raw: bytes) -> Eat:
    try:
        return msgspec.json.decode(raw, type=Eat)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TxDecode(str(error)) from error


class Send(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message that sends a packet from port `vandal`."""

    signer: str
    channel: str
    until: int
    """A height, or nanoseconds."""
    data: str


class Arm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to break, in this transaction; `callback` may be `deliver`: at once."""

    signer: str
    callback: str
    kind: str


def arm(signer: str, callback: str, kind: str) -> AnyMessage:
    """Breaks a callback for the rest of the transaction."""
    return json_message(ARM, Arm(signer, callback, kind))


class VandalPlugin:
    """Its applications on port `vandal` and on queues, its messages and query, and layers around ICS-20."""

    services = AtWiring[Services]()
    queues = AtWiring[QueueSender]()

    def __init__(self, *, is_active: bool = False) -> None:
        self.vandal = Vandal(is_active=is_active)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Its messages."""
        addresses = self.services.addresses
        return {
            SEND: json_route(SEND, Send, addresses, self.send),
            ARM: json_route(ARM, Arm, addresses, self.arm),
            # A route of its own: `json_route` refuses what can be changed.
            EAT: MessageRoute(_decode_eat, self._eaters, self.eat, f"{EAT}Response"),
        }

    def send(self, ctx: WriteContext, msg: Send) -> bytes:
        """Sends a packet; returns its sequence, eight bytes."""
        self.vandal.attack(ctx, self.services)
        self.vandal.keep(ctx)
        until, until_ns = ZERO_HEIGHT, msg.until
        if until_ns < HEIGHTS:
            until, until_ns = Height(ctx.height.revision_number, msg.until), 0
        if not msg.channel:
            there = End(msg.data)
            return self.queues.send(ctx, there, b"from a message", until, until_ns).to_bytes(8)
        send = self.services.sender.send_packet
        return send(ctx, PORT, msg.channel, until, until_ns, msg.data.encode()).to_bytes(8)

    def arm(self, ctx: WriteContext, msg: Arm) -> Any:
        """Notes what is to break, or breaks at once."""
        if msg.callback == "deliver":
            ctx.store(STORE).set(b"written before", b"deliver")
            broken = BROKEN[msg.kind].run(ctx, ())
            return b"" if broken is None else broken
        ctx.store(STORE).set(msg.callback.encode(), msg.kind.encode())
        return b""

    def _eaters(self, message: Eat) -> tuple[bytes, ...]:
        return (self.services.addresses.decode(message.signer, "signer").raw,)

    def eat(self, ctx: WriteContext, msg: Eat) -> bytes:
        """Notes what the message brings, and uses it up."""
        ctx.store(STORE).set(b"crumbs", bytes(msg.crumbs))
        ctx.emit(("vandal_ate", (("crumbs", str(sum(msg.crumbs))),)))
        if self.vandal.is_active:
            msg.crumbs.pop()
        return b""

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """How often it was called."""
        return {QUERY: self.look}

    def look(self, ctx: ReadContext, request: bytes) -> bytes:
        """What its store has at the key that is asked for; a name of `BROKEN` breaks."""
        self.vandal.attack_reading(ctx, self.services)
        if (broken := BROKEN.get(request.decode())) is not None:
            return broken.run(ctx, ())  # type: ignore[arg-type, no-any-return]
        return ctx.reader(STORE).get(request) or b""

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """How often it was called."""
        self.vandal.attack_reading(ctx, self.services)
        return {STORE: {"calls": (ctx.reader(STORE).get(b"calls") or b"").hex()}}

    @hookimpl
    def chain_check_tx(self, messages: Sequence[CheckedMessage]) -> None:
        """Uses up its own messages, and tries to change all others."""
        for each in messages:
            if each.type_url == EAT and self.vandal.is_active:
                each.message.crumbs.clear()
            elif each.type_url != SEND:
                self.vandal.attack_values(each)

    @hookimpl
    def chain_prepare_proposal(self, txs: Sequence[bytes]) -> None:
        """Tries to change what is proposed."""
        self.vandal.attack_values(txs)

    @hookimpl
    def chain_process_proposal(self, txs: Sequence[bytes]) -> None:
        """Tries to change what was proposed."""
        self.vandal.attack_values(txs)

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Tries to change what was."""
        self.vandal.attack_values(block)

    @hookimpl(optionalhook=True)
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """The application on queues."""
        return {TYPE: self._queue_app}

    def _queue_app(self, services: QueueServices) -> QueueApp:
        self.queues = services.sender
        return VandalQueueApp(self.vandal, services)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application of IBC classic."""
        self.services = services
        return {PORT: VandalApp(self.vandal, services)}

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """The application of IBC v2."""
        return {PORT: VandalAppV2(self.vandal, services)}

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """The layers around its own application and around ICS-20."""
        vandal = self.vandal
        return [
            Middleware(PORT, lambda below, _: BreakingLayer(below)),
            Middleware(
                "transfer",
                lambda below, services: VandalLayer(below, vandal, services),
                lambda above: VandalSender(above, vandal),
            ),
        ]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The layer around ICS-20 of IBC v2."""
        vandal = self.vandal
        return [
            MiddlewareV2(
                "transfer",
                lambda below, services: VandalLayerV2(below, vandal, services),
                lambda above: VandalSenderV2(above, vandal),
            )
        ]


def broken() -> list[object]:
    """For a node's settings: `conformance.kit.vandal_apps:broken`."""
    return [VandalPlugin()]
