"""Retries of commands that follow chains, for nodes that are down, lag or respond wrongly for a while."""

import time
from collections.abc import Callable
from typing import TypeVar

import click

from pyibc.core.errors import IbcError
from pyibc.relayer.links.outcomes import Action, action_of

PASSING = frozenset({Action.RETRY, Action.OTHER_BACKEND, Action.WAIT, Action.SEQUENCE, Action.CLOCK})
"""Actions for errors from which a node or chain may recover by itself."""

LONGEST_S = 30.0
"""Maximum backoff in seconds; the first is one second."""

T = TypeVar("T")


class Retries:
    """Retries an operation with exponential backoff."""

    def __init__(self, *, endless: bool, sleep: Callable[[float], None] = time.sleep) -> None:
        """Set up retries; unless `endless` there are none. `sleep` takes seconds."""
        self._endless = endless
        self._sleep = sleep
        self._pause = 1.0
        self._told = ""

    def run(self, step: Callable[[], T]) -> T:
        """Return the result of `step` once it succeeds; report each new error once, on stderr.

        Raises:
            IbcError: the error is permanent, or retries are disabled.
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
            click.echo("resuming", err=True)
        self._told, self._pause = "", 1.0
