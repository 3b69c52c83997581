"""An application that tries to change all that it can reach, and otherwise does what its innocent twin does.

It goes by public names, through attributes and containers; not by closures, globals or the heap, and it
changes no code: classes, functions and the members of enumerations are the chain's own program.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import msgspec

from ibc_core.application.classic import AppAcknowledgement, BoundApp, IbcApp, Received
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2, PassThroughSenderV2
from ibc_core.application.services import Services
from ibc_core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, ReceivedV2
from ibc_core.errors import IbcError
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_module import hookimpl
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.json_message import json_route

PORT, VERSION, STORE, SEND = "vandal", "vandal-1", "vandal", "/vandal.Send"

_PLAIN = (str, bytes, int, float, type(None), Enum)
_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_MUTABLE = (list, dict, set, bytearray)
_ASSIGN: Mapping[str, Callable[[Any, str], None]] = {
    "setattr": lambda found, name: setattr(found, name, b"vandal"),
    "object.__setattr__": lambda found, name: object.__setattr__(found, name, b"vandal"),
    "delattr": delattr,
    "object.__delattr__": object.__delattr__,
}


class Impostor(tuple[Any, ...]):
    """What a record would like to be if its class could be assigned."""

    __slots__ = ()

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = tuple.__hash__


def _as_impostor(found: Any) -> None:
    found.__class__ = Impostor


def _first_item(found: Any) -> None:
    found[0] = b"vandal"


_FORBIDDEN: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, _: ctx.ibc.set(b"nextClientSequence", b"vandal"),
    lambda ctx, _: ctx.ibc.delete(b"nextClientSequence"),
    lambda ctx, _: ctx.store("bank").set(b"vandal", b"x"),
    lambda ctx, _: ctx.store("transfer").delete(b"\x01"),
    lambda ctx, own: ctx.store(own).set(bytearray(b"key"), b"x"),  # type: ignore[arg-type]
    lambda ctx, own: ctx.store(own).set(b"key", bytearray(b"x")),  # type: ignore[arg-type]
    lambda ctx, _: ctx.gas.consume(-1_000_000),
    lambda ctx, _: ctx.emit(["vandal", []]),  # type: ignore[arg-type]
    lambda ctx, _: ctx.emit(("vandal", (("half", "\ud800"),))),
    lambda ctx, _: ctx.branch().discard(),
)
"""What a context must refuse."""

_LATE: Sequence[Callable[[WriteContext, str], object]] = (
    lambda ctx, own: ctx.store(own).set(b"late", b"x"),
    lambda ctx, own: ctx.reader(own).get(b"late"),
    lambda ctx, _: ctx.emit(("late", ())),
    lambda ctx, _: ctx.branch(),
    lambda ctx, _: ctx.gas,
    lambda ctx, _: ctx.height,
)
"""What a context must refuse after its call."""


class Vandal:
    """Attacks while `is_active`; remembers what it met, what it could change and what was not refused."""

    def __init__(self, *, is_active: bool, store: str = STORE) -> None:
        self.is_active = is_active
        self._store = store
        self.met: set[str] = set()
        self.changed: list[str] = []
        self.kept: list[WriteContext] = []

    def attack(self, ctx: WriteContext, *others: object) -> None:
        """Tries everything on a context and what else a callback was given, and on contexts that are over."""
        if not self.is_active:
            return
        for each in self.kept:
            for late in _LATE:
                self._refused(each, late)
        for forbidden in _FORBIDDEN:
            self._refused(ctx, forbidden)
        parts = [ctx.ibc, ctx.store(self._store), ctx.reader("bank"), ctx.gas, ctx.branch()]
        self._walk([ctx, *parts, *others])

    def _refused(self, ctx: WriteContext, act: Callable[[WriteContext, str], object]) -> None:
        try:
            act(ctx, self._store)
        except IbcError:
            return
        self.changed.append(f"{act.__code__.co_firstlineno} of the forbidden was let through")

    def _walk(self, roots: Iterable[object]) -> None:
        queue, seen = list(roots), {}
        while queue:
            found = queue.pop()
            if id(found) in seen or isinstance(found, (*_PLAIN, *_CODE)):
                continue
            seen[id(found)] = found  # kept alive: another must not get its number
            self.met.add(type(found).__name__)
            self._vandalize(found)
            with suppress(TypeError):  # a record lets nobody go through it
                queue.extend(found)  # type: ignore[arg-type]
            for name in _public(found):
                with suppress(IbcError, AttributeError):
                    queue.append(getattr(found, name))

    def _vandalize(self, found: Any) -> None:
        if isinstance(found, _MUTABLE):
            self.changed.append(f"a {type(found).__name__} was within reach: {found!r:.80}")
            found.clear()
            return
        for name in (*_public(found), "vandal"):
            for way, assign in _ASSIGN.items():
                self._try(f"{way} {type(found).__name__}.{name}", assign, found, name)
        self._try(f"the class of a {type(found).__name__}", _as_impostor, found)
        self._try(f"an item of a {type(found).__name__}", _first_item, found)

    def _try(self, what: str, change: Callable[..., None], *arguments: Any) -> None:
        try:
            change(*arguments)
        except (AttributeError, TypeError, IbcError):
            return
        self.changed.append(what)


def _public(found: object) -> list[str]:
    return [name for name in dir(found) if not name.startswith("_")]


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


class Send(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message that sends a packet from port `vandal`."""

    signer: str
    channel: str
    until_ns: int
    data: str


class VandalPlugin:
    """Its applications on port `vandal`, its message, and layers around ICS-20."""

    services = AtWiring[Services]()

    def __init__(self, *, is_active: bool) -> None:
        self.vandal = Vandal(is_active=is_active)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Its message."""
        return {SEND: json_route(SEND, Send, self.services.addresses, self.send)}

    def send(self, ctx: WriteContext, msg: Send) -> bytes:
        """Sends a packet; returns its sequence, eight bytes."""
        send = self.services.sender.send_packet
        return send(ctx, PORT, msg.channel, ZERO_HEIGHT, msg.until_ns, msg.data.encode()).to_bytes(8)

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
