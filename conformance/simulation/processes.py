"""Processes in which networks can be simulated: what they write is recorded, and their disks fill up."""

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
"""Where homes are: what a power cut leaves of them is made from the recording, so no disk has to keep up."""


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, with the recorder preloaded. They end with this one, however it ends.

    Raises:
        NoCompiler: it cannot be built here.
        subprocess.CalledProcessError: it does not compile.
    """
    with tempfile.TemporaryDirectory(prefix="simulation-", dir=_MEMORY) as folder:
        library, before = build(Path(folder)), os.environ.get(_PRELOAD)
        pool = ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(folder,)
        )
        os.environ[_PRELOAD] = str(library)  # the pool starts its processes when it has work for them
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
            if before is None:
                del os.environ[_PRELOAD]
            else:
                os.environ[_PRELOAD] = before


def _begin(folder: str) -> None:
    logging.disable(logging.CRITICAL)  # nodes say what befalls them
    tempfile.tempdir = folder  # its owner removes it: nothing is removed when a process of a pool ends
    Thread(target=_end_with_parent, args=(folder,), daemon=True).start()


def _end_with_parent(folder: str) -> None:
    """Of a parent that is killed, no other word comes: its processes keep the pipes of each other open.

    The simulation goes on writing up to the end of this process, so another one removes the folder: its input
    ends with this one.
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
