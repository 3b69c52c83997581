"""Selection of small file groups to merge, which bounds the number of files of a growing table."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Piece(Protocol):
    """File group or chunk."""

    @property
    def weight(self) -> int:
        """Approximate number of events."""


_P = TypeVar("_P", bound=Piece)


def gathered(small: Iterable[_P], many: int, full: int) -> list[_P]:
    """Select pieces to merge if there are more than `many`: the smallest, up to a total weight of `full`."""
    ordered = sorted(small, key=lambda piece: piece.weight)
    if len(ordered) <= many:
        return []
    chosen, weight = list[_P](), 0
    for piece in ordered:
        weight += piece.weight
        if weight > full and len(chosen) > 1:
            break
        chosen.append(piece)
    return chosen
