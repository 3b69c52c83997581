"""Reader of JSON files with one or several documents, plain or gzip-compressed.

Several documents may stand in lines, or one after the other, with or without white space between them.
"""

import gzip
import zlib
from collections.abc import Iterator
from itertools import chain, islice
from typing import IO, Any, NamedTuple

import msgspec

from pyibc.codec.gojson import JsonError
from pyibc.codec.gojson_members import skip
from pyibc.indexer.block_files import unpacked
from pyibc.indexer.errors import UnreadableInput

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
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableInput(f"cannot be read: {type(error).__name__}: {error}") from None
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
