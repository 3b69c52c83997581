"""What the user gave: exports, recordings, packet tables, told apart by content."""

import errno
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ibc_indexer.block_files import files_in, holds_lines, is_unfilled, sniff
from ibc_indexer.blocks import Block
from ibc_indexer.errors import (
    IndexerError,
    MalformedLine,
    MalformedRecording,
    StorageFault,
    UnreadableInput,
)
from ibc_indexer.lines import encode_line
from ibc_indexer.names.registry import Registered, is_registry, read_registry
from ibc_indexer.recordings.assemble import Found, assemble
from ibc_indexer.recordings.documents import documents, read_bytes
from ibc_indexer.recordings.shapes import records
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.tables import check_table
from ibc_indexer.storage.locations import Location

_STAGED_FILE = 64 << 20


class Inputs(NamedTuple):
    """All inputs, sorted."""

    exports: list[Location]  # files of block lines, packed with gzip or plain
    blocks: list[Block]  # out of recordings
    tables: list[Location]  # Parquet
    skipped: list[Skipped]
    notes: list[Skipped]  # a file, and what was assumed of it
    registered: list[Registered]  # the user's own names of chains


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
)
SEGMENTS, WORK = ".segments", ".work"
RESULTS = (*TABLES, "tables.json", "summary.json", "report.html", "alerted.json", SEGMENTS, WORK)
"""What a run leaves in its folder: never an input of the next."""


def files_of(inputs: Iterable[Location], *, out: Location) -> Iterator[Location]:
    """The files among `inputs`, folders searched to any depth, in a fixed order; no results in `out`.

    Raises:
        FileNotFoundError: an input is not there. A disk that is not mounted is no folder without blocks, of
            which tables would be made.
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
    """Reads or classifies every file; `tell` hears of each before it is read.

    Raises:
        StorageFault: a store could not be asked, so nothing is known of what is in it.
    """
    inputs = Inputs([], [], [], [], [], [])
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
    """A name goes into results and to Spark, which both are UTF-8."""
    if _shown(path) != str(path):
        raise UnreadableInput("has a name that is no UTF-8")


def stage(blocks: Iterable[Block], folder: Path) -> tuple[list[Path], list[Skipped]]:
    """Writes the blocks of recordings as block lines, which workers read like an export's."""
    folder.mkdir(parents=True, exist_ok=True)
    paths, skipped = list[Path](), list[Skipped]()
    size = _STAGED_FILE
    for block in blocks:
        try:
            line = encode_line(block)
        except MalformedLine as error:
            skipped.append(Skipped(block.origin, error.reason))
            continue
        if size >= _STAGED_FILE:
            paths.append(folder / f"recorded-{len(paths):06d}.jsonl")
            size = 0
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
        _take_recording(path, read_bytes(path), inputs, found)


def _take_recording(path: Location, data: bytes, inputs: Inputs, found: list[Found]) -> None:
    usable = 0
    reasons = Counter[str]()
    for document in documents(data):
        if document.reason:
            reasons[f"{document.where}{document.reason}"] += 1
            continue
        if is_registry(document.value):
            usable += 1
            inputs.registered.extend(read_registry(document.value))
            continue
        for record in records(document.value):
            if isinstance(record, MalformedRecording):
                reasons[record.reason] += 1
            else:
                usable += 1
                found.append(Found(str(path), record))
    if not usable and not reasons:
        raise UnreadableInput("holds no answers of a node")
    inputs.skipped.extend(_worded(path, reasons, usable))


def _worded(path: Location, reasons: Counter[str], usable: int) -> Iterator[Skipped]:
    total = usable + reasons.total()
    for reason, count in reasons.items():
        yield Skipped(str(path), reason if total == 1 else f"{count} of {total} parts: {reason}")
