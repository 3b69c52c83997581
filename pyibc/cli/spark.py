"""Spark in commands: whether this machine can start it, and interrupts while it runs."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import click


class Master(click.ParamType[str]):
    """URL of a Spark master."""

    name = "url"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the URL."""
        from pyibc.indexer.spark.names import master_problem

        if problem := master_problem(str(value)):
            self.fail(problem, param, ctx)
        return str(value)


P = ParamSpec("P")
T = TypeVar("T")


def require_java() -> None:
    """Check for Java, which Spark needs on this machine.

    Raises:
        ClickException: there is none, or it is too old.
    """
    from pyibc.indexer.spark.java import FIX, find_java

    problem = find_java().problem
    if problem:
        raise click.ClickException(f"Spark cannot start, {problem}: {FIX}")


def keeping_interrupts(start: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function that starts Spark, so that SIGINT keeps its handler.

    PySpark replaces the handler, if it is started in the main thread, by one that talks to the JVM, also in
    the middle of another call to it: an interrupt then ends in tracebacks, or not at all.
    """

    @wraps(start)
    def started(*args: P.args, **kwargs: P.kwargs) -> T:
        _silence_interrupted_calls()
        done = Future[T]()

        def run() -> None:
            try:
                done.set_result(start(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - raised by `result`
                done.set_exception(error)

        threading.Thread(target=run, name="start of Spark", daemon=True).start()
        return done.result()

    return started


def _silence_interrupted_calls() -> None:
    root = logging.getLogger()
    if _is_news not in root.filters:
        root.addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a log record is not Py4J's traceback of an interrupted call, which the user caused."""
    return not (
        record.module == "java_gateway" and record.exc_info and record.exc_info[0] is KeyboardInterrupt
    )
