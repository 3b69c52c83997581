"""How commands end that fail: one line on stderr, and an exit code."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import click

P = ParamSpec("P")
Errors = type[Exception] | tuple[type[Exception], ...]


def reporting(failures: Errors, *, wrong_use: Errors) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Decorates a command: `wrong_use` ends it with exit code 2, `failures` with 1."""

    def decorate(run: Callable[P, None]) -> Callable[P, None]:
        @wraps(run)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                run(*args, **kwargs)
            except wrong_use as error:
                _fail(error, 2)
            except failures as error:
                if isinstance(error, BrokenPipeError):  # the reader of our output is gone: click handles it
                    raise
                _fail(error, 1)

        return wrapped

    return decorate


def _fail(error: Exception, code: int) -> None:
    click.echo(f"error: {error}", err=True)
    sys.exit(code)
