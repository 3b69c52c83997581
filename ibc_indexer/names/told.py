"""What a sealed range tells of clients, connections and channels: each thing once, with its last height."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ibc_indexer.chain_rows import place_of
from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.names.facts import CHANNEL, Fact
from ibc_indexer.names.resolve import Told
from ibc_indexer.packet_facts import RECV, V1, WRITE_ACK
from ibc_indexer.rows import Row

PACKETS = "packets"
"""What tells of a channel without a handshake."""


class Telling:
    """Gathers facts."""

    def __init__(self) -> None:
        self._last: dict[Told, int] = {}
        self._channels: dict[tuple[str, Fact], int] = {}  # as packets tell of them

    def take(self, chain: str, height: int, facts: Iterable[Fact], packets: Sequence[Row]) -> None:
        """Takes the facts of a block, and of its packet events over which connection a channel goes."""
        seen = _of_packets(packets) if packets else set()
        for told in {_of_fact(chain, fact) for fact in (*facts, *map(_own_end, seen))}:
            self._last[told] = max(height, self._last.get(told, 0))
        for fact in seen:
            self._channels[chain, fact] = max(height, self._channels.get((chain, fact), 0))

    def done(self) -> list[Told]:
        """Everything, in order."""
        found = (told._replace(height=height) for told, height in self._last.items())
        return sorted(found, key=lambda told: tuple(map(str, told)))

    def channels(self) -> list[tuple[object, ...]]:
        """Channels as packets tell of them, as rows of the role `facts`, with the last height of each.

        Those of one height are in the order of what they say: packets that contradict each other give one
        table, in whatever order they come.
        """
        heights = defaultdict[tuple[str, int], list[Fact]](list)
        for (chain, fact), height in self._channels.items():
            heights[chain, height].append(fact)
        return [
            (chain, height, None, None, None, place_of(height, number), None, *fact)
            for (chain, height), facts in heights.items()
            for number, fact in enumerate(sorted(facts, key=lambda fact: tuple(map(str, fact))))
        ]


def all_told(told: Iterable[Told], chains: Incarnations) -> Iterator[Told]:
    """The facts of all segments, their chains called as in the results."""
    for fact in told:
        yield fact._replace(chain=chains.name(ChainKey.parsed(fact.chain)))


def _of_fact(chain: str, fact: Fact) -> Told:
    return Told(
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
    """Without the other end: what packets name there is compared with the handshake."""
    return fact._replace(other_port=None, other_channel=None)
