"""Reader of a file of recorded answers: its records, and the user's names of chains, if it has them.

A file has one or several JSON documents, plain or gzip-compressed. Several documents may stand in lines, or
one after the other, with or without white space between them.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import IO, Any, NamedTuple

import msgspec

from pyibc.codec.gojson import JsonError
from pyibc.codec.gojson_members import skip
from pyibc.indexer.blocks.line_files import UNPACKING, unpacked
from pyibc.indexer.chains.registry import Registry, is_registry
from pyibc.indexer.errors import MAX_LISTED, MalformedRecording, Skipped, UnreadableInput
from pyibc.indexer.recordings.assemble import Found
from pyibc.indexer.recordings.records import Header
from pyibc.indexer.recordings.shapes import records

MAX_FILE = 1 << 30  # bytes, uncompressed; block results have some megabytes


class Document(NamedTuple):
    """JSON document with its position."""

    where: str  # "" for the whole file, "line 7: " in a file of lines, otherwise "byte 512: "
    value: Any
    reason: str = ""  # error, if the document could not be parsed


def read_content(file: IO[bytes]) -> bytes:
    """Read the uncompressed content of an open file.

    Raises:
        UnreadableInput: the file is truncated, or is larger than `MAX_FILE`.
        OSError: the file cannot be read.
    """
    try:
        with unpacked(file) as content:
            data = content.read(MAX_FILE + 1)
    except EOFError:
        raise UnreadableInput("is a gzip file that is cut off") from None
    except UNPACKING as error:
        raise UnreadableInput(f"cannot be decompressed: {str(error)[:100]}") from None
    if len(data) > MAX_FILE:
        raise UnreadableInput(f"is larger than {MAX_FILE} bytes")
    return data


def documents(data: bytes) -> Iterator[Document]:
    """Yield the JSON documents of a file: the file as a whole, those in its lines, or those in a row.

    Raises:
        UnreadableInput: neither the file nor its beginning is JSON.
    """
    try:
        whole = _parse(data)
    except UnreadableInput as error:
        lines = data.splitlines()
        if len(lines) > 1 and _begins_with_json(lines[0]):
            yield from _in_lines(lines)
            return
        found = _in_row(data)
        first = next(found, None)
        if first is None or first.reason:
            raise error from None
        yield first
        yield from found
    else:
        yield Document("", whole)


def _in_lines(lines: list[bytes]) -> Iterator[Document]:
    for number, line in enumerate(lines, 1):
        where = f"line {number}: "
        if not line.strip():
            continue
        try:
            yield Document(where, _parse(line))
        except UnreadableInput as error:
            found = _in_row(line)
            begin = list(islice(found, 2))  # a line may hold millions of documents
            if len(begin) < 2:
                yield Document(where, None, error.reason)
                continue
            for document in chain(begin, found):
                yield document._replace(where=where + document.where)


def _in_row(data: bytes) -> Iterator[Document]:
    """Yield the documents that follow each other; one with a reason ends them where JSON ends."""
    at = len(data) - len(data.lstrip())
    while at < len(data):
        where = f"byte {at}: "
        try:
            end = skip(data, at, 1)
        except JsonError as error:
            yield Document(where, None, f"is not JSON: {error}")
            return
        try:
            yield Document(where, _parse(data[at:end]))
        except UnreadableInput as error:
            yield Document(where, None, error.reason)
        at = end


def _parse(data: bytes) -> Any:
    if not data.strip():
        raise UnreadableInput("is empty")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"is not JSON: {error}") from None
    except RecursionError:
        raise UnreadableInput("is JSON nested too deeply") from None


def _begins_with_json(line: bytes) -> bool:
    """Return whether a line begins with an object or a list that ends in it."""
    first = next(_in_row(line), None)
    return first is not None and isinstance(first.value, dict | list)


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
            read.given.take(document.value)
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
