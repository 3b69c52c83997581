"""Which messages of a transaction took effect: a redundant one emits no packet event (ibc-go's NOOP)."""

from ibc_core.host.block import TxOutcome
from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET
from ibc_relayer.packets import UNREADABLE, name_on_a, read_event
from ibc_relayer.path import EndName
from ibc_relayer.task import Kind, Task

Effect = tuple[str, EndName, int]
"""Event type, end on chain A, sequence."""

_EVENT = {
    Kind.RECV: RECV_PACKET,
    Kind.ACKNOWLEDGE: ACKNOWLEDGE_PACKET,
    Kind.TIMEOUT: TIMEOUT_PACKET,
    Kind.TIMEOUT_ON_CLOSE: TIMEOUT_PACKET,
}


def effects_of(outcome: TxOutcome) -> set[Effect]:
    """The packet events of a successful transaction, without those that cannot be decoded."""
    effects: set[Effect] = set()
    for event in outcome.events:
        try:
            seen = read_event(event)
        except UNREADABLE:
            continue
        if seen is not None:
            effects.add((seen.kind, name_on_a(seen.packet), seen.packet.sequence))
    return effects


def took_effect(task: Task, effects: set[Effect]) -> bool:
    """Whether the message of `task` took effect; one without a packet always does, or fails."""
    packet = task.packet
    if packet is None:
        return True
    return (_EVENT[task.key.kind], name_on_a(packet), packet.sequence) in effects
