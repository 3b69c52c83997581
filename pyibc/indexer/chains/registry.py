"""Reader of the user's file of chain names, which resembles a chain registry.

    {"chain_registry": {"cosmoshub-4": {"channel-141": "osmosis-1", "07-tendermint-259": "osmosis-1"}}}

The file maps chain id and channel to the id of the counterparty chain. A channel is `channel-141`, or
`transfer/channel-141` for a single port; for IBC v2 a client id takes its place.

    {"chain_lineages": [["osmo-1", "osmo-2"]]}

lists the chains that continue each other with their IBC state, the oldest first. A file may have both keys.
"""

import re
from collections.abc import Iterable, Set
from typing import Any, NamedTuple

from pyibc.indexer.blocks.block import MAX_NAME
from pyibc.indexer.blocks.lines import MAX_CHAIN_ID
from pyibc.indexer.errors import MalformedRegistry

KEY, LINEAGES = "chain_registry", "chain_lineages"
MAX_ENTRIES = 100_000
_NAME = re.compile(r"channel-[0-9]{1,20}|(?!channel)[A-Za-z0-9._+#\[\]<>-]+")
"""Channel id, or client id of any implementation: an identifier of ICS-24."""


class Registered(NamedTuple):
    """Entry of the file."""

    chain: str
    port: str  # empty: any port
    name: str  # channel or client id
    other_chain: str


class Registry(NamedTuple):
    """Content of the file."""

    registered: list[Registered]
    lineages: list[tuple[str, ...]]  # chains that continue each other

    def take(self, document: dict[str, Any]) -> None:
        """Add the content of a JSON document.

        Raises:
            MalformedRegistry: the document is malformed.
        """
        self.registered.extend(read_registry(document))
        self.lineages.extend(read_lineages(document))
        check_lineages(self.lineages)

    def with_more(self, other: "Registry") -> "Registry":
        """Return the content of both."""
        return Registry([*self.registered, *other.registered], [*self.lineages, *other.lineages])


NOTHING = Registry([], [])


def is_registry(document: object) -> bool:
    """Return whether a JSON document has a key of a registry."""
    return isinstance(document, dict) and (KEY in document or LINEAGES in document)


def read_registry(document: dict[str, Any]) -> list[Registered]:
    """Read the entries of a file.

    Raises:
        MalformedRegistry: the document has another structure, a malformed chain id, or more than
            `MAX_ENTRIES` entries.
    """
    chains = document.get(KEY, {})
    if unknown := sorted(set(document) - {KEY, LINEAGES}):
        raise MalformedRegistry(f"the key {unknown[0][:64]!r} is neither {KEY} nor {LINEAGES}")
    if not isinstance(chains, dict):
        raise MalformedRegistry(f"{KEY} must be an object")
    entries = [
        entry
        for chain, names in chains.items()
        for entry in (_entry(chain, name, other) for name, other in _members(chain, names))
    ]
    if len(entries) > MAX_ENTRIES:
        raise MalformedRegistry(f"{KEY} has more than {MAX_ENTRIES} entries")
    return entries


def read_lineages(document: dict[str, Any]) -> list[tuple[str, ...]]:
    """Read the lineages in a file.

    Raises:
        MalformedRegistry: they are no lists of chain ids, or have more than `MAX_ENTRIES` of them.
    """
    lines = document.get(LINEAGES, [])
    if not isinstance(lines, list) or not all(isinstance(line, list) and len(line) > 1 for line in lines):
        raise MalformedRegistry(f"{LINEAGES} must be an array of arrays with at least two chain ids")
    if sum(map(len, lines)) > MAX_ENTRIES:
        raise MalformedRegistry(f"{LINEAGES} has more than {MAX_ENTRIES} chain ids")
    for chain in (chain for line in lines for chain in line):
        if not isinstance(chain, str) or not _is_chain_id(chain):
            raise MalformedRegistry(f"malformed chain id in {LINEAGES}: {str(chain)[:64]!r}")
    return [tuple(line) for line in lines]


def check_lineages(lines: Iterable[tuple[str, ...]]) -> None:
    """Check that no chain is in two lineages.

    The order and repetitions do not count, and a lineage may be listed again with more chains.

    Raises:
        MalformedRegistry: one is.
    """
    found = dict[str, frozenset[str]]()
    for line in map(frozenset, lines):
        for chain in sorted(line):
            other = found.get(chain, line)
            if not (other <= line or line <= other):
                raise MalformedRegistry(f"{chain!r} is in two lineages of {LINEAGES}: list it in one of them")
            found[chain] = line | other


def absent_chains(given: Registry, known: Set[str]) -> list[str]:
    """Return the chains with channels or in lineages that are not in `known`, in order."""
    named = {entry.chain for entry in given.registered} | {chain for line in given.lineages for chain in line}
    return sorted(named - known)


def _members(chain: str, names: object) -> list[tuple[str, object]]:
    if not isinstance(names, dict):
        raise MalformedRegistry(f"the value of {chain[:64]!r} is not an object")
    return list(names.items())


def _entry(chain: str, name: str, other: object) -> Registered:
    port, _, last = name.rpartition("/")
    if not isinstance(other, str) or not _is_chain_id(other) or not _is_chain_id(chain):
        raise MalformedRegistry(f"malformed chain id at {chain[:64]!r}, {name[:64]!r}")
    if not _NAME.fullmatch(last) or len(name) > MAX_NAME:
        raise MalformedRegistry(f"not a channel or client id of {chain[:64]!r}: {name[:64]!r}")
    return Registered(chain, port, last, other)


def _is_chain_id(text: str) -> bool:
    return 0 < len(text.encode()) <= MAX_CHAIN_ID and text.split() == [text]
