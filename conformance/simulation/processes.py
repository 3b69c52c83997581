"""Processes in which networks can be simulated: what they write is recorded, and their disks fill up."""

import logging
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from conformance.power_cut.recorder import build

_PRELOAD = "LD_PRELOAD"


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, with the recorder preloaded.

    Raises:
        NoCompiler: it cannot be built here.
        subprocess.CalledProcessError: it does not compile.
    """
    with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
        library, before = build(Path(folder)), os.environ.get(_PRELOAD)
        pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_quiet)
        os.environ[_PRELOAD] = str(library)  # the pool starts its processes when it has work for them
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
            if before is None:
                del os.environ[_PRELOAD]
            else:
                os.environ[_PRELOAD] = before


def _quiet() -> None:
    logging.disable(logging.CRITICAL)  # nodes say what befalls them
