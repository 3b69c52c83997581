"""Selection of the events from which packet contents are read, and their path ends."""

from collections.abc import Callable, Iterable, Iterator

from pyibc.indexer.ids import RECEIVING, End
from pyibc.indexer.packet_facts import RECV, WRITE_ACK, PacketFacts
from pyibc.indexer.packets import PacketEvent


def events_with(
    events: Iterable[PacketEvent], content: Callable[[PacketFacts], object]
) -> Iterator[PacketEvent]:
    """Yield the events whose packet has a `content`.

    A `write_acknowledgement` event is used only if its packet was received in another block.
    """
    received = set[PacketFacts]()
    for event in events:
        packet = event.facts._replace(ack=None, ordering="", connection="")
        if event.type == RECV:
            received.add(packet)
        if content(event.facts) and (event.type != WRITE_ACK or packet not in received):
            yield event


def end_of(chain: str, event: PacketEvent) -> End:
    """Return the path end of an event, the same as `numbers.numbered` assigns to its row."""
    return End(chain, event.type in RECEIVING, *event.facts[:5])
