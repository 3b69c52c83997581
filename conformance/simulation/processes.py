"""Worker processes for simulations, with recorded writes and disks that can become full."""

import logging
import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

from conformance.power_cut.recorder import build

_PRELOAD = "LD_PRELOAD"
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - files of its own, in folders of random names
"""Folder of the homes, in memory: power cuts are simulated from the recording, so a real disk is not needed.
"""


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Start worker processes with the recorder preloaded; they end together with this process.

    Raises:
        NoCompiler: the recorder cannot be built.
        subprocess.CalledProcessError: the compiler fails.
    """
    with tempfile.TemporaryDirectory(prefix="simulation-", dir=_MEMORY) as folder:
        library, before = build(Path(folder)), os.environ.get(_PRELOAD)
        pool = ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(folder,)
        )
        os.environ[_PRELOAD] = str(library)  # the pool starts its processes on first use
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
            if before is None:
                del os.environ[_PRELOAD]
            else:
                os.environ[_PRELOAD] = before


def _begin(folder: str) -> None:
    logging.disable(logging.CRITICAL)  # nodes log their simulated failures
    tempfile.tempdir = folder  # removed by its owner, not when a process of a pool ends
    Thread(target=_end_with_parent, args=(folder,), daemon=True).start()


def _end_with_parent(folder: str) -> None:
    """End this process when its parent is killed: a closed pipe would not tell, since siblings inherit it.

    The simulation writes until this process ends, so a helper process, whose input ends with this process,
    removes the folder.
    """
    parent = parent_process()
    if parent is not None:
        parent.join()
        subprocess.Popen(  # noqa: S603 - a folder of our own
            ["/bin/sh", "-c", 'cat; rm -rf "$0"', folder],
            env={key: value for key, value in os.environ.items() if key != _PRELOAD},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os._exit(1)
