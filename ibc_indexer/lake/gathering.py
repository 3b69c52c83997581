"""When small pieces of a table become one: a chain that is followed must not end with a million files."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Piece(Protocol):
    """A part or a chunk."""

    @property
    def weight(self) -> int:
        """About how many events."""


_P = TypeVar("_P", bound=Piece)


def gathered(small: Iterable[_P], many: int, full: int) -> list[_P]:
    """Of more than `many` small pieces the smallest: as many as make one of the weight `full`."""
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
