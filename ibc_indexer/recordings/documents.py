"""Files of JSON values: one, one a line, packed with gzip or plain."""

import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from ibc_indexer.block_files import open_unpacked
from ibc_indexer.errors import UnreadableInput
from ibc_indexer.storage.locations import Location

MAX_FILE = 1 << 30  # bytes, unpacked: a block's results are some megabytes


class Document(NamedTuple):
    """One JSON value and where it stands."""

    where: str  # "" for the whole file, "line 7: " in a file of lines
    value: Any
    reason: str = ""  # why there is no value


def read_bytes(path: Location) -> bytes:
    """The content of `path`, unpacked.

    Raises:
        UnreadableInput: it cannot be opened, is cut, or is larger than `MAX_FILE`.
    """
    try:
        with open_unpacked(path) as content:
            data = content.read(MAX_FILE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableInput(f"cannot be read: {type(error).__name__}: {error}") from None
    if len(data) > MAX_FILE:
        raise UnreadableInput(f"is larger than {MAX_FILE} bytes")
    return data


def documents(data: bytes) -> Iterator[Document]:
    """The JSON values of a file: the whole of it, or else each of its lines.

    Raises:
        UnreadableInput: it is no JSON, and neither is its first line.
    """
    try:
        whole = _parse(data)
    except UnreadableInput as error:
        lines = data.splitlines()
        if len(lines) < 2 or not _is_json(lines[0]):
            raise error from None
    else:
        yield Document("", whole)
        return
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Document(f"line {number}: ", _parse(line))
        except UnreadableInput as error:
            yield Document(f"line {number}: ", None, error.reason)


def _parse(data: bytes) -> Any:
    if not data.strip():
        raise UnreadableInput("is empty")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableInput(f"is no JSON: {error}") from None
    except RecursionError:
        raise UnreadableInput("is JSON nested too deeply") from None


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(_parse(line), dict | list)
    except UnreadableInput:
        return False
