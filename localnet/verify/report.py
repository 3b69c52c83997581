"""What a walk over a home finds."""

from collections import Counter
from typing import NamedTuple


class Problem(NamedTuple):
    """A fault."""

    part: str  # "state", "blocks", "signed", "snapshots", "last block", "settings"
    place: str  # "block 7", "node 12", ...
    what: str

    def __str__(self) -> str:
        return f"{self.part}: {self.place}: {self.what}"


class Findings:
    """The problems of one home, in the order found, and how much of each kind was read."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def tell(self, part: str, place: str, what: object) -> None:
        """Adds a problem."""
        self.problems.append(Problem(part, place, str(what)))
