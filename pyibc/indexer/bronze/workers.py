"""Decoding of byte ranges in several processes of this machine.

Processes are started as commands: forking is unsafe with the threads of DuckDB and PyArrow in this process,
and `multiprocessing` would run the main module of a notebook or script again. A process receives a partition,
answers with its record batches and an empty message, and waits for the next one. It has one batch in memory.
If a store cannot be read, it says so and ends.
"""

import json
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
from pyibc.indexer.errors import DecodingFailed, StorageUnreachable

MAX_PROCESSES = 8
_UNREACHABLE = b"unreachable "  # no Arrow message begins so
SMALL = 8 << 20  # bytes below which starting processes does not pay off


def decoded(partitions: Sequence[Ranges]) -> Iterator[pa.RecordBatch]:
    """Yield the blocks of partitions, decoded by as many processes as there are processors.

    Few bytes are decoded in this process. Batches of several partitions are in no order.

    Raises:
        DecodingFailed: a process ended before its work.
        StorageUnreachable: a store cannot be read.
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
                if message := _received(pipe, processes[pipe], doing[pipe][0].url):
                    yield pa.ipc.read_record_batch(message, SCHEMA)
                else:
                    idle.append(pipe)
                    del doing[pipe]


def _received(pipe: Connection, process: "subprocess.Popen[bytes]", url: str) -> bytes:
    """Receive a record batch, or an empty message; raise the errors of `decoded`."""
    try:
        message = pipe.recv_bytes()
    except (EOFError, OSError):
        raise DecodingFailed(url, f"the process ended with status {process.wait()}") from None
    if message.startswith(_UNREACHABLE):
        raise StorageUnreachable(*json.loads(message.removeprefix(_UNREACHABLE)))
    return message


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
            try:
                for batch in batches_of(pipe.recv(), Bounds()):
                    pipe.send_bytes(batch.serialize())
            except StorageUnreachable as error:
                pipe.send_bytes(_UNREACHABLE + json.dumps([error.place, error.reason]).encode())
                return
            pipe.send_bytes(b"")
