"""A guard that is removed, and the tests that must notice."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """A guard and what notices that it is gone."""

    name: str  # begins with the entry of docs/security.md
    file: str
    edits: tuple[tuple[str, str], ...]  # (passage that is there once, what stands in its place)
    tests: tuple[str, ...]


def moved(name: str, file: str, line: str, after: str, *tests: str) -> Mutant:
    """`line` (within its function) done after `after` instead of before."""
    return Mutant(name, file, ((line, ""), (after, after + line)), tests)
