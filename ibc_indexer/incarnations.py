"""A chain that was started anew under its id is another chain: what each of them is called."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_SHOWN = 8  # digits of an incarnation in a name


class ChainKey(NamedTuple):
    """One incarnation of a chain."""

    chain_id: str
    incarnation: str = ""  # "": not known

    def __str__(self) -> str:
        """As one word of a table; no chain id has a space."""
        return f"{self.chain_id} {self.incarnation}" if self.incarnation else self.chain_id

    @classmethod
    def parsed(cls, text: str) -> "ChainKey":
        """The key that `str` wrote."""
        chain_id, _, incarnation = text.partition(" ")
        return cls(chain_id, incarnation)


class Incarnations:
    """The incarnations in a set of blocks, and their names in the results.

    Blocks that do not tell theirs belong to the one incarnation of their chain that is known; where several
    are, they stay apart from all.
    """

    def __init__(self, keys: Iterable[ChainKey]) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for chain_id, incarnation in set(keys):
            found[chain_id].add(incarnation)
        self._known = {chain: sorted(told - {""}) for chain, told in found.items()}
        self._names = dict[ChainKey, str]()
        self._keys = dict[str, str]()
        for chain, told in sorted(self._known.items()):
            for key in told:
                name = self._free_name(chain, key) if len(told) > 1 else chain
                self._names[ChainKey(chain, key)] = name
                self._keys[name] = key

    def _free_name(self, chain: str, key: str) -> str:
        """A name that no other chain has: somebody may have called his chain just so."""
        for shown in range(_SHOWN, len(key) + 1):
            name = f"{chain}@{key[:shown]}"
            if name not in self._keys and name not in self._known:
                return name
        return f"{chain}@{key}@"

    def name(self, key: ChainKey) -> str:
        """What a chain is called in the results."""
        return self._names.get(key, key.chain_id)

    def key(self, name: str) -> str:
        """The incarnation of a chain by its name in the results; "" if it is not known."""
        return self._keys.get(name, "")

    def several(self) -> Iterator[tuple[str, list[str]]]:
        """Chain ids with several incarnations, and the names of those."""
        for chain, told in sorted(self._known.items()):
            if len(told) > 1:
                yield chain, [self._names[ChainKey(chain, key)] for key in told]
