"""Problems with inputs: files, and parts of files, that were not indexed."""

from collections import defaultdict
from typing import NamedTuple

MAX_LISTED = 1000  # problems of one file that are listed individually


class Skipped(NamedTuple):
    """File or part of a file that was not indexed."""

    file: str
    reason: str


class Problems:
    """Problems with lines, of which a limited number per file is listed."""

    def __init__(self) -> None:
        self._listed = list[Skipped]()
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, file: str, offset: int, reason: str) -> None:
        """Add the reason why a line is not used."""
        self._counts[file] += 1
        if self._counts[file] <= MAX_LISTED:
            self._listed.append(Skipped(file, f"line at byte {offset}: {reason}"))

    def all(self) -> list[Skipped]:
        """Return the listed problems, and the number of the others by file."""
        beyond = [
            Skipped(file, f"{number - MAX_LISTED} more lines with problems")
            for file, number in self._counts.items()
            if number > MAX_LISTED
        ]
        return self._listed + beyond
