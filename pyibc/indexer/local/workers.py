"""Decoding of byte ranges in several processes of this machine.

Processes are started as commands: forking is unsafe with the threads of DuckDB and PyArrow in this process,
and `multiprocessing` would run the main module of a notebook or script again. A process reads byte ranges
from its standard input, a line for each partition, and writes a stream of Arrow IPC for each.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from queue import Empty, Queue
from threading import Event, Thread
from typing import IO, cast

import msgspec
import pyarrow as pa

from pyibc.indexer.bronze.ranges import Bounds
from pyibc.indexer.bronze.reader import Ranges
from pyibc.indexer.bronze.records import SCHEMA, batches_of
from pyibc.indexer.errors import DecodingFailed
from pyibc.installation import ROOT

MAX_PROCESSES = 8
SMALL = 8 << 20  # bytes below which starting processes does not pay off
_AHEAD = 4  # record batches that wait for this process


def decoded(partitions: Sequence[Ranges]) -> Iterator[pa.RecordBatch]:
    """Yield the blocks of partitions, decoded by as many processes as there are processors.

    Few bytes are decoded in this process. Batches of several partitions are in no order.

    Raises:
        DecodingFailed: a process ended before its work.
    """
    size = sum(part.end - part.begin for ranges in partitions for part in ranges)
    count = min(len(os.sched_getaffinity(0)), MAX_PROCESSES, len(partitions))
    if count < 2 or size < SMALL:
        for ranges in partitions:
            yield from batches_of(ranges, Bounds())
        return
    with _Workers(partitions) as workers:
        yield from workers.batches(count)


class _Workers:
    """Processes with a thread each, which gives them partitions and reads their batches."""

    def __init__(self, partitions: Sequence[Ranges]) -> None:
        self._todo: Queue[Ranges] = Queue()
        for ranges in partitions:
            self._todo.put(ranges)
        self._done: Queue[pa.RecordBatch | Exception | None] = Queue(_AHEAD)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []
        self._stopped = Event()

    def __enter__(self) -> "_Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for process in self._processes:
            process.kill()
        while any(thread.is_alive() for thread in self._threads):
            while not self._done.empty():  # a thread that waits for room goes on, and ends
                self._done.get()
            for thread in self._threads:
                thread.join(0.01)
        for process in self._processes:
            process.communicate()

    def batches(self, count: int) -> Iterator[pa.RecordBatch]:
        """Start the processes and yield what they decode."""
        for _ in range(count):
            process = _start()
            self._processes.append(process)
            thread = Thread(target=self._feed, args=(process,), daemon=True)
            self._threads.append(thread)
            thread.start()
        running = count
        while running:
            found = self._done.get()
            if isinstance(found, Exception):
                raise found
            if found is None:
                running -= 1
            else:
                yield found

    def _feed(self, process: "subprocess.Popen[bytes]") -> None:
        tasks, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        while not self._stopped.is_set():
            try:
                ranges = self._todo.get_nowait()
            except Empty:
                break
            try:
                tasks.write(msgspec.json.encode(ranges) + b"\n")
                tasks.flush()
                with pa.ipc.open_stream(answers) as stream:
                    for batch in stream:
                        self._done.put(batch)
            except (OSError, pa.ArrowException):
                reason = f"the process ended with status {process.wait()}"
                self._done.put(DecodingFailed(ranges[0].url, reason))
                return
        self._done.put(None)


def _start() -> "subprocess.Popen[bytes]":
    paths = [ROOT, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return subprocess.Popen(
        [sys.executable, "-m", "pyibc.indexer.local.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


def main() -> None:
    """Decode the partitions in the lines of standard input to standard output."""
    for line in sys.stdin.buffer:
        ranges = msgspec.json.decode(line, type=Ranges)
        with pa.ipc.new_stream(sys.stdout.buffer, SCHEMA) as stream:
            for batch in batches_of(ranges, Bounds()):
                stream.write_batch(batch)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
