"""How commands that follow chains outlast a node that is down, lags or answers nonsense for a while."""

import time
from collections.abc import Callable
from typing import TypeVar

import click

from ibc_core.errors import IbcError
from ibc_relayer.outcomes import Action, action_of

PASSING = frozenset({Action.RETRY, Action.OTHER_BACKEND, Action.WAIT, Action.SEQUENCE, Action.CLOCK})
"""What a node or chain may recover from by itself."""

LONGEST_S = 30.0
"""Between two tries; the first pause is a second."""

T = TypeVar("T")


class Patience:
    """Runs something that may fail, until it does not."""

    def __init__(self, *, endless: bool, sleep: Callable[[float], None] = time.sleep) -> None:
        """Not `endless`: it has none. `sleep` takes seconds."""
        self._endless = endless
        self._sleep = sleep
        self._pause = 1.0
        self._told = ""

    def outlast(self, step: Callable[[], T]) -> T:
        """The result of `step`, as soon as it has one; each new trouble is told once, on stderr.

        Raises:
            IbcError: it fails, with an error that no waiting mends or without patience.
        """
        while True:
            try:
                result = step()
            except IbcError as error:
                if not self._endless or action_of(error) not in PASSING:
                    raise
                self._wait(str(error))
            else:
                self._recovered()
                return result

    def _wait(self, trouble: str) -> None:
        if trouble != self._told:
            click.echo(f"waiting: {trouble}", err=True)
        self._told = trouble
        self._sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_S)

    def _recovered(self) -> None:
        if self._told:
            click.echo("going on", err=True)
        self._told, self._pause = "", 1.0
