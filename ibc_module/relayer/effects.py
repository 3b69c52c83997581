"""Which messages of a transaction did something: a redundant one emits no packet event (ibc-go's NOOP)."""

from ibc_module.core.block import TxOutcome
from ibc_module.core.packet_events import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET, read_packet_event
from ibc_module.errors import InvalidPacket
from ibc_module.relayer.work import Kind, Work

Effect = tuple[str, str, str, int]
"""Event type, port and channel of chain A, sequence."""

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
            seen = read_packet_event(event)
        except InvalidPacket:
            continue
        if seen is not None:
            packet = seen.packet
            effects.add((seen.kind, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence))
    return effects


def took_effect(work: Work, effects: set[Effect]) -> bool:
    """Whether the message of `work` did something; one without a packet always does, or fails."""
    packet = work.packet
    if packet is None:
        return True
    event = _EVENT[work.key.kind]
    return (event, packet.port_id_on_a, packet.channel_id_on_a, packet.sequence) in effects
