"""The applications of `conformance.kit.vandal`: on every way by which a chain calls code of others."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from conformance.kit.vandal import STORE, Vandal
from ibc_core.application.classic import AppAcknowledgement, BoundApp, IbcApp, Received
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2, PassThroughSenderV2
from ibc_core.application.services import Services
from ibc_core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, ReceivedV2
from ibc_core.errors import IbcError, InvalidRequest, TxDecode
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.block import CommittedBlock
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_core.queue.application import MakeQueueApp, QueueApp, QueueReceived, QueueSender, QueueServices
from ibc_core.queue.types import End
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.json_message import json_route

PORT, VERSION, TYPE = "vandal", "vandal-1", "vandal"
SEND, EAT, QUERY = "/vandal.Send", "/vandal.Eat", "/vandal.Query/Look"
REFUSED = b"refuse me"


class VandalApp(IbcApp):
    """Of IBC classic: agrees to everything."""

    def __init__(self, vandal: Vandal, services: Services) -> None:
        self._vandal = vandal
        self._services = services

    def _called(self, ctx: WriteContext, told: object) -> None:
        self._vandal.attack(ctx, told, self._services)
        self._vandal.kept = [*self._vandal.kept[-3:], ctx]
        count = int.from_bytes(ctx.store(STORE).get(b"calls") or b"", "big") + 1
        ctx.store(STORE).set(b"calls", count.to_bytes(8))
        ctx.emit(("vandal_called", (("count", str(count)),)))

    def _agree(self, ctx: WriteContext, opening: object) -> str:
        self._called(ctx, opening)
        return VERSION

    def on_chan_open_init(self, ctx: WriteContext, opening: Any) -> str:
        """Agrees."""
        return self._agree(ctx, opening)

    def on_chan_open_try(self, ctx: WriteContext, opening: Any) -> str:
        """Agrees."""
        return self._agree(ctx, opening)

    def on_chan_open_ack(self, ctx: WriteContext, opened: Any) -> None:
        """Agrees."""
        self._called(ctx, opened)

    def on_chan_open_confirm(self, ctx: WriteContext, opened: Any) -> None:
        """Agrees."""
        self._called(ctx, opened)

    def on_chan_close_init(self, ctx: WriteContext, closing: Any) -> None:
        """Agrees."""
        self._called(ctx, closing)

    def on_chan_close_confirm(self, ctx: WriteContext, closing: Any) -> None:
        """Agrees."""
        self._called(ctx, closing)

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Answers."""
        self._called(ctx, received)
        return AppAcknowledgement(success=True, data=received.packet.data)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Any) -> None:
        """Agrees."""
        self._called(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: Any) -> None:
        """Agrees."""
        self._called(ctx, timed_out)


class VandalAppV2(IbcAppV2):
    """Of IBC v2: agrees to everything."""

    def __init__(self, vandal: Vandal, services: Services) -> None:
        self._inner = VandalApp(vandal, services)

    def on_send_packet(self, ctx: WriteContext, sending: Any) -> None:
        """Agrees."""
        self._inner.on_timeout_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer:
        """Answers."""
        self._inner.on_timeout_packet(ctx, received)
        return PayloadAnswer(success=True, data=received.payload.value)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Any) -> None:
        """Agrees."""
        self._inner.on_timeout_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: Any) -> None:
        """Agrees."""
        self._inner.on_timeout_packet(ctx, timed_out)


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

    def _called(self, ctx: WriteContext, told: object) -> None:
        self._vandal.attack(ctx, told, self._services)
        self._vandal.kept = [*self._vandal.kept[-3:], ctx]
        count = int.from_bytes(ctx.store(STORE).get(b"of queues") or b"", "big") + 1
        ctx.store(STORE).set(b"of queues", count.to_bytes(8))

    def on_send(self, ctx: WriteContext, sending: Any) -> None:
        """Agrees."""
        self._called(ctx, sending)

    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:
        """Answers, or refuses."""
        self._called(ctx, received)
        if received.packet.data == REFUSED:
            raise InvalidRequest("the vandal's own")
        return received.packet.data

    def on_commit(self, ctx: WriteContext, committed: Any) -> None:
        """Agrees."""
        self._called(ctx, committed)

    def on_rollback(self, ctx: WriteContext, rolled_back: Any) -> None:
        """Agrees."""
        self._called(ctx, rolled_back)


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
    until_ns: int
    data: str


class VandalPlugin:
    """Its applications on port `vandal` and on queues, its messages and query, and layers around ICS-20."""

    services = AtWiring[Services]()
    queues = AtWiring[QueueSender]()

    def __init__(self, *, is_active: bool) -> None:
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
            # A route of its own: `json_route` refuses what can be changed.
            EAT: MessageRoute(_decode_eat, self._eaters, self.eat, f"{EAT}Response"),
        }

    def send(self, ctx: WriteContext, msg: Send) -> bytes:
        """Sends a packet; returns its sequence, eight bytes."""
        self.vandal.attack(ctx, self.services)
        self.vandal.kept = [*self.vandal.kept[-3:], ctx]
        if not msg.channel:
            there = End(msg.data)
            return self.queues.send(ctx, there, b"from a message", ZERO_HEIGHT, msg.until_ns).to_bytes(8)
        send = self.services.sender.send_packet
        return send(ctx, PORT, msg.channel, ZERO_HEIGHT, msg.until_ns, msg.data.encode()).to_bytes(8)

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
        """What its store has at the key that is asked for."""
        self.vandal.attack_reading(ctx, self.services)
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
        """The layer around ICS-20."""
        vandal = self.vandal
        return [
            Middleware(
                "transfer",
                lambda below, services: VandalLayer(below, vandal, services),
                lambda above: VandalSender(above, vandal),
            )
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
