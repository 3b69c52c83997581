"""Incarnations of chains: a chain that is restarted from genesis under the same id is another chain."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pyibc.indexer.problems import Skipped

_SHOWN = 8  # digits of the incarnation in a chain's name


class ChainKey(NamedTuple):
    """Incarnation of a chain."""

    chain_id: str
    incarnation: str = ""  # "": not known

    def __str__(self) -> str:
        """Join both fields with a space, which no chain id contains."""
        return f"{self.chain_id} {self.incarnation}" if self.incarnation else self.chain_id

    @classmethod
    def parsed(cls, text: str) -> "ChainKey":
        """Parse the output of `str`."""
        chain_id, _, incarnation = text.partition(" ")
        return cls(chain_id, incarnation)


class Incarnations:
    """Incarnations in a set of blocks, and their names in the results.

    Blocks without an incarnation are of a chain of their own, which has the plain name.
    """

    def __init__(self, keys: Iterable[ChainKey]) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for chain_id, incarnation in set(keys):
            found[chain_id].add(incarnation)
        self._known = {chain: sorted(some) for chain, some in found.items()}
        self._names = dict[ChainKey, str]()
        self._keys = dict[str, str]()
        for chain, known in sorted(self._known.items()):
            for key in known:
                name = self._free_name(chain, key) if key and len(known) > 1 else chain
                self._names[ChainKey(chain, key)] = name
                self._keys[name] = key

    def _free_name(self, chain: str, key: str) -> str:
        """Return a name that is not used by another chain, whose id may look like such a name."""
        for shown in range(_SHOWN, len(key) + 1):
            name = f"{chain}@{key[:shown]}"
            if name not in self._keys and name not in self._known:
                return name
        return f"{chain}@{key}@"

    def name(self, key: ChainKey) -> str:
        """Return the name of a chain in the results."""
        return self._names.get(key, key.chain_id)

    def key(self, name: str) -> str:
        """Return the incarnation of a chain by its name in the results; "" if not known."""
        return self._keys.get(name, "")

    def several(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the chain ids with several incarnations, and their names in the results."""
        for chain, known in sorted(self._known.items()):
            if len(known) > 1:
                yield chain, [self._names[ChainKey(chain, key)] for key in known]


def notes_of(incarnations: Incarnations) -> list[Skipped]:
    """Describe the chains with several incarnations for display."""
    return [
        Skipped("", f"{chain} was restarted from genesis: its incarnations are listed as {', '.join(names)}")
        for chain, names in incarnations.several()
    ]
