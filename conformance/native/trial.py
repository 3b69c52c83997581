"""A question to both, and what is made of many."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import NamedTuple

from ibc_core import native

MOST_SHOWN = 5


class Trial(NamedTuple):
    """What came of one input."""

    accepted: bool  # by the native function alone
    native: object  # what comes out where it is asked first
    reference: object  # what comes out where nobody asks it
    about: object  # what to print of the input

    @property
    def agrees(self) -> bool:
        """Whether both are the same."""
        return self.native == self.reference


Family = Callable[[int], Iterator[Trial]]
"""Trials of one function without end, from a seed."""


class Result(NamedTuple):
    """What came of a family's trials."""

    cases: int
    accepted: int
    disagreements: list[Trial]


def judge(family: Family, cases: int, seed: int = 1) -> Result:
    """Runs `cases` trials."""
    accepted, wrong = 0, []
    for trial in islice(family(seed), cases):
        accepted += trial.accepted
        if not trial.agrees:
            wrong.append(trial)
    return Result(cases, accepted, wrong)


@contextmanager
def asking(module: ModuleType | None) -> Iterator[None]:
    """Asks `module` instead, nobody if it is None."""
    before = native.use(module)
    try:
        yield
    finally:
        native.use(before)
