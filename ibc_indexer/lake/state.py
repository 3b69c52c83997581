"""`tables.json`: the one version of all tables that belongs together, and what it was made of.

It is written last, by a rename: a run that is killed before it leaves the tables of the run before, whose
files are all there still. What is torn, edited or names files that are not there as they were is as good as
none: the tables are made anew.
"""

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import msgspec

from ibc_indexer.coverage import Range
from ibc_indexer.errors import MalformedState
from ibc_indexer.storage.locations import Location, replace, sizes_in

NAME = "tables.json"
VERSION = 1
_HEAD = b'{"crc32":"%08x","state":'
_HEAD_SIZE = len(_HEAD % 0)


class DataFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Parquet file of a table."""

    name: str
    size: int
    rows: int


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bands of packets, which are made together."""

    bands: dict[str, tuple[Range, ...]]  # by the key of a way
    weight: int  # about how many events
    hot: bool  # it holds the last bands of ways, where most is going on
    files: dict[str, list[DataFile]]  # by table


class Chunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Segments whose rows are copied together."""

    atoms: list[str]
    weight: int
    files: dict[str, list[DataFile]]  # by table


class Retired(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a superseded version, which stays for a while."""

    table: str
    name: str
    since: float  # unix seconds


class WayState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the rows of a way's packets depend on, beside its events."""

    ends: list[int]
    fixed: list[str | int | None]  # names, what they are founded on
    moving: list[int | None]  # last blocks, the last height that lacks


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run left."""

    version: int
    queries: str  # stands for the definitions of the tables
    tables: dict[str, int]  # the version of each in Delta's log
    segments: list[str]
    atoms: list[str]
    chains: dict[str, str]  # what they are called
    shared: list[tuple[str, int, str, str]]  # names that share a number: field, number, two of them
    ways: dict[str, WayState]
    facts: str  # stands for what clients and channels were made of, beside the segments
    origins: list[str]  # files of forwarded packets, among the segments'
    parts: list[Part]
    chunks: list[Chunk]
    whole: dict[str, list[DataFile]]  # tables that are made anew
    retired: list[Retired]

    def files(self, table: str) -> list[DataFile]:
        """The files of a table."""
        kept = [*(part.files for part in self.parts), *(chunk.files for chunk in self.chunks), self.whole]
        return [file for files in kept for file in files.get(table, ())]


def table_files(folder: Location, table: str) -> list[Location]:
    """The files of a table in the results in `folder`, of the version that belongs to those of the others.

    Raises:
        MalformedState: there are no results, or they are not as they were left.
    """
    return [folder / table / file.name for file in read_state(folder).files(table)]


def write_state(folder: Location, state: State) -> None:
    """Commits a run, whole or not at all."""
    body = msgspec.json.encode(state)
    replace(folder / NAME, _HEAD % crc32(body) + body + b"}\n")


def read_state(folder: Location) -> State:
    """What the last run left, checked against the files it names.

    Raises:
        MalformedState: there is none, it is cut or edited, of another version, or a file it names is not
            there as it was.
    """
    try:
        data = (folder / NAME).read_bytes()
    except OSError as error:
        raise MalformedState(f"cannot be read: {error.strerror}") from None
    body = data[_HEAD_SIZE:-2]
    # guard: h111-a-checksum-is-not-compared test_h111_results_that_are_not_as_they_were_left_are_made_anew
    if data != _HEAD % crc32(body) + body + b"}\n":
        raise MalformedState("its checksum does not match")
    try:
        state = msgspec.json.decode(body, type=State)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedState(f"is not one of version {VERSION}: {error}") from None
    if state.version != VERSION:
        raise MalformedState(f"is of version {state.version}")
    sizes = {table: _sizes(folder, table) for table in state.tables}
    for table, file in _all_files(state):
        _check(sizes[table], table, file)
    return state


def _all_files(state: State) -> Iterator[tuple[str, DataFile]]:
    for table in state.tables:
        for file in state.files(table):
            yield table, file


def _sizes(folder: Location, table: str) -> dict[str, int]:
    if Path(table).name != table:
        raise MalformedState(f"names {table}, which is no table")
    try:
        return sizes_in(folder / table)
    except OSError:
        return {}


def _check(sizes: dict[str, int], table: str, file: DataFile) -> None:
    if Path(file.name).name != file.name:
        raise MalformedState(f"names {table}/{file.name}, which is no file of a table")
    # guard: h111-a-file-s-size-is-not-compared {sizes.get(file.name) != file.size => file.name not in sizes}
    #   test_h111_results_that_are_not_as_they_were_left_are_made_anew
    if sizes.get(file.name) != file.size:
        raise MalformedState(f"names {table}/{file.name}, which is not there as it was")
