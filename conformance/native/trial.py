"""Trials of a native function against Python, and their totals."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import NamedTuple

from pyibc.core import native

MOST_SHOWN = 5


class Trial(NamedTuple):
    """Results of one input."""

    accepted: bool  # of the native function alone
    native: object  # of the code that calls the native function first
    reference: object  # of the code without native code
    about: object  # description of the input, for reports

    @property
    def agrees(self) -> bool:
        """Return whether both results are equal."""
        return self.native == self.reference


Family = Callable[[int], Iterator[Trial]]
"""Endless trials of one function, from a seed."""


class Result(NamedTuple):
    """Totals of a family's trials."""

    cases: int
    accepted: int
    disagreements: list[Trial]


def run_trials(family: Family, cases: int, seed: int = 1) -> Result:
    """Run `cases` trials of a family."""
    accepted, wrong = 0, []
    for trial in islice(family(seed), cases):
        accepted += trial.accepted
        if not trial.agrees:
            wrong.append(trial)
    return Result(cases, accepted, wrong)


@contextmanager
def asking(module: ModuleType | None) -> Iterator[None]:
    """Replace the native module by `module`; None disables native code."""
    before = native.use(module)
    try:
        yield
    finally:
        native.use(before)
