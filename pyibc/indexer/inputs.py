"""Inputs of a run: exports, recordings and packet tables, classified by content."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pyibc.indexer.block_files import files_in, holds_lines, is_unfilled, sniff
from pyibc.indexer.blocks import Block
from pyibc.indexer.errors import (
    IndexerError,
    MalformedLine,
    StorageFault,
    UnreadableInput,
)
from pyibc.indexer.lines import encode_line
from pyibc.indexer.names.registry import Registered, Registry
from pyibc.indexer.problems import Skipped
from pyibc.indexer.recordings.assemble import Found, assemble
from pyibc.indexer.recordings.documents import read_bytes
from pyibc.indexer.recordings.reading import read_recording
from pyibc.indexer.segments.tables import check_table
from pyibc.indexer.storage.locations import Location

_STAGED_FILE = 64 << 20


class Inputs(NamedTuple):
    """Classified inputs."""

    exports: list[Location]  # files of block lines, plain or gzip-compressed
    blocks: list[Block]  # from recordings
    tables: list[Location]  # Parquet
    skipped: list[Skipped]
    notes: list[Skipped]  # assumptions about files
    registered: list[Registered]  # chain names that the user provided
    lineages: list[tuple[str, ...]]  # chains that continue each other, according to the user

    @property
    def given(self) -> Registry:
        """Content of the user's files of chain names."""
        return Registry(self.registered, self.lineages)


TABLES = (
    "packets",
    "transfers",
    "calls",
    "call_messages",
    "blocks",
    "transactions",
    "messages",
    "events",
    "clients",
    "channels",
    "chains",
)
SEGMENTS, WORK = ".segments", ".work"
RESULTS = (*TABLES, "tables.json", "summary.json", "report.html", "alerted.json", SEGMENTS, WORK)
"""Output of a run in its folder, which is never an input of the next run."""


def files_of(inputs: Iterable[Location], *, out: Location) -> Iterator[Location]:
    """Yield the files in `inputs`, searched recursively in a fixed order, except the results in `out`.

    Raises:
        FileNotFoundError: an input does not exist, for example because a disk is not mounted. Such an input
            must not count as a folder without blocks, which would empty the tables.
        StorageFault: a bucket cannot be listed.
    """
    inputs = list(inputs)
    for given in inputs:
        # guard: h217-inputs-that-are-gone-are-empty drop
        #   test_h217_inputs_that_are_gone_for_a_while_empty_no_tables
        if isinstance(given, Path) and not given.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(given))
    results = {out.resolve() / name for name in RESULTS}
    for path in files_in(inputs):
        if results.isdisjoint((path.resolve(), *path.resolve().parents)):
            yield path


def gather(files: Iterable[Location], tell: Callable[[Location], None]) -> Inputs:
    """Classify every file, and read recordings; `tell` is called with each path before it is read.

    Raises:
        StorageFault: an object store could not be accessed, so its content is unknown.
    """
    inputs = Inputs([], [], [], [], [], [], [])
    found = list[Found]()
    for path in dict.fromkeys(files):
        tell(path)
        try:
            _check_name(path)
            _take(path, inputs, found)
        # guard: h217-a-fault-is-an-input-that-cannot-be-read drop
        #   test_h217_a_fault_while_an_input_is_looked_at_ends_the_run
        except StorageFault:
            raise
        except IndexerError as error:
            inputs.skipped.append(Skipped(_shown(path), str(error)))
    assembled = assemble(found)
    return inputs._replace(
        blocks=inputs.blocks + assembled.blocks,
        skipped=inputs.skipped + assembled.skipped,
        notes=inputs.notes + assembled.notes,
    )


def _shown(path: Location) -> str:
    return os.fsencode(str(path)).decode("utf-8", "backslashreplace")


def _check_name(path: Location) -> None:
    """Check that a file name is UTF-8, as the results and Spark require."""
    if _shown(path) != str(path):
        raise UnreadableInput("the file name is not UTF-8")


def stage(blocks: Iterable[Block], folder: Path) -> tuple[list[Path], list[Skipped]]:
    """Write the blocks of recordings as block lines, which workers read like an export.

    A file has one incarnation of a chain: another one begins where heights do not ascend.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths, skipped = list[Path](), list[Skipped]()
    size, last = _STAGED_FILE, ("", 0)
    for block in blocks:
        try:
            line = encode_line(block)
        except MalformedLine as error:
            skipped.append(Skipped(block.origin, error.reason))
            continue
        place = (block.chain_id, block.height)
        if size >= _STAGED_FILE or place <= last:
            paths.append(folder / f"recorded-{len(paths):06d}.jsonl")
            size = 0
        last = place
        with paths[-1].open("ab") as file:
            size += file.write(line)
    return paths, skipped


def _take(path: Location, inputs: Inputs, found: list[Found]) -> None:
    head = sniff(path)
    if head.startswith(b"PAR1"):
        check_table(path)
        inputs.tables.append(path)
    elif holds_lines(head) or is_unfilled(path, head):
        inputs.exports.append(path)
    else:
        read = read_recording(str(path), read_bytes(path))
        found.extend(read.found)
        inputs.registered.extend(read.given.registered)
        inputs.lineages.extend(read.given.lineages)
        inputs.skipped.extend(read.skipped)
