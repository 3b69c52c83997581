"""Joining of chains that continue each other: the ends of paths and the names with regard to lineages."""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc.indexer.ends import Ends, all_ends
from pyibc.indexer.ids import End
from pyibc.indexer.known import Known
from pyibc.indexer.lineage.evidence import Comparisons, find_lineages
from pyibc.indexer.lineage.lineages import Lineages, Placed
from pyibc.indexer.names.registry import Registry
from pyibc.indexer.names.resolve import ChainFact, Names
from pyibc.indexer.names.told import named_facts


class Told(NamedTuple):
    """Ends of paths, and facts about counterparties, in the blocks of all chains."""

    ends: Sequence[tuple[int, End]]  # with their numbers
    facts: Sequence[ChainFact]


class Joined(NamedTuple):
    """Chains by lineage, and what follows from it."""

    known: Known
    lineages: Lineages
    placed: dict[str, Placed]  # by the names that chains have in ends and facts
    ends: Ends
    names: Names


def join_chains(compare: Comparisons, known: Known, told: Told, given: Registry) -> Joined:
    """Find the lineages, and the ends and names with regard to them.

    Args:
        compare: compares packets.
        known: all chains.
        told: their ends and facts.
        given: the user's file.
    """
    alone = {key: Placed(name) for key, name in known.chains.items()}
    lineages = find_lineages(
        compare,
        list(known.spans.values()),
        all_ends(told.ends, alone),
        lambda: Names(named_facts(told.facts, alone)),
        given.lineages,
    )
    current = lineages.current
    placed = {key: lineages.placed(name) for key, name in known.chains.items()}
    registered = (
        entry._replace(chain=current(entry.chain), other_chain=current(entry.other_chain))
        for entry in given.registered
    )
    names = Names(named_facts(told.facts, placed, current), registered)
    return Joined(known, lineages, placed, all_ends(told.ends, placed), names)
