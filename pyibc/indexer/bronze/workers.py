"""Decoding of byte ranges in several processes of this machine.

Processes are started as commands: forking is unsafe with the threads of DuckDB and PyArrow in this process,
and `multiprocessing` would run the main module of a notebook or script again. A process receives a partition,
answers with its record batches and an empty message, and waits for the next one. It has one batch in memory.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import cast

import pyarrow as pa

from pyibc.indexer.bronze.ranges import Bounds
from pyibc.indexer.bronze.reader import Ranges, rare_collections
from pyibc.indexer.bronze.records import SCHEMA, batches_of
from pyibc.indexer.errors import DecodingFailed

MAX_PROCESSES = 8
SMALL = 8 << 20  # bytes below which starting processes does not pay off


def decoded(partitions: Sequence[Ranges]) -> Iterator[pa.RecordBatch]:
    """Yield the blocks of partitions, decoded by as many processes as there are processors.

    Few bytes are decoded in this process. Batches of several partitions are in no order.

    Raises:
        DecodingFailed: a process ended before its work.
    """
    size = sum(part.size for ranges in partitions for part in ranges)
    count = min(len(os.sched_getaffinity(0)), MAX_PROCESSES, len(partitions))
    if count < 2 or size < SMALL:
        for ranges in partitions:
            yield from batches_of(ranges, Bounds())
        return
    processes = dict[Connection, subprocess.Popen[bytes]]()
    with ExitStack() as stack:
        for _ in range(count):
            pipe, other = Pipe()
            stack.enter_context(pipe)
            with other:
                process = processes[pipe] = stack.enter_context(_start(other.fileno()))
            stack.callback(process.kill)
        todo, idle, doing = [*partitions], [*processes], dict[Connection, Ranges]()
        while todo or doing:
            while todo and idle:
                pipe = idle.pop()
                doing[pipe] = todo.pop(0)
                with suppress(OSError):  # of a process that has ended, which is noticed below
                    pipe.send(doing[pipe])
            for pipe in cast("list[Connection]", wait(doing)):
                try:
                    message = pipe.recv_bytes()
                except (EOFError, OSError):
                    reason = f"the process ended with status {processes[pipe].wait()}"
                    raise DecodingFailed(doing[pipe][0].url, reason) from None
                if message:
                    yield pa.ipc.read_record_batch(message, SCHEMA)
                else:
                    idle.append(pipe)
                    del doing[pipe]


def _start(pipe: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-P", "-c", "from pyibc.indexer.bronze.workers import main; main()"],
        stdin=pipe,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def main() -> None:
    """Decode the partitions that come through standard input, a pipe, until its other end is closed."""
    with Connection(sys.stdin.fileno()) as pipe, suppress(EOFError, ConnectionError), rare_collections():
        while True:
            for batch in batches_of(pipe.recv(), Bounds()):
                pipe.send_bytes(batch.serialize())
            pipe.send_bytes(b"")
