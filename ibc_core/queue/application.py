"""The interface of applications on queues, and what they may ask of the protocol [IBC-packets 3.3, 3.4]."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ibc_core.address import Address, AddressCodec
from ibc_core.application.answers import MAX_ACKNOWLEDGEMENT
from ibc_core.application.binding import Answer, Callback, Kind
from ibc_core.application.omitted import refused
from ibc_core.application.services import Bank
from ibc_core.errors.queue import ProtectedStore
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.host.confined import Grant, confined
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue.events import PREFIX
from ibc_core.queue.packet import QueuePacket, Registration
from ibc_core.queue.types import End
from ibc_core.value import sealed


@sealed
class QueueSending(NamedTuple):
    """A packet that somebody sends by MsgSend."""

    packet: QueuePacket
    sender: Address  # who signed


@sealed
class QueueReceived(NamedTuple):
    """A packet that chain B executes."""

    packet: QueuePacket


@sealed
class QueueCommitted(NamedTuple):
    """A packet of ours that the other chain executed."""

    packet: QueuePacket
    result: bytes  # what `on_receive` returned there


@sealed
class QueueRolledBack(NamedTuple):
    """A packet of ours that the other chain refused, or that expired."""

    packet: QueuePacket
    codespace: str  # of the error that it met there
    code: int


class QueueApp:
    """The application of one type of packets: a subclass spells the callbacks it has, of each what it uses.

    As `ibc_core.application.classic.IbcApp`: parameters are matched by name when the chain is wired. What a
    subclass leaves out is refused: nobody sends such packets by message, one that comes in is answered with
    an error, and what comes back stays in the queue.

    A callback's context is confined: of stores the plugin's own can be written, the others read; and it ends
    with the call.
    """

    @refused
    def on_send(self, ctx: WriteContext, sending: QueueSending) -> None:
        """A user sends a packet by MsgSend: checks the sender, escrows; raises IbcError to refuse."""

    @refused
    def on_receive(self, ctx: WriteContext, received: QueueReceived) -> bytes:  # type: ignore[empty-body]
        """f_type: executes a packet, returns its result. A raised IbcError becomes the receipt's number.

        What it wrote and emitted is undone then. Running out of gas fails the transaction.
        """

    @refused
    def on_commit(self, ctx: WriteContext, committed: QueueCommitted) -> None:
        """commit_type: the other chain executed the packet. Raises IbcError to leave it in the queue."""

    @refused
    def on_rollback(self, ctx: WriteContext, rolled_back: QueueRolledBack) -> None:
        """rollback_type: the other chain refused the packet, or it expired. Raising is as above."""


@sealed
class BoundQueueApp(NamedTuple):
    """An application as the handlers call it; `bind_queue_app` makes it when a chain is wired."""

    on_send: Callable[[WriteContext, QueueSending], None]
    on_receive: Callable[[WriteContext, QueueReceived], bytes]
    on_commit: Callable[[WriteContext, QueueCommitted], None]
    on_rollback: Callable[[WriteContext, QueueRolledBack], None]


_RESULT = Answer("bytes", lambda answer: type(answer) is bytes, len, MAX_ACKNOWLEDGEMENT)

_KIND = Kind(
    QueueApp,
    (
        Callback("on_send", ("ctx", "sending")),
        Callback("on_receive", ("ctx", "received"), _RESULT),
        Callback("on_commit", ("ctx", "committed")),
        Callback("on_rollback", ("ctx", "rolled_back")),
    ),
)


def bind_queue_app(app: object, where: str, *, shipped: bool = False) -> BoundQueueApp:
    """An application with uniform callbacks: those it left out are refused; `where` says whose it is.

    `shipped`: see `Kind.bind`.

    Raises:
        ValueError: it has a method that is no callback, lacks one, or one that takes what there is not.
    """
    return BoundQueueApp(**_KIND.bind(app, where, shipped))


def confined_queue_app(app: BoundQueueApp, stores: frozenset[str]) -> BoundQueueApp:
    """An application that is called with confined contexts: of stores it writes its plugin's alone.

    Other chains prove against the queues: only the protocol writes them [IBC-channels 3.3].
    """
    grant = Grant(stores, _refusal, (PREFIX,))
    return BoundQueueApp(*[confined(callback, grant) for callback in app])


def _refusal(what: str) -> ProtectedStore:
    """The queues' own number: it stands in receipts."""
    return ProtectedStore(what)


class QueueSender(Protocol):
    """Sends packets of the one type that its holder registered; holding it is the permission."""

    def send(
        self,
        ctx: WriteContext,
        destination: End,
        data: bytes,
        max_height: Height = ZERO_HEIGHT,
        max_time_ns: int = 0,
    ) -> int:
        """Sends a packet without asking `on_send`; returns its sequence.

        Raises:
            UnregisteredDestination, InvalidQueuePacket, PacketTimeoutRequired, PacketTimeoutTooFar,
            ClientNotActive, QueueExhausted.
        """

    def registration(self, ctx: ReadContext, destination: End) -> Registration | None:
        """The registration of the destination, None if there is none."""


@sealed
class QueueServices(NamedTuple):
    """What a new application is given."""

    sender: QueueSender
    bank: Bank | None  # None: the host has no coins
    addresses: AddressCodec
    authority: str


MakeQueueApp = Callable[[QueueServices], QueueApp]
"""Makes the application of a type, given what only that type may send through."""
