"""Collection of the distinct facts of a segment about clients, connections and channels."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pyibc.indexer.chain_rows import place_of
from pyibc.indexer.lineage.lineages import Placed
from pyibc.indexer.names.facts import CHANNEL, Fact
from pyibc.indexer.names.resolve import ChainFact
from pyibc.indexer.packet_facts import RECV, V1, WRITE_ACK
from pyibc.indexer.rows import Row

PACKETS = "packets"
"""Value of `told_by` for channels that are known from packets, without a handshake."""


class FactCollector:
    """Collector of the facts of a segment."""

    def __init__(self) -> None:
        self._last: dict[ChainFact, int] = {}
        self._channels: dict[tuple[str, Fact], int] = {}  # channels in packets, with last heights

    def take(self, chain: str, height: int, facts: Iterable[Fact], packets: Sequence[Row]) -> None:
        """Add the facts of a block, and the channels and connections in its packet events."""
        seen = _of_packets(packets) if packets else set()
        for merged in {_of_fact(chain, fact) for fact in (*facts, *map(_own_end, seen))}:
            self._last[merged] = max(height, self._last.get(merged, 0))
        for fact in seen:
            self._channels[chain, fact] = max(height, self._channels.get((chain, fact), 0))

    def done(self) -> list[ChainFact]:
        """Return all facts, sorted."""
        found = (fact._replace(height=height) for fact, height in self._last.items())
        return sorted(found, key=lambda fact: tuple(map(str, fact)))

    def channels(self) -> list[tuple[object, ...]]:
        """Return the channels in packets as rows of the role `facts`, with the last height of each.

        Rows of one height are sorted by content, so that the result does not depend on the order of packets
        that contradict each other.
        """
        heights = defaultdict[tuple[str, int], list[Fact]](list)
        for (chain, fact), height in self._channels.items():
            heights[chain, height].append(fact)
        return [
            (chain, height, None, None, None, place_of(height, number), None, *fact)
            for (chain, height), facts in heights.items()
            for number, fact in enumerate(sorted(facts, key=lambda fact: tuple(map(str, fact))))
        ]


def named_facts(
    facts: Iterable[ChainFact], chains: Mapping[str, Placed], current: Callable[[str], str] = str
) -> Iterator[ChainFact]:
    """Yield the facts of all segments with the chains in the results; heights are positions.

    Args:
        facts: the facts as in the segments.
        chains: chains in the results by their names in segments.
        current: returns the name in the results of a chain that a client claims.
    """
    for fact in facts:
        name, base = chains[fact.chain]
        claimed = current(fact.other_chain) if fact.other_chain else None
        yield fact._replace(chain=name, height=fact.height + base, other_chain=claimed)


def _of_fact(chain: str, fact: Fact) -> ChainFact:
    return ChainFact(
        fact.type,
        chain,
        fact.client,
        fact.connection,
        fact.port,
        fact.channel,
        fact.other_port,
        fact.other_channel,
        fact.other_chain,
        fact.other_client,
        account=fact.account,
    )


def _of_packets(packets: Sequence[Row]) -> set[Fact]:
    return {_of_packet(row) for row in packets if row.protocol == V1}


def _of_packet(row: Row) -> Fact:
    own, other = (row.src_port, row.src_channel), (row.dst_port, row.dst_channel)
    if row.type in {RECV, WRITE_ACK}:
        own, other = other, own
    return Fact(
        CHANNEL,
        None,
        PACKETS,
        connection=row.connection,
        port=own[0],
        channel=own[1],
        other_port=other[0],
        other_channel=other[1],
        ordering=row.ordering,
    )


def _own_end(fact: Fact) -> Fact:
    """Return `fact` without the counterparty end; that of packets is compared with the handshake's."""
    return fact._replace(other_port=None, other_channel=None)
