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
        """Somebody sends a packet by MsgSend: who may, and what is set aside; raise IbcError to refuse."""

    def on_receive(self, ctx: WriteContext, packet: QueuePacket) -> bytes:
        """f_type: executes a packet, returns its result. A raised IbcError becomes the receipt's number.

        What it wrote and emitted is undone then. Running out of gas fails the transaction.
        """

    def commit(self, ctx: WriteContext, packet: QueuePacket, result: bytes) -> None:
        """commit_type: the other chain executed the packet. Raise IbcError to leave it in the queue."""

    def rollback(self, ctx: WriteContext, packet: QueuePacket, codespace: str, code: int) -> None:
        """rollback_type: the other chain refused the packet, or it expired. Raising is as above."""


class QueueSender(Protocol):
    """Sends packets of the one type that its holder registered: who has none sends none."""

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
        """How the destination is registered, None where it is not."""


class QueueServices(NamedTuple):
    """What an application is given when it is made."""

    sender: QueueSender
    bank: Bank | None  # None: the host has no coins
    addresses: AddressCodec
    authority: str


MakeQueueApp = Callable[[QueueServices], QueueApp]
"""Makes the application of a type, given what only that type may send through."""
