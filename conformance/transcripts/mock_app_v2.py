"""ibc-go's IBC v2 test applications on `mockv2A` and `mockv2B`, and its rate limiter without limits."""

from collections.abc import Iterable, Mapping
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


class RateLimitRefusal(IbcError):
    """The error of ibc-go's rate limiter for a payload it cannot decode."""

    version: str
    codespace: ClassVar[str] = "ratelimit"
    code: ClassVar[int] = 15
    text: ClassVar[str] = "payload of version {version!r}"


class MockAppV2(IbcAppV2):
    """Acknowledges depending on the payload; accepts everything else without events."""

    def on_send_packet(self) -> None:
        """Accepts."""

    def on_recv_packet(self, received: ReceivedV2) -> PayloadAnswer | None:
        """Acknowledges with success, asynchronously, or with an error."""
        if received.payload.value == b"mock packet data":
            return PayloadAnswer(success=True, data=acks.success(b"mock acknowledgement"))
        later = received.payload.value == b"mock async packet data"
        return None if later else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self) -> None:
        """Accepts."""

    def on_timeout_packet(self) -> None:
        """Accepts."""


class IdleRateLimiter(PassThroughAppV2):
    """A rate limiter without limits; it decodes each payload, so undecodable ones fail here first."""

    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Rejects an undecodable payload."""
        _read(sending.payload)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Acknowledges an undecodable payload with an error."""
        try:
            _read(received.payload)
        except IbcError:
            return PayloadAnswer(success=False)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Rejects an undecodable payload."""
        _read(acknowledged.payload)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Rejects an undecodable payload."""
        _read(timed_out.payload)
        self.below.on_timeout_packet(ctx, timed_out)


def _read(payload: Payload) -> None:
    if payload.version != state.VERSION:
        raise RateLimitRefusal(payload.version[:64])
    encodings.decode(payload)


class MockPluginV2:
    """The IBC v2 mock applications, and the packet sender for the replay."""

    sender = AtWiring[PacketSenderV2]()
    """What packets are answered through."""

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """An application on each of the two ports."""
        self.sender = services.sender_v2
        return {port: MockAppV2() for port in PORTS}

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The rate limiter in front of ICS-20."""
        return [MiddlewareV2(state.PORT_ID, lambda app, _: IdleRateLimiter(app))]
