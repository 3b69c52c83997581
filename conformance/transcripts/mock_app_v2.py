"""ibc-go's test applications of IBC v2 on `mockv2A` and `mockv2B`, and its idle rate limiter."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.services import Services
from ibc_core.application.v2 import (
    AcknowledgedV2,
    IbcAppV2,
    PacketSenderV2,
    PayloadAnswer,
    ReceivedV2,
    SendingV2,
    TimedOutV2,
)
from ibc_core.errors import IbcError
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet_v2.types import Payload
from ibc_module import hookimpl
from ibc_module.apps.transfer import encodings, state
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import MiddlewareV2

PORTS = ("mockv2A", "mockv2B")


@dataclass(eq=False)
class RateLimitRefusal(IbcError):
    """What ibc-go's rate limiter says to a payload that it cannot read."""

    version: str
    codespace: ClassVar[str] = "ratelimit"
    code: ClassVar[int] = 15
    text: ClassVar[str] = "payload of version {version!r}"


class MockAppV2(IbcAppV2):
    """Answers by what the payload says; agrees to everything else, and emits nothing."""

    def on_send_packet(self) -> None:
        """Agrees."""

    def on_recv_packet(self, received: ReceivedV2) -> PayloadAnswer | None:
        """Success, later, or failure."""
        if received.payload.value == b"mock packet data":
            return PayloadAnswer(success=True, data=acks.success(b"mock acknowledgement"))
        later = received.payload.value == b"mock async packet data"
        return None if later else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self) -> None:
        """Takes note."""

    def on_timeout_packet(self) -> None:
        """Takes note."""


class IdleRateLimiter(PassThroughAppV2):
    """A rate limiter without limits: it reads each payload, and so refuses first what cannot be read."""

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Passes on what it can read."""
        _read(sending.payload)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Passes on what it can read, and fails on the rest."""
        try:
            _read(received.payload)
        except IbcError:
            return PayloadAnswer(success=False)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Passes on what it can read."""
        _read(acknowledged.payload)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Passes on what it can read."""
        _read(timed_out.payload)
        self.below.on_timeout_packet(ctx, timed_out)


def _read(payload: Payload) -> None:
    if payload.version != state.VERSION:
        raise RateLimitRefusal(payload.version[:64])
    encodings.decode(payload)


class MockPluginV2:
    """The mock applications of IBC v2, and the module's services for whoever drives them."""

    sender = AtWiring[PacketSenderV2]()
    """What packets are answered through."""

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """An application on each of the two ports."""
        self.sender = services.sender_v2
        return {port: MockAppV2() for port in PORTS}

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The rate limiter before ICS-20."""
        return [MiddlewareV2(state.PORT_ID, lambda app, _: IdleRateLimiter(app))]
