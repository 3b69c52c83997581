"""Which events tell of what a packet carries, and at which end."""

from collections.abc import Callable, Iterable, Iterator

from ibc_indexer.packet_facts import RECV, WRITE_ACK, PacketFacts
from ibc_indexer.packets import PacketEvent
from ibc_indexer.segments.numbers import RECEIVING, End


def telling(events: Iterable[PacketEvent], carried: Callable[[PacketFacts], object]) -> Iterator[PacketEvent]:
    """The events whose packet has something `carried`.

    A written acknowledgement tells only where its packet came in another block.
    """
    received = set[PacketFacts]()
    for event in events:
        packet = event.facts._replace(ack=None, ordering="", connection="")
        if event.type == RECV:
            received.add(packet)
        if carried(event.facts) and (event.type != WRITE_ACK or packet not in received):
            yield event


def end_of(chain: str, event: PacketEvent) -> End:
    """The end that `numbers.numbered` gives the event's row."""
    return End(chain, event.type in RECEIVING, *event.facts[:5])
