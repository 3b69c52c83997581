"""Which messages of a transaction took effect: a redundant one emits no packet event (ibc-go's NOOP)."""

from collections.abc import Set

from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET
from ibc_relayer.packets import EventKey, name_on_a
from ibc_relayer.task import Kind, Task

_EVENT = {
    Kind.RECV: RECV_PACKET,
    Kind.ACKNOWLEDGE: ACKNOWLEDGE_PACKET,
    Kind.TIMEOUT: TIMEOUT_PACKET,
    Kind.TIMEOUT_ON_CLOSE: TIMEOUT_PACKET,
}


def took_effect(task: Task, effects: Set[EventKey]) -> bool:
    """Whether the message of `task` is among the `effects`, the packet events of its successful transaction.

    A message without a packet always takes effect, or fails.
    """
    packet = task.packet
    if packet is None:
        return True
    return (_EVENT[task.key.kind], name_on_a(packet), packet.sequence) in effects
