"""The user's own file of names, as chain registries have them.

    {"chain_registry": {"cosmoshub-4": {"channel-141": "osmosis-1", "07-tendermint-259": "osmosis-1"}}}

By chain id, then by channel (`channel-141`, or `transfer/channel-141` where it is of one port only) or by
client id, for IBC v2: the id of the chain at the other end.
"""

from typing import Any, NamedTuple

from ibc_indexer.errors import MalformedRegistry
from ibc_indexer.lines import MAX_CHAIN_ID
from ibc_indexer.transactions.content import MAX_NAME

KEY = "chain_registry"
MAX_ENTRIES = 100_000


class Registered(NamedTuple):
    """One entry."""

    chain: str
    port: str  # empty: of any port
    name: str  # a channel or a client
    other_chain: str


def is_registry(document: object) -> bool:
    """Whether a JSON value is meant to be such a file."""
    return isinstance(document, dict) and KEY in document


def read_registry(document: dict[str, Any]) -> list[Registered]:
    """The entries of a file.

    Raises:
        MalformedRegistry: it has another form, a malformed chain id, or more than `MAX_ENTRIES`.
    """
    chains = document[KEY]
    if set(document) != {KEY} or not isinstance(chains, dict):
        raise MalformedRegistry(f"has {KEY}, which must be an object and stand alone")
    entries = [
        entry
        for chain, names in chains.items()
        for entry in (_entry(chain, name, other) for name, other in _members(chain, names))
    ]
    if len(entries) > MAX_ENTRIES:
        raise MalformedRegistry(f"names more than {MAX_ENTRIES} channels")
    return entries


def _members(chain: str, names: object) -> list[tuple[str, object]]:
    if not isinstance(names, dict):
        raise MalformedRegistry(f"has no object for {chain[:64]!r}")
    return list(names.items())


def _entry(chain: str, name: str, other: object) -> Registered:
    port, _, last = name.rpartition("/")
    if not isinstance(other, str) or not _is_chain_id(other) or not _is_chain_id(chain):
        raise MalformedRegistry(f"has no chain id for {chain[:64]!r}, {name[:64]!r}")
    if not last or len(name) > MAX_NAME:
        raise MalformedRegistry(f"has a name that is no channel for {chain[:64]!r}: {name[:64]!r}")
    return Registered(chain, port, last, other)


def _is_chain_id(text: str) -> bool:
    return 0 < len(text.encode()) <= MAX_CHAIN_ID and text.split() == [text]
