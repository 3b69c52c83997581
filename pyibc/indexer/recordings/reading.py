"""Reader of a file of recorded answers: its records, and the user's names of chains, if it has them."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pyibc.indexer.errors import MalformedRecording, UnreadableInput
from pyibc.indexer.names.registry import Registry, is_registry, read_lineages, read_registry
from pyibc.indexer.problems import MAX_LISTED, Skipped
from pyibc.indexer.recordings.assemble import Found
from pyibc.indexer.recordings.documents import documents
from pyibc.indexer.recordings.records import Header
from pyibc.indexer.recordings.shapes import records


class Recording(NamedTuple):
    """Content of a file."""

    found: list[Found]
    given: Registry
    skipped: list[Skipped]  # its parts that cannot be used


def read_recording(file: str, data: bytes) -> Recording:
    """Read the content of a file with the name `file`.

    Raises:
        UnreadableInput: it is no JSON, or has no answers.
        MalformedRegistry: the user's names of chains are malformed.
    """
    read = Recording([], Registry([], []), [])
    usable = left_out = 0
    reasons = Counter[str]()
    for document in documents(data):
        if document.reason:
            _count(reasons, f"{document.where}{document.reason}")
            continue
        if is_registry(document.value):
            usable += 1
            entries, lineages = read_registry(document.value), read_lineages(document.value)
            read.given.registered.extend(entries)
            read.given.lineages.extend(lineages)
            continue
        for record in records(document.value):
            if isinstance(record, MalformedRecording):
                _count(reasons, record.reason)
            else:
                usable += 1
                read.found.append(Found(file, record))
                left_out += 0 if isinstance(record, Header) else record.left_out
    if not usable and not reasons:
        raise UnreadableInput("contains no responses of a node")
    read.skipped.extend(_worded(file, reasons, usable))
    if left_out:
        read.skipped.append(Skipped(file, f"{left_out} event attributes that are not text"))
    return read


def _count(reasons: Counter[str], reason: str) -> None:
    """Count a reason, of which a limited number is listed."""
    is_listed = reason in reasons or len(reasons) < MAX_LISTED
    reasons[reason if is_listed else "other problems"] += 1


def _worded(file: str, reasons: Counter[str], usable: int) -> Iterator[Skipped]:
    total = usable + reasons.total()
    for reason, count in reasons.items():
        yield Skipped(file, reason if total == 1 else f"{count} of {total} parts: {reason}")
