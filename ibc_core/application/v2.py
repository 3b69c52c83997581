"""What an application of IBC v2 is, and what it may ask of the module (ICS-26 v2).

There is no handshake: a payload says which port, version and encoding it is for, and each side judges it.
Client identifiers name the packet's way: A's client of B, B's client of A.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from ibc_core.address import Address
from ibc_core.application.binding import Answer, Callback, Kind
from ibc_core.application.omitted import answered_by, is_omitted, refusal, refused
from ibc_core.application.packet_data import DECODED, PacketData
from ibc_core.errors import CallbackNotImplemented
from ibc_core.host.confined import Grant, confined
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet_v2.types import AcknowledgementV2, Payload
from ibc_core.value import sealed


@sealed
class PayloadAnswer(NamedTuple):
    """What an application answers to a payload."""

    success: bool  # False: what all applications of the packet wrote is undone, and chain A gets the sentinel
    data: bytes = b""  # of a success: what is committed and sent back to chain A, never empty


# -- what callbacks are told


@sealed
class SendingV2(NamedTuple):
    """A payload that somebody sends from a port of ours (sendPacket)."""

    client_id_on_a: str  # of this chain
    client_id_on_b: str
    sequence: int
    payload: Payload
    signer: Address  # whose transaction it is


@sealed
class ReceivedV2(NamedTuple):
    """A payload that chain B executes (recvPacket)."""

    client_id_on_a: str
    client_id_on_b: str  # of this chain
    sequence: int
    payload: Payload
    relayer: Address  # who brought it


@sealed
class AcknowledgedV2(NamedTuple):
    """A payload of ours that chain B answered (acknowledgePacket); the commitment is gone already."""

    client_id_on_a: str  # of this chain
    client_id_on_b: str
    sequence: int
    payload: Payload
    acknowledgement: bytes  # B's answer to this payload, or `SENTINEL` where any of the packet's failed
    relayer: Address  # who brought it


@sealed
class TimedOutV2(NamedTuple):
    """A payload of ours that chain B will never receive (timeoutPacket); the commitment is gone already."""

    client_id_on_a: str  # of this chain
    client_id_on_b: str
    sequence: int
    payload: Payload
    relayer: Address  # who proved it


# -- applications


def _not_received(_: CallbackNotImplemented) -> PayloadAnswer | None:
    return PayloadAnswer(success=False)


class IbcAppV2:
    """An application of IBC v2: a subclass spells the callbacks it has, and of each what it uses.

    As `ibc_core.application.classic.IbcApp`: parameters are matched by name when the chain is wired. What a
    subclass leaves out is closed: nobody sends from its port, payloads that come in fail, acknowledgements
    and timeouts leave the packet where it is.

    A raised `IbcError` fails the transaction.
    """

    @refused
    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        """Somebody sends a payload from the application's port; raise to refuse."""

    @answered_by(_not_received)
    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        """Chain B executes a payload, in a branch; None: the acknowledgement comes later."""

    @refused
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        """Chain A learns the answer."""

    @refused
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        """Chain A takes the payload back."""

    @refused
    def decode_packet_data(self, ctx: ReadContext, payload: Payload) -> PacketData:  # type: ignore[empty-body]
        """What a payload of the application says, for middleware; raises IbcError if it cannot be read."""


@sealed
class BoundAppV2(NamedTuple):
    """An application as handlers and middleware call it: every callback takes its context and its value.

    `bind_app_v2` makes it when a chain is wired. Callbacks are those of `IbcAppV2`.
    """

    on_send_packet: Callable[[WriteContext, SendingV2], None]
    on_recv_packet: Callable[[WriteContext, ReceivedV2], PayloadAnswer | None]
    on_acknowledgement_packet: Callable[[WriteContext, AcknowledgedV2], None]
    on_timeout_packet: Callable[[WriteContext, TimedOutV2], None]
    decode_packet_data: Callable[[ReadContext, Payload], PacketData] = refusal(
        "the application", "decode_packet_data"
    )


def confined_app_v2(app: BoundAppV2, grant: Grant, below: tuple[Any, ...] = ()) -> BoundAppV2:
    """An application that is called with confined contexts; what it hands on to `below` is confined there."""
    own = {
        name: confined(call, grant)
        for name, call in app._asdict().items()
        if not is_omitted(call) and not any(call is each for each in below)
    }
    return app._replace(**own)


def _is_answer(answer: Any) -> bool:
    if type(answer) is not PayloadAnswer:
        return answer is None
    success: Any = answer.success
    data: Any = answer.data
    return type(success) is bool and type(data) is bytes


_ANSWER = Answer("PayloadAnswer(success: bool, data: bytes), or None", _is_answer)

_KIND = Kind(
    IbcAppV2,
    (
        Callback("on_send_packet", ("ctx", "sending")),
        Callback("on_recv_packet", ("ctx", "received"), _ANSWER),
        Callback("on_acknowledgement_packet", ("ctx", "acknowledged")),
        Callback("on_timeout_packet", ("ctx", "timed_out")),
        Callback("decode_packet_data", ("ctx", "payload"), DECODED, is_optional=True),
    ),
)


def bind_app_v2(app: object, where: str, *, shipped: bool = False) -> BoundAppV2:
    """An application or a middleware with uniform callbacks: those it left out are refused.

    `where` says in messages whose it is. `shipped`: see `Kind.bind`.

    Raises:
        ValueError: it has a method that is no callback, lacks one, or one that takes what there is not.
    """
    if isinstance(app, BoundAppV2):  # a middleware that leaves this port alone
        return app
    return BoundAppV2(**_KIND.bind(app, where, shipped))


# -- what the module does for applications


class PacketSenderV2(Protocol):
    """What the module does for an application of IBC v2."""

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Sends a packet in the name of `signer`, as MsgSendPacket does; returns its sequence."""

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet whose `on_recv_packet` returned None."""
