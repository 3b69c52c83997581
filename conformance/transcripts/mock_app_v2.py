"""ibc-go's test applications of IBC v2 on `mockv2A` and `mockv2B`, and its idle rate limiter."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

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
    """What ibc-go's rate limiter says to a payload that it cannot read."""

    version: str
    codespace: ClassVar[str] = "ratelimit"
    code: ClassVar[int] = 15
    text: ClassVar[str] = "payload of version {version!r}"


class MockAppV2:
    """Answers by what the payload says; agrees to everything else, and emits nothing."""

    def on_send_packet(self, *_: object) -> None:
        """Agrees."""

    def on_recv_packet(
        self,
        ctx: WriteContext,  # noqa: ARG002
        client_id_on_a: str,  # noqa: ARG002
        client_id_on_b: str,  # noqa: ARG002
        sequence: int,  # noqa: ARG002
        payload: Payload,
        relayer: Address,  # noqa: ARG002
    ) -> PayloadAnswer | None:
        """Success, later, or failure."""
        if payload.value == b"mock packet data":
            return PayloadAnswer(success=True, data=acks.success(b"mock acknowledgement"))
        return None if payload.value == b"mock async packet data" else PayloadAnswer(success=False)

    def on_acknowledgement_packet(self, *_: object) -> None:
        """Takes note."""

    def on_timeout_packet(self, *_: object) -> None:
        """Takes note."""


class IdleRateLimiter:
    """A rate limiter without limits: it reads each payload, and so refuses first what cannot be read."""

    def __init__(self, app: IbcAppV2) -> None:
        self._app = app

    def on_send_packet(
        self, ctx: WriteContext, on_a: str, on_b: str, sequence: int, payload: Payload, signer: Address
    ) -> None:
        """Passes on what it can read."""
        _read(payload)
        self._app.on_send_packet(ctx, on_a, on_b, sequence, payload, signer)

    def on_recv_packet(
        self, ctx: WriteContext, on_a: str, on_b: str, sequence: int, payload: Payload, relayer: Address
    ) -> PayloadAnswer | None:
        """Passes on what it can read, and fails on the rest."""
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
        """Passes on what it can read."""
        _read(payload)
        self._app.on_acknowledgement_packet(ctx, on_a, on_b, sequence, acknowledgement, payload, relayer)

    def on_timeout_packet(
        self, ctx: WriteContext, on_a: str, on_b: str, sequence: int, payload: Payload, relayer: Address
    ) -> None:
        """Passes on what it can read."""
        _read(payload)
        self._app.on_timeout_packet(ctx, on_a, on_b, sequence, payload, relayer)


def _read(payload: Payload) -> None:
    if payload.version != state.VERSION:
        raise RateLimitRefusal(payload.version[:64])
    encodings.decode(payload)


class MockPluginV2:
    """The mock applications of IBC v2, and the module's services for whoever drives them."""

    def __init__(self) -> None:
        self._sender: PacketSenderV2 | None = None

    @property
    def sender(self) -> PacketSenderV2:
        """What packets are answered through."""
        if self._sender is None:
            raise ValueError("the mock plugin was used before a Pipeline held it")
        return self._sender

    @hookimpl
    def ibc_register_apps_v2(self, services: Services) -> Mapping[str, IbcAppV2]:
        """An application on each of the two ports."""
        self._sender = services.sender_v2
        return {port: MockAppV2() for port in PORTS}

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The rate limiter before ICS-20."""
        return [MiddlewareV2(state.PORT_ID, lambda app, _: IdleRateLimiter(app))]
