"""ibc-go's IBC v2 test applications on `mockv2A` and `mockv2B`, and its rate limiter without limits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from conformance.kit.registered import registered
from ibc_core.address import Address
from ibc_core.application.services import Services
from ibc_core.application.v2 import IbcAppV2, PacketSenderV2, PayloadAnswer
from ibc_core.errors import IbcError
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet_v2.types import Payload
from ibc_module import hookimpl
from ibc_module.apps.transfer import encodings, state
from ibc_module.hookspecs import MiddlewareV2

PORTS = ("mockv2A", "mockv2B")


@dataclass(eq=False)
class RateLimitRefusal(IbcError):
    """The error of ibc-go's rate limiter for a payload it cannot decode."""

    version: str
    codespace: ClassVar[str] = "ratelimit"
    code: ClassVar[int] = 15
    text: ClassVar[str] = "payload of version {version!r}"


class MockAppV2:
    """Acknowledges depending on the payload; accepts everything else without events."""

    def on_send_packet(self, *_: object) -> None:
        """Accepts."""

    def on_recv_packet(
        self,
        ctx: WriteContext,  # noqa: ARG002
        client_id_on_a: str,  # noqa: ARG002
        client_id_on_b: str,  # noqa: ARG002
        sequence: int,  # noqa: ARG002
        payload: Payload,
        relayer: Address,  # noqa: ARG002
    ) -> PayloadAnswer | None:
        """Acknowledges with success, asynchronously, or with an error."""
        if payload.value == b"mock packet data":
            return PayloadAnswer(success=True, data=acks.success(b"mock acknowledgement"))
        return None if payload.value == b"mock async packet data" else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self, *_: object) -> None:
        """Accepts."""

    def on_timeout_packet(self, *_: object) -> None:
        """Accepts."""


class IdleRateLimiter:
    """A rate limiter without limits; it decodes each payload, so undecodable ones fail here first."""

    def __init__(self, app: IbcAppV2) -> None:
        self._app = app

    def on_send_packet(
        self, ctx: WriteContext, on_a: str, on_b: str, sequence: int, payload: Payload, signer: Address
    ) -> None:
        """Rejects an undecodable payload."""
        _read(payload)
        self._app.on_send_packet(ctx, on_a, on_b, sequence, payload, signer)

    def on_recv_packet(
        self, ctx: WriteContext, on_a: str, on_b: str, sequence: int, payload: Payload, relayer: Address
    ) -> PayloadAnswer | None:
        """Acknowledges an undecodable payload with an error."""
        try:
            _read(payload)
        except IbcError:
            return PayloadAnswer(success=False)
        return self._app.on_recv_packet(ctx, on_a, on_b, sequence, payload, relayer)

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        on_a: str,
        on_b: str,
        sequence: int,
        acknowledgement: bytes,
        payload: Payload,
        relayer: Address,
    ) -> None:
        """Rejects an undecodable payload."""
        _read(payload)
        self._app.on_acknowledgement_packet(ctx, on_a, on_b, sequence, acknowledgement, payload, relayer)

    def on_timeout_packet(
        self, ctx: WriteContext, on_a: str, on_b: str, sequence: int, payload: Payload, relayer: Address
    ) -> None:
        """Rejects an undecodable payload."""
        _read(payload)
        self._app.on_timeout_packet(ctx, on_a, on_b, sequence, payload, relayer)


def _read(payload: Payload) -> None:
    if payload.version != state.VERSION:
        raise RateLimitRefusal(payload.version[:64])
    encodings.decode(payload)


class MockPluginV2:
    """The IBC v2 mock applications, and the packet sender for the replay."""

    def __init__(self) -> None:
        self._sender: PacketSenderV2 | None = None

    @property
    def sender(self) -> PacketSenderV2:
        """Sends acknowledgements for the applications."""
        return registered(self._sender, "mock plugin")

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """An application on each of the two ports."""
        self._sender = services.sender_v2
        return {port: MockAppV2() for port in PORTS}

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The rate limiter in front of ICS-20."""
        return [MiddlewareV2(state.PORT_ID, lambda app, _: IdleRateLimiter(app))]
