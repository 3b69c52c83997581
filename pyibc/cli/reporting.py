"""Exit of commands that fail: one line on stderr, and an exit code."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import click

from pyibc.cli.explaining import sentence_of, tell_causes, verbose_option

P = ParamSpec("P")
Errors = type[Exception] | tuple[type[Exception], ...]
Decorator = Callable[[Callable[P, None]], Callable[P, None]]


def with_all(command: Callable[P, None], options: Sequence[Decorator[P]]) -> Callable[P, None]:
    """Add options to a command, which shows them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def reporting(failures: Errors, *, wrong_use: Errors) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorate a command: `wrong_use` ends it with exit code 2, `failures` with 1; adds --verbose."""

    def decorate(run: Callable[P, None]) -> Callable[P, None]:
        @wraps(run)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                run(*args, **kwargs)
            except wrong_use as error:
                _fail(error, 2)
            except failures as error:
                if isinstance(error, BrokenPipeError):  # output closed: click handles it
                    raise
                _fail(error, 1)

        return verbose_option(wrapped)

    return decorate


def _fail(error: Exception, code: int) -> None:
    click.echo(f"error: {sentence_of(error)}", err=True)
    tell_causes(error)
    sys.exit(code)


# -- orderly stop of commands that run until a signal


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on SIGINT and SIGTERM within the `with` block."""
    before = {each: signal.signal(each, lambda *_: stop.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
