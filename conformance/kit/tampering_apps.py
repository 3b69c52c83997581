"""Plugin with tampering applications on every path by which a chain calls application code.

While it is active, `conformance.kit.tampering` attacks all arguments. A transaction with `arm(signer,
callback, kind)` and a message that leads to the callback makes the callback fail as described in
`conformance.kit.application_faults`; the transaction is reverted, so the next one finds the plugin unchanged.
`conformance.kit.channel_lifecycle` reaches every callback.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from conformance.kit.application_faults import FAULTS
from conformance.kit.tampering import STORE, Tamperer
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.json_message import json_message, json_route
from ibc_module.registration import AtWiring
from pyibc.codec.anys import AnyMessage
from pyibc.core.application.classic import AppAcknowledgement, BoundApp, IbcApp, Received
from pyibc.core.application.middleware import (
    PassThroughApp,
    PassThroughAppV2,
    PassThroughSender,
    PassThroughSenderV2,
)
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.services import Services
from pyibc.core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, ReceivedV2
from pyibc.core.errors import IbcError, InvalidRequest, TxDecode
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import CheckedMessage, MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.queues.application import MakeQueueApp, QueueApp, QueueReceived, QueueSender, QueueServices
from pyibc.queues.types import End

PORT, VERSION, TYPE = "tampering", "tampering-1", "tampering"
SEND, EAT, ARM, QUERY = "/tampering.Send", "/tampering.Eat", "/tampering.Arm", "/tampering.Query/Look"
CALLBACKS = (
    "on_chan_open_init", "on_chan_open_try", "on_chan_open_ack", "on_chan_open_confirm", "on_recv_packet",
    "on_acknowledgement_packet", "on_timeout_packet", "on_chan_close_init", "on_chan_close_confirm",
)  # fmt: skip
_AGREED = ("on_chan_open_init", "on_chan_open_try")
REFUSED = b"refuse me"
HEIGHTS = 10**12
"""Timeouts below this value are heights."""


class _Told:
    """Behaviour of both protocols' applications in a callback: attack, record it, fail if armed."""

    def __init__(self, tamperer: Tamperer, services: Services) -> None:
        self._tamperer = tamperer
        self._services = services

    def told(self, callback: str, ctx: WriteContext, value: object, answer: object = None) -> Any:
        """Return the acknowledgement, or the result of the armed fault."""
        self._tamperer.attack(ctx, value, self._services)
        self._tamperer.keep(ctx)
        count = int.from_bytes(ctx.store(STORE).get(b"calls") or b"", "big") + 1
        ctx.store(STORE).set(b"calls", count.to_bytes(8))
        ctx.emit(("vandal_called", (("count", str(count)),)))
        return play(ctx, callback, value, answer)


def play(ctx: WriteContext, callback: str, value: object, answer: object) -> Any:
    """Fail in a callback that is armed in this transaction; otherwise return the acknowledgement."""
    kind = ctx.store(STORE).get(callback.encode())
    if kind is None:
        return answer
    ctx.store(STORE).set(b"written before", callback.encode())
    broken = FAULTS[kind.decode()].run(ctx, value)
    return answer if broken is None else broken


def _callback(name: str, answer: object = None) -> Callable[..., Any]:
    def run(app: _Told, *given: Any) -> Any:
        ctx, value = given
        return app.told(name, ctx, value, answer)

    return run


class TamperingApp(_Told, IbcApp):
    """IBC classic application that accepts everything unless a fault is armed."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Acknowledge with the packet's data."""
        answer = AppAcknowledgement(success=True, data=received.packet.data)
        return self.told("on_recv_packet", ctx, received, answer)  # type: ignore[no-any-return]

    def decode_packet_data(self, data: bytes) -> PacketData:
        """Decode packet data; fail if the data names a fault."""
        FAULTS[data.decode()].run(None, data)  # type: ignore[arg-type]  # a decoder has no context
        return PacketData("", "", "", data)


class TamperingAppV2(_Told, IbcAppV2):
    """IBC v2 application that accepts everything."""

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Acknowledge with the payload's value."""
        answer = PayloadAnswer(success=True, data=received.payload.value)
        return self.told("on_recv_packet", ctx, received, answer)  # type: ignore[no-any-return]


for _name in CALLBACKS:
    if _name != "on_recv_packet":
        setattr(TamperingApp, _name, _callback(_name, VERSION if _name in _AGREED else None))
for _name in ("on_send_packet", "on_acknowledgement_packet", "on_timeout_packet"):
    setattr(TamperingAppV2, _name, _callback(_name))


class BreakingLayer(PassThroughApp):
    """Middleware that fails itself (`layer`), or calls a failing decoder (`decoder`)."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Fail if armed, otherwise call the application below."""
        play(ctx, "layer", received, None)
        kind = ctx.store(STORE).get(b"decoder")
        if kind is not None:
            self.below.decode_packet_data(kind, VERSION)
        return self.below.on_recv_packet(ctx, received)


class TamperingLayer(PassThroughApp):
    """Middleware around ICS-20 that attacks the arguments before the application below gets them."""

    def __init__(self, below: BoundApp, tamperer: Tamperer, services: Services) -> None:
        super().__init__(below)
        self._tamperer = tamperer
        self._services = services

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Attack, then call the application below."""
        with suppress(IbcError):  # if the data is not a transfer's
            data = self.below.decode_packet_data(received.packet.data, received.channel_version)
            self._tamperer.attack(ctx, data)
        self._tamperer.attack(ctx, received, self._services, self.below)
        answer = self.below.on_recv_packet(ctx, received)
        self._tamperer.attack(ctx, answer)
        return answer


class TamperingLayerV2(PassThroughAppV2):
    """The same for IBC v2."""

    def __init__(self, below: BoundAppV2, tamperer: Tamperer, services: Services) -> None:
        super().__init__(below)
        self._tamperer = tamperer
        self._services = services

    def on_send_packet(self, ctx: WriteContext, sending: Any) -> None:
        """Attack, then call the application below."""
        self._tamperer.attack(ctx, sending, self._services, self.below)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Attack, then call the application below."""
        self._tamperer.attack(ctx, self.below.decode_packet_data(ctx, received.payload), received)
        answer = self.below.on_recv_packet(ctx, received)
        self._tamperer.attack(ctx, answer)
        return answer


class TamperingSender(PassThroughSender):
    """Sender wrapper between ICS-20 and the module."""

    def __init__(self, above: Any, tamperer: Tamperer) -> None:
        super().__init__(above)
        self._tamperer = tamperer

    def send_packet(self, ctx: WriteContext, *packet: Any) -> int:
        """Attack, then call the sender above."""
        self._tamperer.attack(ctx, self.above, *packet)
        return super().send_packet(ctx, *packet)


class TamperingSenderV2(PassThroughSenderV2):
    """The same for IBC v2."""

    def __init__(self, above: Any, tamperer: Tamperer) -> None:
        super().__init__(above)
        self._tamperer = tamperer

    def send_packet(self, ctx: WriteContext, *packet: Any) -> int:
        """Attack, then call the sender above."""
        self._tamperer.attack(ctx, self.above, *packet)
        return super().send_packet(ctx, *packet)


class TamperingQueueApp(QueueApp):
    """Queue application that accepts everything but `REFUSED`."""

    def __init__(self, tamperer: Tamperer, services: QueueServices) -> None:
        self._tamperer = tamperer
        self._services = services

    def _called(self, *given: Any) -> None:
        ctx, told = given
        self._tamperer.attack(ctx, told, self._services)
        self._tamperer.keep(ctx)
        count = int.from_bytes(ctx.store(STORE).get(b"of queues") or b"", "big") + 1
        ctx.store(STORE).set(b"of queues", count.to_bytes(8))

    on_send = on_commit = on_rollback = _called

    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:
        """Answer, or refuse."""
        self._called(ctx, received)
        if received.packet.data == REFUSED:
            raise InvalidRequest("refused by the tampering application")
        return received.packet.data


class Eat(msgspec.Struct):
    """A message that execution changes, so that a second read of the same object sees another message."""

    signer: str
    crumbs: list[int]


def _decode_eat(raw: bytes) -> Eat:
    try:
        return msgspec.json.decode(raw, type=Eat)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TxDecode(str(error)) from error


class Send(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message that sends a packet from port `tampering`."""

    signer: str
    channel: str
    until: int
    """Timeout: a height, or unix nanoseconds."""
    data: str


class Arm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message that arms a fault in this transaction; with `callback` `deliver` the fault occurs at once."""

    signer: str
    callback: str
    kind: str


def arm(signer: str, callback: str, kind: str) -> AnyMessage:
    """Make a callback fail for the rest of the transaction."""
    return json_message(ARM, Arm(signer, callback, kind))


class TamperingPlugin:
    """Plugin with classic, v2 and queue applications, messages, a query, and layers around ICS-20."""

    services = AtWiring[Services]()
    queues = AtWiring[QueueSender]()

    def __init__(self, *, is_active: bool = False) -> None:
        self.tamperer = Tamperer(is_active=is_active)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Return its store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Return its messages."""
        addresses = self.services.addresses
        return {
            SEND: json_route(SEND, Send, addresses, self.send),
            ARM: json_route(ARM, Arm, addresses, self.arm),
            # A separate route: `json_route` refuses mutable messages.
            EAT: MessageRoute(_decode_eat, self._eaters, self.eat, f"{EAT}Response"),
        }

    def send(self, ctx: WriteContext, msg: Send) -> bytes:
        """Send a packet; return its sequence, eight bytes."""
        self.tamperer.attack(ctx, self.services)
        self.tamperer.keep(ctx)
        until, until_ns = ZERO_HEIGHT, msg.until
        if until_ns < HEIGHTS:
            until, until_ns = Height(ctx.height.revision_number, msg.until), 0
        if not msg.channel:
            there = End(msg.data)
            return self.queues.send(ctx, there, b"from a message", until, until_ns).to_bytes(8)
        send = self.services.sender.send_packet
        return send(ctx, PORT, msg.channel, until, until_ns, msg.data.encode()).to_bytes(8)

    def arm(self, ctx: WriteContext, msg: Arm) -> Any:
        """Arm a fault, or fail at once."""
        if msg.callback == "deliver":
            ctx.store(STORE).set(b"written before", b"deliver")
            broken = FAULTS[msg.kind].run(ctx, ())
            return b"" if broken is None else broken
        ctx.store(STORE).set(msg.callback.encode(), msg.kind.encode())
        return b""

    def _eaters(self, message: Eat) -> tuple[bytes, ...]:
        return (self.services.addresses.decode(message.signer, "signer").raw,)

    def eat(self, ctx: WriteContext, msg: Eat) -> bytes:
        """Record the message's content, then change the message."""
        ctx.store(STORE).set(b"crumbs", bytes(msg.crumbs))
        ctx.emit(("vandal_ate", (("crumbs", str(sum(msg.crumbs))),)))
        if self.tamperer.is_active:
            msg.crumbs.pop()
        return b""

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Return the query for its store."""
        return {QUERY: self.look}

    def look(self, ctx: ReadContext, request: bytes) -> bytes:
        """Return the stored value at the requested key; fail if the key names a fault of `FAULTS`."""
        self.tamperer.attack_reading(ctx, self.services)
        if (broken := FAULTS.get(request.decode())) is not None:
            return broken.run(ctx, ())  # type: ignore[arg-type, no-any-return]
        return ctx.reader(STORE).get(request) or b""

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export the number of calls."""
        self.tamperer.attack_reading(ctx, self.services)
        return {STORE: {"calls": (ctx.reader(STORE).get(b"calls") or b"").hex()}}

    @hookimpl
    def chain_check_tx(self, messages: Sequence[CheckedMessage]) -> None:
        """Change its own messages, and try to change all others."""
        for each in messages:
            if each.type_url == EAT and self.tamperer.is_active:
                each.message.crumbs.clear()
            elif each.type_url != SEND:
                self.tamperer.attack_values(each)

    @hookimpl
    def chain_prepare_proposal(self, txs: Sequence[bytes]) -> None:
        """Try to change the proposed transactions."""
        self.tamperer.attack_values(txs)

    @hookimpl
    def chain_process_proposal(self, txs: Sequence[bytes]) -> None:
        """Try to change the proposed transactions."""
        self.tamperer.attack_values(txs)

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Try to change the committed block."""
        self.tamperer.attack_values(block)

    @hookimpl(optionalhook=True)
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """Return the application on queues."""
        return {TYPE: self._queue_app}

    def _queue_app(self, services: QueueServices) -> QueueApp:
        self.queues = services.sender
        return TamperingQueueApp(self.tamperer, services)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Return the IBC classic application."""
        self.services = services
        return {PORT: TamperingApp(self.tamperer, services)}

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """Return the IBC v2 application."""
        return {PORT: TamperingAppV2(self.tamperer, services)}

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """Return the layers around its own application and around ICS-20."""
        tamperer = self.tamperer
        return [
            Middleware(PORT, lambda below, _: BreakingLayer(below)),
            Middleware(
                "transfer",
                lambda below, services: TamperingLayer(below, tamperer, services),
                lambda above: TamperingSender(above, tamperer),
            ),
        ]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """Return the layer around ICS-20 of IBC v2."""
        tamperer = self.tamperer
        return [
            MiddlewareV2(
                "transfer",
                lambda below, services: TamperingLayerV2(below, tamperer, services),
                lambda above: TamperingSenderV2(above, tamperer),
            )
        ]


def plugins() -> list[object]:
    """Return the plugins, for a node's settings: `conformance.kit.tampering_apps:plugins`."""
    return [TamperingPlugin()]
