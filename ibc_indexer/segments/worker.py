"""Processes that seal: this one and a few beside it, each fed a task at a time.

They are started by name, not forked (a JVM's threads run in this process) and not by `multiprocessing`, which
would run a notebook's or a script's own code again.
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

from ibc_core.installation import ROOT
from ibc_indexer import errors
from ibc_indexer.errors import SealingFailed, StorageFault
from ibc_indexer.segments.sealing import Task, seal_here, seal_one
from ibc_indexer.storage.locations import location_of

MAX_PROCESSES = 8
SMALL = 8 << 20  # bytes: below, starting a process costs more than it saves


def seal_in_processes(tasks: Sequence[Task]) -> list[str]:
    """Seals `tasks` by as many processes as this one may use processors, itself one of them.

    Small ones are sealed here alone.

    Raises:
        SealingFailed: a process ended before its answer.
        StorageFault: a store could not be asked.
    """
    count = min(len(os.sched_getaffinity(0)), MAX_PROCESSES, len(tasks))
    if count < 2 or sum(_size(task.path) for task in tasks) < SMALL:
        return seal_here(tasks)
    with _Workers() as workers, ThreadPoolExecutor(count) as threads:
        return list(threads.map(workers.seal, tasks))


class _Workers:
    """A process a thread, one of them this process."""

    def __init__(self) -> None:
        self._mine = threading.local()
        self._here = threading.Lock()  # held by the thread that seals in this process
        self._all: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "_Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.kill()  # each is done, or the run is over; a task half done is done again
            process.communicate()

    def seal(self, task: Task) -> str:
        """Has this thread's process seal `task`.

        Raises:
            SealingFailed: the process ended.
            StorageFault: a store could not be asked.
        """
        if self._here.acquire(blocking=False):
            try:
                return seal_one(task)
            finally:
                self._here.release()
        process = getattr(self._mine, "process", None) or self._start()
        questions, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        with contextlib.suppress(BrokenPipeError):  # the answer lacks then
            questions.write(msgspec.json.encode(task) + b"\n")
            questions.flush()
        answer = answers.readline()
        if not answer:
            raise SealingFailed(task.path, f"its process ended with status {process.wait()}")
        found = msgspec.json.decode(answer, type=str | list[str])
        if isinstance(found, str):
            return found
        raise getattr(errors, found[0])(*found[1:])

    def _start(self) -> "subprocess.Popen[bytes]":
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        process = self._mine.process = subprocess.Popen(
            [sys.executable, "-m", "ibc_indexer.segments.worker"],
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
        return 0  # sealing will say so


def main() -> None:
    """Seals the tasks that come in, a line each; answers a line each."""
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
