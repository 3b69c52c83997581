"""Facts about clients, connections and channels with the chains in the results."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from pyibc.indexer.lineage.lineages import Placed
from pyibc.indexer.names.resolve import ChainFact

PACKETS = "packets"
"""Value of `told_by` for channels that are known from packets, without a handshake."""


def named_facts(
    facts: Iterable[ChainFact], chains: Mapping[str, Placed], current: Callable[[str], str] = str
) -> Iterator[ChainFact]:
    """Yield facts with the chains in the results; heights are positions.

    Args:
        facts: the facts.
        chains: chains in the results by their names in the facts.
        current: returns the name in the results of a chain that a client claims.
    """
    for fact in facts:
        name, base = chains[fact.chain]
        claimed = current(fact.other_chain) if fact.other_chain else None
        yield fact._replace(chain=name, height=fact.height + base, other_chain=claimed)
