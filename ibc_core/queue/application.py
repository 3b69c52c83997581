"""The interface of applications on queues, and what they may ask of the protocol [IBC-packets 3.3, 3.4]."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ibc_core.address import Address, AddressCodec
from ibc_core.application.services import Bank
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue.packet import QueuePacket, Registration
from ibc_core.queue.types import End


class QueueApp(Protocol):
    """The application of one type of packets.

    Its context is confined: the stores `queue` and `ibc` can be read, not written, and it ends with the call.
    """

    def on_send(self, ctx: WriteContext, packet: QueuePacket, sender: Address) -> None:
        """A user sends a packet by MsgSend: checks the sender, escrows; raises IbcError to refuse."""

    def on_receive(self, ctx: WriteContext, packet: QueuePacket) -> bytes:
        """f_type: executes a packet, returns its result. A raised IbcError becomes the receipt's number.

        What it wrote and emitted is undone then. Running out of gas fails the transaction.
        """

    def commit(self, ctx: WriteContext, packet: QueuePacket, result: bytes) -> None:
        """commit_type: the other chain executed the packet. Raises IbcError to leave it in the queue."""

    def rollback(self, ctx: WriteContext, packet: QueuePacket, codespace: str, code: int) -> None:
        """rollback_type: the other chain refused the packet, or it expired. Raising is as above."""


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


class QueueServices(NamedTuple):
    """What a new application is given."""

    sender: QueueSender
    bank: Bank | None  # None: the host has no coins
    addresses: AddressCodec
    authority: str


MakeQueueApp = Callable[[QueueServices], QueueApp]
"""Makes the application of a type, given what only that type may send through."""
