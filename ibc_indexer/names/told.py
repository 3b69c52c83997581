"""What a sealed range tells of clients, connections and channels: each thing once, with its last height."""

from collections.abc import Iterable, Iterator

from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.names.facts import CHANNEL, Fact
from ibc_indexer.names.resolve import Told
from ibc_indexer.packet_facts import RECV, V1, WRITE_ACK
from ibc_indexer.rows import Row


class Telling:
    """Gathers facts."""

    def __init__(self) -> None:
        self._last: dict[Told, int] = {}

    def take(self, chain: str, height: int, facts: Iterable[Fact], packets: Iterable[Row]) -> None:
        """Takes the facts of a block, and of its packet events over which connection a channel goes."""
        for told in {_of_fact(chain, fact) for fact in facts} | _of_packets(chain, packets):
            self._last[told] = max(height, self._last.get(told, 0))

    def done(self) -> list[Told]:
        """Everything, in order."""
        found = (told._replace(height=height) for told, height in self._last.items())
        return sorted(found, key=lambda told: tuple(map(str, told)))


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
    )


def _of_packets(chain: str, packets: Iterable[Row]) -> set[Told]:
    return {
        Told(CHANNEL, chain, None, row.connection, row.dst_port, row.dst_channel)
        if row.type in {RECV, WRITE_ACK}
        else Told(CHANNEL, chain, None, row.connection, row.src_port, row.src_channel)
        for row in packets
        if row.protocol == V1 and row.connection
    }
