"""The sender given to an application: for packets of the type that it registered."""

from handlers.keepers_ref import KeepersRef
from handlers.queue import send
from ibc_core.errors.queue import UnregisteredDestination
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue.confined import ConfinedContext
from ibc_core.queue.packet import QueuePacket, Registration, check_packet
from ibc_core.queue.types import End
from keepers.queue.keepers import QueueKeepers


class TypeSender:
    """Sends packets of one type (`ibc_core.queue.application.QueueSender`): holding it is the permission."""

    def __init__(self, ref: KeepersRef[QueueKeepers], packet_type: str) -> None:
        self._ref = ref
        self._type = packet_type

    def send(
        self,
        ctx: WriteContext,
        destination: End,
        data: bytes,
        max_height: Height = ZERO_HEIGHT,
        max_time_ns: int = 0,
    ) -> int:
        """Sends a packet; returns its sequence.

        Raises:
            UnregisteredDestination, InvalidQueuePacket, PacketTimeoutRequired, PacketTimeoutTooFar,
            ClientNotActive, QueueExhausted: nothing is sent.
            ProtectedStore: the context's call is over.
        """
        keepers, block = self._ref.keepers, ConfinedContext.opened(ctx)
        check_packet(self._type, data, max_height, max_time_ns)
        registration = self.registration(block, destination)
        if registration is None:
            raise UnregisteredDestination(destination.text)
        sequence = keepers.queues.tail(block, registration.outgoing)
        packet = QueuePacket(
            registration.local, destination, sequence, self._type, data, max_height, max_time_ns
        )
        send.check_timeout(keepers, block, registration, packet)
        return send.push(keepers, block, registration, packet)

    def registration(self, ctx: ReadContext, destination: End) -> Registration | None:
        """The destination's registration, None if there is none."""
        return self._ref.keepers.registrations.get(ctx, destination)
