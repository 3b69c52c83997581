"""Which messages of a transaction did something: a redundant one emits no packet event (ibc-go's NOOP)."""

from ibc_core.host.block import TxOutcome
from ibc_core.packet.event_reader import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET
from ibc_relayer.packets import UNREADABLE, name_on_a, read_event
from ibc_relayer.path import EndName
from ibc_relayer.work import Kind, Work

Effect = tuple[str, EndName, int]
"""Event type, end on chain A, sequence."""

_EVENT = {
    Kind.RECV: RECV_PACKET,
    Kind.ACKNOWLEDGE: ACKNOWLEDGE_PACKET,
    Kind.TIMEOUT: TIMEOUT_PACKET,
    Kind.TIMEOUT_ON_CLOSE: TIMEOUT_PACKET,
}


def effects_of(outcome: TxOutcome) -> set[Effect]:
    """What the packet events of a successful transaction say it did; unreadable ones say nothing."""
    effects: set[Effect] = set()
    for event in outcome.events:
        try:
            seen = read_event(event)
        except UNREADABLE:
            continue
        if seen is not None:
            effects.add((seen.kind, name_on_a(seen.packet), seen.packet.sequence))
    return effects


def took_effect(work: Work, effects: set[Effect]) -> bool:
    """Whether the message of `work` did something; one without a packet always does, or fails."""
    packet = work.packet
    if packet is None:
        return True
    return (_EVENT[work.key.kind], name_on_a(packet), packet.sequence) in effects
