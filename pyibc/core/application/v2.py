"""The application interface for IBC v2, and the packet sender for applications (ICS-26 v2).

There is no handshake: each payload has a port, a version and an encoding, which each side checks. Client
identifiers name a packet's route: chain A's client of chain B, and chain B's client of chain A.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from pyibc.core.address import Address
from pyibc.core.application.packet_data import DECODED, PacketData
from pyibc.core.errors import CallbackNotImplemented
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet_v2.types import AcknowledgementV2, Payload
from pyibc.core.value import sealed
from pyibc.isolation.binding import Callback, Kind, ResultType, answered_by, refusal, refused
from pyibc.isolation.scoped_context import Grant


@sealed
class PayloadAnswer(NamedTuple):
    """The acknowledgement that an application returns for a payload."""

    success: bool  # False: all writes of the packet are reverted, and chain A gets the sentinel
    data: bytes = b""  # acknowledgement of a success, never empty


# -- arguments of callbacks


@sealed
class SendingV2(NamedTuple):
    """A payload sent from a port of the application (sendPacket)."""

    client_id_on_a: str  # of this chain
    client_id_on_b: str
    sequence: int
    payload: Payload
    signer: Address  # signer of the transaction


@sealed
class ReceivedV2(NamedTuple):
    """A payload received on chain B (recvPacket)."""

    client_id_on_a: str
    client_id_on_b: str  # of this chain
    sequence: int
    payload: Payload
    relayer: Address  # account that relayed it


@sealed
class AcknowledgedV2(NamedTuple):
    """An acknowledged payload of this chain (acknowledgePacket); the commitment is already deleted."""

    client_id_on_a: str  # of this chain
    client_id_on_b: str
    sequence: int
    payload: Payload
    acknowledgement: bytes  # of this payload, or `SENTINEL` if any payload of the packet failed
    relayer: Address  # account that relayed it


@sealed
class TimedOutV2(NamedTuple):
    """A timed-out payload of this chain (timeoutPacket); the commitment is already deleted."""

    client_id_on_a: str  # of this chain
    client_id_on_b: str
    sequence: int
    payload: Payload
    relayer: Address  # account that submitted the proof


# -- applications


def _not_received(_: CallbackNotImplemented) -> PayloadAnswer | None:
    return PayloadAnswer(success=False)


class IbcAppV2:
    """Base class of IBC v2 applications: a subclass overrides the callbacks it supports.

    As in `pyibc.core.application.classic.IbcApp`, parameters are matched by name when the chain is wired. A
    callback that is not overridden refuses: nothing can be sent from the port, received payloads fail, and
    acknowledgements and timeouts fail their message, which keeps the packet commitment.

    A raised `IbcError` fails the transaction.
    """

    @refused
    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Handle the sending of a payload from the application's port; raise to refuse."""

    @answered_by(_not_received)
    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Execute a payload on chain B, in a branch; return None to acknowledge it asynchronously."""

    @refused
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Process the acknowledgement on chain A."""

    @refused
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Revert the effects of a timed-out payload on chain A."""

    @refused
    def decode_packet_data(self, ctx: ReadContext, payload: Payload) -> PacketData:  # type: ignore[empty-body]
        """Return the decoded data of a payload, for middleware; raises IbcError if it is malformed."""


@sealed
class BoundAppV2(NamedTuple):
    """An application with uniform callbacks, each of which takes a context and its value.

    `bind_app_v2` creates it when a chain is wired. The callbacks are those of `IbcAppV2`.
    """

    on_send_packet: Callable[[WriteContext, SendingV2], None]
    on_recv_packet: Callable[[WriteContext, ReceivedV2], PayloadAnswer | None]
    on_acknowledgement_packet: Callable[[WriteContext, AcknowledgedV2], None]
    on_timeout_packet: Callable[[WriteContext, TimedOutV2], None]
    decode_packet_data: Callable[[ReadContext, Payload], PacketData] = refusal(
        "the application", "decode_packet_data"
    )


def _is_answer(answer: Any) -> bool:
    if type(answer) is not PayloadAnswer:
        return answer is None
    success: Any = answer.success
    data: Any = answer.data
    return type(success) is bool and type(data) is bytes


_ANSWER = ResultType("PayloadAnswer(success: bool, data: bytes), or None", _is_answer)

_KIND = Kind(
    IbcAppV2,
    BoundAppV2,
    (
        Callback("on_send_packet", ("ctx", "sending")),
        Callback("on_recv_packet", ("ctx", "received"), _ANSWER),
        Callback("on_acknowledgement_packet", ("ctx", "acknowledged")),
        Callback("on_timeout_packet", ("ctx", "timed_out")),
        Callback("decode_packet_data", ("ctx", "payload"), DECODED, is_optional=True),
    ),
)


def bind_app_v2(app: object, where: str, grant: Grant | None = None, below: object = None) -> BoundAppV2:
    """Return an application or a middleware with uniform callbacks; missing ones refuse.

    See `Kind.bind` for the arguments and errors.
    """
    return _KIND.bind(app, where, grant, below)


# -- services of the module


class PacketSenderV2(Protocol):
    """Functions of ICS-4 v2 that an application calls; middleware may wrap them."""

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Send a packet on behalf of `signer`, as MsgSendPacket does, and return its sequence."""

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Write the acknowledgement of a packet for which `on_recv_packet` returned None."""
