"""What a worker of Spark's runs before it runs anything of ours."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ibc_core.errors import IbcError

DONE, UNFIT = "done", "unfit"
Told = tuple[Any, ...]
"""`DONE`, the worker's host, the items, the pickled error that ended them (b"": none); or `UNFIT`, host, why.
"""


def on_worker(work: bytes, release: str) -> Callable[[Iterable[Any]], Iterator[Told]]:
    """A function for a partition of one call, that has `work` called if this worker has what that needs.

    Spark sends a function that stands in another by its code, so that this one runs where our package is not.
    All of ours that crosses, `work` and an error, is pickled by its name, and looked up in the same release.

    Args:
        work: a pickled function of this package, or a `partial` of one.
        release: that workers must have.
    """

    def run(calls: Iterable[Any]) -> Iterator[Told]:
        import pickle
        import socket
        import sys
        from importlib.metadata import PackageNotFoundError, version

        host, python = socket.gethostname(), f"under {sys.executable}"
        mend = f"install pyibc=={release} there, or name another interpreter by PYSPARK_PYTHON"
        try:
            found = version("pyibc")
        except PackageNotFoundError:
            found = ""
        if (found or "0.0.0") != release:  # as `ibc_module.__version__` has it
            has = f"pyibc {found}" if found else "no pyibc"
            yield UNFIT, host, f"has {has} {python}, this is {release}: {mend}"
            return
        try:
            from ibc_indexer.spark_worker import answered

            called = pickle.loads(work)  # noqa: S301 - the driver's
        except ImportError as error:
            yield UNFIT, host, f"lacks what pyibc needs {python} ({error}): {mend}"
            return
        yield DONE, host, *answered(called, calls)

    return run


def answered(called: Callable[..., Iterable[Any]], calls: Iterable[Any]) -> tuple[list[Any], bytes]:
    """What `called` gives for `calls`, up to an error of ours, which is pickled; b"": there was none."""
    items = list[Any]()
    try:
        for call in calls:
            for item in called(*call):
                items.append(item)
    except IbcError as error:
        return items, pickle.dumps(error)
    return items, b""
