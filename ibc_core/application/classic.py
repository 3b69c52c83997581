"""What an application on a channel is (ICS-26, ICS-30).

Applications derive from `IbcApp`, middleware from `ibc_core.application.middleware.PassThroughApp`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ibc_core.address import Address
from ibc_core.application.answers import MAX_VERSION
from ibc_core.application.binding import Answer, Callback, Kind
from ibc_core.application.omitted import answered_by, refusal, refused
from ibc_core.application.packet_data import DECODED, PacketData
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.errors import CallbackNotImplemented
from ibc_core.host.confined import Grant, confined
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_core.value import sealed


@sealed
class AppAcknowledgement(NamedTuple):
    """What an application answers to a packet."""

    success: bool  # False: the application's writes are undone
    data: bytes  # what is committed and sent back to chain A


# -- what callbacks are told


@sealed
class Opening(NamedTuple):
    """A channel of ours that is to be opened (chanOpenInit on chain A, chanOpenTry on chain B)."""

    order: Order
    connection_id: str  # of this chain
    port_id: str  # of this chain: the application's
    channel_id: str  # of this chain: the new end's
    counterparty: ChannelCounterparty  # the other end's port; on A, no channel yet
    version: str  # on A what the opener asks for, perhaps ""; on B what A's application proposed


@sealed
class Opened(NamedTuple):
    """An end of ours that is OPEN now (chanOpenAck on chain A, chanOpenConfirm on chain B)."""

    port_id: str  # of this chain
    channel_id: str  # of this chain
    counterparty: ChannelCounterparty  # the other end
    version: str  # what both ends use: on A it is B's answer, to be refused if we do not support it


@sealed
class Closing(NamedTuple):
    """An end of ours that is to be CLOSED (chanCloseInit, chanCloseConfirm)."""

    port_id: str  # of this chain
    channel_id: str  # of this chain


@sealed
class Received(NamedTuple):
    """A packet that chain B executes (recvPacket)."""

    channel_version: str  # what the handshake settled on
    packet: Packet
    relayer: Address  # who brought it


@sealed
class Acknowledged(NamedTuple):
    """A packet of ours that chain B answered (acknowledgePacket); its commitment is gone already."""

    channel_version: str  # what the handshake settled on
    packet: Packet
    acknowledgement: bytes  # B's answer, as B wrote it
    relayer: Address  # who brought it


@sealed
class TimedOut(NamedTuple):
    """A packet of ours that chain B will never receive (timeoutPacket); its commitment is gone already."""

    channel_version: str  # what the handshake settled on
    packet: Packet
    relayer: Address  # who proved it


@sealed
class CleanedUp(NamedTuple):
    """A packet of ours that chain B received, and nobody will say more about (cleanupPacket)."""

    channel_version: str  # what the handshake settled on
    packet: Packet
    acknowledgement: bytes  # B's answer on an unordered channel, b"" on an ordered one
    relayer: Address  # who proved it


# -- applications


def _not_received(error: CallbackNotImplemented) -> AppAcknowledgement | None:
    return AppAcknowledgement(success=False, data=acks.failure(error))


class IbcApp:
    """An application: a subclass spells the callbacks it has, and of each what it uses.

    A callback may take `ctx` (`WriteContext`), the one value that its line here names, both or neither; they
    are matched by name when the chain is wired.

    What a subclass leaves out is closed, not open: handshakes and closes are refused, packets that come in
    are answered with an error. An acknowledgement or a timeout that nobody handles fails its message: the
    packet stays where it is, and a later version of the application can still settle it. (So ibc-go's
    interchain accounts refuse what their end of a channel never sees, with ErrInvalidChannelFlow.)

    A raised `IbcError` refuses the handshake step, or fails the transaction. A callback answers with what is
    said here or with None; anything else fails the transaction with `InvalidCallbackAnswer`.

    `on_cleanup_packet(ctx, cleaned_up: CleanedUp)` is the callback of applications that let others clean up
    received packets by message (`MsgCleanupPacket`): raise to refuse; who has none is `CleanupRefused`.
    """

    @refused
    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """Chain A opens; returns the version to propose."""

    @refused
    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """Chain B opens; returns the version it settles on."""

    @refused
    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """Chain A's end is OPEN now."""

    @refused
    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """Chain B's end is OPEN now."""

    @refused
    def on_chan_close_init(self, ctx: WriteContext, closing: Closing) -> None:
        """Somebody, anybody, asks to close this end; raise to refuse."""

    @refused
    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """The other end is CLOSED."""

    @answered_by(_not_received)
    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Chain B executes a packet, in a branch; None: the acknowledgement comes later."""

    @refused
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Chain A learns the answer."""

    @refused
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Chain A takes the packet back."""

    @refused
    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:  # type: ignore[empty-body]
        """What a packet of the application says, for middleware; raises IbcError if it cannot be read."""


@sealed
class BoundApp(NamedTuple):
    """An application as handlers and middleware call it: every callback takes its context and its value.

    `bind_app` makes it when a chain is wired. Callbacks are those of `IbcApp`.
    """

    on_chan_open_init: Callable[[WriteContext, Opening], str]
    on_chan_open_try: Callable[[WriteContext, Opening], str]
    on_chan_open_ack: Callable[[WriteContext, Opened], None]
    on_chan_open_confirm: Callable[[WriteContext, Opened], None]
    on_chan_close_init: Callable[[WriteContext, Closing], None]
    on_chan_close_confirm: Callable[[WriteContext, Closing], None]
    on_recv_packet: Callable[[WriteContext, Received], AppAcknowledgement | None]
    on_acknowledgement_packet: Callable[[WriteContext, Acknowledged], None]
    on_timeout_packet: Callable[[WriteContext, TimedOut], None]
    decode_packet_data: Callable[[bytes, str], PacketData] = refusal("the application", "decode_packet_data")
    on_cleanup_packet: Callable[[WriteContext, CleanedUp], None] | None = None


def confined_app(app: BoundApp, grant: Grant, below: tuple[Any, ...] = ()) -> BoundApp:
    """An application that is called with confined contexts; what it hands on to `below` is confined there."""
    given = app._asdict()
    del given["decode_packet_data"]  # is not told of the block
    own = {
        name: confined(call, grant)
        for name, call in given.items()
        if call is not None and not any(call is each for each in below)
    }
    return app._replace(**own)


def _is_version(answer: object) -> bool:
    if type(answer) is not str:  # a class of the application's own may read differently each time
        return False
    try:
        answer.encode()
    except UnicodeEncodeError:  # half of a character: it has no place in a channel's end
        return False
    return True


def _is_acknowledgement(answer: Any) -> bool:
    if type(answer) is not AppAcknowledgement:
        return answer is None
    success: Any = answer.success
    data: Any = answer.data
    return type(success) is bool and type(data) is bytes


_VERSION = Answer("a version (str)", _is_version, lambda version: len(version.encode()), MAX_VERSION)
_ACKNOWLEDGEMENT = Answer("AppAcknowledgement(success: bool, data: bytes), or None", _is_acknowledgement)

_KIND = Kind(
    IbcApp,
    (
        Callback("on_chan_open_init", ("ctx", "opening"), _VERSION),
        Callback("on_chan_open_try", ("ctx", "opening"), _VERSION),
        Callback("on_chan_open_ack", ("ctx", "opened")),
        Callback("on_chan_open_confirm", ("ctx", "opened")),
        Callback("on_chan_close_init", ("ctx", "closing")),
        Callback("on_chan_close_confirm", ("ctx", "closing")),
        Callback("on_recv_packet", ("ctx", "received"), _ACKNOWLEDGEMENT),
        Callback("on_acknowledgement_packet", ("ctx", "acknowledged")),
        Callback("on_timeout_packet", ("ctx", "timed_out")),
        Callback("on_cleanup_packet", ("ctx", "cleaned_up"), is_optional=True),
        Callback("decode_packet_data", ("data", "channel_version"), DECODED, is_optional=True),
    ),
)


def bind_app(app: object, where: str, *, shipped: bool = False) -> BoundApp:
    """An application or a middleware with uniform callbacks: those it left out are refused.

    `where` says in messages whose it is. `shipped`: see `Kind.bind`.

    Raises:
        ValueError: it has a method that is no callback, lacks one, or one that takes what there is not.
    """
    if isinstance(app, BoundApp):  # a middleware that leaves this port alone
        return app
    return BoundApp(**_KIND.bind(app, where, shipped))
