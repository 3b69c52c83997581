"""Check of a Spark worker's installation, which runs there before other code of this package."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pyibc.core.errors import IbcError

DONE, UNFIT = "done", "unfit"
WorkerResult = tuple[Any, ...]
"""`DONE`, host of the worker, items, pickled error that ended them (b"": none); or `UNFIT`, host, reason."""


def on_worker(work: bytes, release: str) -> Callable[[Iterable[Any]], Iterator[WorkerResult]]:
    """Create a function for a partition with one call, which checks the worker and calls `work`.

    Spark pickles nested functions by value, so the function runs on workers without this package. `work` and
    errors are pickled by name, and resolved in the same release of this package.

    Args:
        work: a pickled function of this package, or a `partial` of one.
        release: release of this package that workers must have.
    """

    def run(calls: Iterable[Any]) -> Iterator[WorkerResult]:
        import pickle
        import socket
        import sys
        from importlib.metadata import PackageNotFoundError, version

        host, python = socket.gethostname(), f"under {sys.executable}"
        fix = f"install pyibc=={release} there, or set PYSPARK_PYTHON to another interpreter"
        try:
            found = version("pyibc")
        except PackageNotFoundError:
            found = ""
        if (found or "0.0.0") != release:  # as `ibc_module.__version__` has it
            has = f"pyibc {found}" if found else "no pyibc"
            yield UNFIT, host, f"has {has} {python}, {release} is needed: {fix}"
            return
        try:
            from pyibc.indexer.spark.worker import answered

            called = pickle.loads(work)  # noqa: S301 - the driver's
        except ImportError as error:
            yield UNFIT, host, f"does not have a dependency of pyibc {python} ({error}): {fix}"
            return
        yield DONE, host, *answered(called, calls)

    return run


def answered(called: Callable[..., Iterable[Any]], calls: Iterable[Any]) -> tuple[list[Any], bytes]:
    """Run `called(*call)` for each of `calls`; return all items, and the pickled error that ended them.

    The first IbcError ends the calls; the items before it are returned with it. Without an error the second
    value is b"". Other exceptions propagate.
    """
    items = list[Any]()
    try:
        for call in calls:
            for item in called(*call):
                items.append(item)
    except IbcError as error:
        return items, pickle.dumps(error)
    return items, b""
