"""Sealing in several processes, including this one, each with one task at a time.

Processes are started as commands: forking is unsafe with the threads of a JVM in this process, and
`multiprocessing` would run the main module of a notebook or script again.
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, cast

import msgspec

from pyibc.indexer import errors
from pyibc.indexer.errors import SealingFailed, StorageFault
from pyibc.indexer.segments.sealing import Task, seal_here, seal_one
from pyibc.indexer.storage.locations import location_of
from pyibc.installation import ROOT

MAX_PROCESSES = 8
SMALL = 8 << 20  # bytes of input below which starting processes does not pay off


def seal_in_processes(tasks: Sequence[Task]) -> list[str]:
    """Seal `tasks` in as many processes as there are available processors, including this process.

    Small inputs are sealed in this process only.

    Raises:
        SealingFailed: a process ended before its response.
        StorageFault: an object store failed.
    """
    count = min(len(os.sched_getaffinity(0)), MAX_PROCESSES, len(tasks))
    if count < 2 or sum(_size(task.path) for task in tasks) < SMALL:
        return seal_here(tasks)
    with _Workers() as workers, ThreadPoolExecutor(count) as threads:
        return list(threads.map(workers.seal, tasks))


class _Workers:
    """Sealing processes, one per thread; one thread seals in this process."""

    def __init__(self) -> None:
        self._mine = threading.local()
        self._here = threading.Lock()  # owned by the thread that seals in this process
        self._all: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "_Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()  # idle, or the run failed; an incomplete task is repeated by the next run
            process.communicate()

    def seal(self, task: Task) -> str:
        """Seal `task` in the process of this thread.

        Raises:
            SealingFailed: the process ended.
            StorageFault: an object store failed.
        """
        if self._here.acquire(blocking=False):
            try:
                return seal_one(task)
            finally:
                self._here.release()
        process = getattr(self._mine, "process", None) or self._start()
        questions, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        with contextlib.suppress(BrokenPipeError):  # the response is empty then
            questions.write(msgspec.json.encode(task) + b"\n")
            questions.flush()
        answer = answers.readline()
        if not answer:
            raise SealingFailed(task.path, f"the process ended with status {process.wait()}")
        found = msgspec.json.decode(answer, type=str | list[str])
        if isinstance(found, str):
            return found
        raise getattr(errors, found[0])(*found[1:])

    def _start(self) -> "subprocess.Popen[bytes]":
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        process = self._mine.process = subprocess.Popen(
            [sys.executable, "-m", "pyibc.indexer.segments.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self._all.append(process)
        return process


def _size(path: str) -> int:
    try:
        return location_of(path).stat().st_size
    except OSError:
        return 0  # sealing will report the error


def main() -> None:
    """Read tasks from stdin, one per line, seal them, and write one line of response for each to stdout."""
    for line in sys.stdin.buffer:
        answer: str | list[str]
        try:
            answer = seal_one(msgspec.json.decode(line, type=Task))
        except StorageFault as fault:
            kind, fields = fault.__reduce__()
            answer = [kind.__name__, *fields]
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
