"""A chain that was started anew under its id is another chain: what each of them is called."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ibc_indexer.lines import LineHead

_SHOWN = 8  # digits of an incarnation in a name


class Incarnations:
    """The incarnations in a set of lines, and their names in the results.

    Lines that do not tell theirs belong to the one incarnation of their chain that is known; where several
    are, they stay apart from all.
    """

    def __init__(self, heads: Iterable[LineHead]) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for head in heads:
            found[head.chain_id].add(head.incarnation)
        self._known = {chain: sorted(keys - {""}) for chain, keys in found.items()}
        self._keys = {
            (chain if len(keys) == 1 else _name(chain, key)): key
            for chain, keys in self._known.items()
            for key in keys
        }

    def name(self, head: LineHead) -> str:
        """What the chain of a line is called in the results."""
        if head.incarnation and len(self._known[head.chain_id]) > 1:
            return _name(head.chain_id, head.incarnation)
        return head.chain_id

    def key(self, name: str) -> str:
        """The incarnation of a chain by its name in the results; "" if it is not known."""
        return self._keys.get(name, "")

    def several(self) -> Iterator[tuple[str, list[str]]]:
        """Chain ids with several incarnations, and the names of those."""
        for chain, keys in sorted(self._known.items()):
            if len(keys) > 1:
                yield chain, [_name(chain, key) for key in keys]


def _name(chain: str, incarnation: str) -> str:
    return f"{chain}@{incarnation[:_SHOWN]}"
