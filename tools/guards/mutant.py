"""A mutant: a guard that is removed, and the tests that must fail."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """The removal of one guard."""

    name: str  # starts with the entry's id in docs/security.md
    file: str
    edits: tuple[tuple[str, str], ...]  # (text that occurs exactly once, replacement)
    tests: tuple[str, ...]


def moved(name: str, file: str, line: str, after: str, *tests: str) -> Mutant:
    """A mutant that executes `line` after `after` instead of before."""
    return Mutant(name, file, ((line, ""), (after, after + line)), tests)
