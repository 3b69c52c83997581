"""Interface of queue applications and the services they get [IBC-packets 3.3, 3.4]."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.services import Bank
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.value import sealed
from pyibc.isolation.binding import Callback, Kind, ResultType, refused
from pyibc.isolation.limits import MAX_ACKNOWLEDGEMENT
from pyibc.isolation.scoped_context import Grant
from pyibc.queues.errors import ProtectedStore
from pyibc.queues.packet import PREFIX, QueuePacket, Registration
from pyibc.queues.types import End


@sealed
class QueueSending(NamedTuple):
    """Packet that a user sends by MsgSend."""

    packet: QueuePacket
    sender: Address  # signer of the message


@sealed
class QueueReceived(NamedTuple):
    """Packet that chain B executes."""

    packet: QueuePacket


@sealed
class QueueCommitted(NamedTuple):
    """Packet sent by this chain that the other chain executed."""

    packet: QueuePacket
    result: bytes  # return value of `on_receive` on the other chain


@sealed
class QueueRolledBack(NamedTuple):
    """Packet sent by this chain that the other chain refused, or that expired."""

    packet: QueuePacket
    codespace: str  # of the error on the other chain
    code: int


class QueueApp:
    """Application of one packet type: a subclass defines the callbacks it needs.

    Parameters are matched by name at wiring, as for `pyibc.core.application.classic.IbcApp`. A missing
    callback refuses: packets cannot be sent by message, a received packet gets an error receipt, and a
    receipt cannot be handled, so that its packet stays in the queue.

    A callback's context is confined: it can write the plugin's stores and read all others, and is valid only
    during the call.
    """

    @refused
    def on_send(self, ctx: WriteContext, sending: QueueSending) -> None:
        """Check the sender of a MsgSend and escrow; raise IbcError to refuse."""

    @refused
    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:  # type: ignore[empty-body]
        """Execute a packet and return its result (f_type); an IbcError becomes the receipt's code.

        Writes and events are reverted on an error. Any other exception is a bug and gives the code
        `undefined/111222`. Running out of gas fails the transaction.
        """

    @refused
    def on_commit(self, ctx: WriteContext, committed: QueueCommitted) -> None:
        """Process the receipt of a packet that the other chain executed (commit_type).

        An exception leaves the packet, and all packets after it, in the queue until the application is fixed.
        """

    @refused
    def on_rollback(self, ctx: WriteContext, rolled_back: QueueRolledBack) -> None:
        """Process the refusal or expiry of a packet (rollback_type). An exception acts as in `on_commit`."""


@sealed
class BoundQueueApp(NamedTuple):
    """Application with all callbacks in uniform form; see `bind_queue_app`."""

    on_send: Callable[[WriteContext, QueueSending], None]
    on_receive: Callable[[WriteContext, QueueReceived], bytes]
    on_commit: Callable[[WriteContext, QueueCommitted], None]
    on_rollback: Callable[[WriteContext, QueueRolledBack], None]


_RESULT = ResultType("bytes", lambda answer: type(answer) is bytes, len, MAX_ACKNOWLEDGEMENT)

_KIND = Kind(
    QueueApp,
    BoundQueueApp,
    (
        Callback("on_send", ("ctx", "sending")),
        Callback("on_receive", ("ctx", "received"), _RESULT),
        Callback("on_commit", ("ctx", "committed")),
        Callback("on_rollback", ("ctx", "rolled_back")),
    ),
)


def bind_queue_app(app: object, where: str, stores: frozenset[str] | None = None) -> BoundQueueApp:
    """Return an application with uniform callbacks; missing ones refuse.

    `stores` has the names of its plugin's stores, None for a builtin application. It can write these only:
    other chains verify proofs of the queues, which only the protocol may write [IBC-channels 3.3]. See
    `Kind.bind` for the other arguments and errors.
    """
    grant = None if stores is None else Grant(stores, _refusal, (PREFIX,))
    return _KIND.bind(app, where, grant)


def _refusal(what: str) -> ProtectedStore:
    """Return the queue protocol's own error, whose code receipts may hold."""
    return ProtectedStore(what)


class QueueSender(Protocol):
    """Sends packets of one registered type; possession of the object is the permission."""

    def send(
        self,
        ctx: WriteContext,
        destination: End,
        data: bytes,
        max_height: Height = ZERO_HEIGHT,
        max_time_ns: int = 0,
    ) -> int:
        """Send a packet without calling `on_send`; return its sequence.

        Raises:
            UnregisteredDestination: the destination is not registered.
            InvalidQueuePacket: the data is too large.
            PacketTimeoutRequired, PacketTimeoutTooFar: the timeout violates the chain's rules.
            ClientNotActive: no receipt or timeout could be proven.
            QueueExhausted: the queue has no index left.
        """

    def registration(self, ctx: ReadContext, destination: End) -> Registration | None:
        """Return the registration of the destination, None if there is none."""


@sealed
class QueueServices(NamedTuple):
    """Services that an application gets when it is built."""

    sender: QueueSender
    bank: Bank | None  # None: the host has no coins
    addresses: AddressCodec
    authority: str


MakeQueueApp = Callable[[QueueServices], QueueApp]
"""Factory of the application of one packet type."""
