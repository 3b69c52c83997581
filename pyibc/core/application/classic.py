"""The application interface for channels (ICS-26, ICS-30).

Applications derive from `IbcApp`, middleware from `pyibc.core.application.middleware.PassThroughApp`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from pyibc.core.address import Address
from pyibc.core.application.packet_data import DECODED, PacketData
from pyibc.core.channel.types import ChannelCounterparty, Order
from pyibc.core.errors import CallbackNotImplemented
from pyibc.core.host.context import WriteContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.core.value import sealed
from pyibc.isolation.binding import Callback, Kind, ResultType, answered_by, refusal, refused
from pyibc.isolation.limits import MAX_VERSION
from pyibc.isolation.scoped_context import Grant


@sealed
class AppAcknowledgement(NamedTuple):
    """The acknowledgement that an application returns for a packet."""

    success: bool  # False: the application's writes are reverted
    data: bytes  # bytes to commit and to relay to chain A


# -- arguments of callbacks


@sealed
class Opening(NamedTuple):
    """A channel of this chain to be opened (chanOpenInit on chain A, chanOpenTry on chain B)."""

    order: Order
    connection_id: str  # of this chain
    port_id: str  # of this chain, the application's port
    channel_id: str  # of this chain, the new channel end's
    counterparty: ChannelCounterparty  # the counterparty's port; on chain A without a channel yet
    version: str  # on A the requested version, "" for the default; on B the version proposed by A


@sealed
class Opened(NamedTuple):
    """A channel end of this chain that became OPEN (chanOpenAck on chain A, chanOpenConfirm on chain B)."""

    port_id: str  # of this chain
    channel_id: str  # of this chain
    counterparty: ChannelCounterparty  # the counterparty's channel end
    version: str  # the negotiated version; on A it is B's choice, to be refused if unsupported


@sealed
class Closing(NamedTuple):
    """A channel end of this chain to be CLOSED (chanCloseInit, chanCloseConfirm)."""

    port_id: str  # of this chain
    channel_id: str  # of this chain


@sealed
class Received(NamedTuple):
    """A packet received on chain B (recvPacket)."""

    channel_version: str  # negotiated in the handshake
    packet: Packet
    relayer: Address  # account that relayed it


@sealed
class Acknowledged(NamedTuple):
    """An acknowledged packet of this chain (acknowledgePacket); its commitment is already deleted."""

    channel_version: str  # negotiated in the handshake
    packet: Packet
    acknowledgement: bytes  # as chain B wrote it
    relayer: Address  # account that relayed it


@sealed
class TimedOut(NamedTuple):
    """A timed-out packet of this chain (timeoutPacket); its commitment is already deleted."""

    channel_version: str  # negotiated in the handshake
    packet: Packet
    relayer: Address  # account that submitted the proof


@sealed
class CleanedUp(NamedTuple):
    """A packet of this chain that chain B received, to be cleaned up (cleanupPacket)."""

    channel_version: str  # negotiated in the handshake
    packet: Packet
    acknowledgement: bytes  # of chain B on an unordered channel, b"" on an ordered one
    relayer: Address  # account that submitted the proof


# -- applications


def _not_received(error: CallbackNotImplemented) -> AppAcknowledgement | None:
    return AppAcknowledgement(success=False, data=acks.failure(error))


class IbcApp:
    """Base class of applications: a subclass overrides the callbacks it supports.

    A callback may take `ctx` (`WriteContext`), the value named in its signature here, both or neither.
    Parameters are matched by name when the chain is wired.

    A callback that is not overridden refuses: handshakes and closes fail, received packets get an error
    acknowledgement. An acknowledgement or a timeout without a callback fails its message; the packet
    commitment stays, and a later version of the application can still process it. (ibc-go's interchain
    accounts likewise refuse callbacks that their end of a channel never gets, with ErrInvalidChannelFlow.)

    A raised `IbcError` refuses the handshake step or fails the transaction. A callback returns the type in
    its signature here; any other result fails the transaction with `InvalidCallbackAnswer`.

    `on_cleanup_packet(ctx, cleaned_up: CleanedUp)` is the callback of applications that allow the cleanup of
    received packets by message (`MsgCleanupPacket`). It may raise to refuse. Without it, `CleanupRefused` is
    raised.
    """

    @refused
    def on_chan_open_init(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """Handle chanOpenInit on chain A; return the version to propose."""

    @refused
    def on_chan_open_try(self, ctx: WriteContext, opening: Opening) -> str:  # type: ignore[empty-body]
        """Handle chanOpenTry on chain B; return the version to use."""

    @refused
    def on_chan_open_ack(self, ctx: WriteContext, opened: Opened) -> None:
        """Handle chanOpenAck on chain A, whose end is OPEN now."""

    @refused
    def on_chan_open_confirm(self, ctx: WriteContext, opened: Opened) -> None:
        """Handle chanOpenConfirm on chain B, whose end is OPEN now."""

    @refused
    def on_chan_close_init(self, ctx: WriteContext, closing: Closing) -> None:
        """Handle a request of any account to close this end; raise to refuse."""

    @refused
    def on_chan_close_confirm(self, ctx: WriteContext, closing: Closing) -> None:
        """Handle chanCloseConfirm: the counterparty's end is CLOSED."""

    @answered_by(_not_received)
    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        """Execute a packet on chain B, in a branch; return None to acknowledge it asynchronously."""

    @refused
    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Process the acknowledgement on chain A."""

    @refused
    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        """Revert the effects of a timed-out packet on chain A."""

    @refused
    def decode_packet_data(self, data: bytes, channel_version: str) -> PacketData:  # type: ignore[empty-body]
        """Return the decoded data of a packet, for middleware; raises IbcError if it is malformed."""


@sealed
class BoundApp(NamedTuple):
    """An application with uniform callbacks, each of which takes a context and its value.

    `bind_app` creates it when a chain is wired. The callbacks are those of `IbcApp`.
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


def _is_version(answer: object) -> bool:
    if type(answer) is not str:  # a subclass could return another text each time
        return False
    try:
        answer.encode()
    except UnicodeEncodeError:  # a lone surrogate cannot be stored in a channel end
        return False
    return True


def _is_acknowledgement(answer: Any) -> bool:
    if type(answer) is not AppAcknowledgement:
        return answer is None
    success: Any = answer.success
    data: Any = answer.data
    return type(success) is bool and type(data) is bytes


_VERSION = ResultType("a version (str)", _is_version, lambda version: len(version.encode()), MAX_VERSION)
_ACKNOWLEDGEMENT = ResultType("AppAcknowledgement(success: bool, data: bytes), or None", _is_acknowledgement)

_KIND = Kind(
    IbcApp,
    BoundApp,
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


def bind_app(app: object, where: str, grant: Grant | None = None, below: object = None) -> BoundApp:
    """Return an application or a middleware with uniform callbacks; missing ones refuse.

    See `Kind.bind` for the arguments and errors.
    """
    return _KIND.bind(app, where, grant, below)
