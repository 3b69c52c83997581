"""`tables.json`: the files of a consistent version of all tables, and the inputs that they were made from.

The file is replaced last, by a rename: a run that is killed earlier leaves the tables of the previous run,
whose files all still exist. If the file is damaged, or lists files that are missing, changed or damaged, the
tables are rebuilt.
"""

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import msgspec

from pyibc.indexer.coverage import Range
from pyibc.indexer.errors import MalformedState
from pyibc.indexer.storage.checksums import is_intact
from pyibc.indexer.storage.locations import Location, replace, sizes_in

NAME = "tables.json"
VERSION = 3
_HEAD = b'{"crc32":"%08x","state":'
_HEAD_SIZE = len(_HEAD % 0)


class DataFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parquet file of a table."""

    name: str
    size: int
    rows: int
    crc32: int | None = None  # None: in a bucket


class FileGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """File group: sequence buckets that are written together."""

    bands: dict[str, tuple[Range, ...]]  # bucket numbers by the key of a route
    weight: int  # approximate number of events
    hot: bool  # contains the last buckets of routes, which change often
    files: dict[str, list[DataFile]]  # by table


class Chunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Segments whose rows are written together."""

    atoms: list[str]
    weight: int
    files: dict[str, list[DataFile]]  # by table


class Retired(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """File of a superseded version that is retained for concurrent readers."""

    table: str
    name: str
    since: float  # unix seconds


class RouteState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs of a route's packet rows other than events."""

    ends: list[int]
    fixed: list[str | int | None]  # names and their evidence
    moving: list[int | None]  # last blocks, the last missing height


class LakeState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Committed state of a run."""

    version: int
    queries: str  # hash of the table definitions
    tables: dict[str, int]  # version of each table in its Delta log
    segments: list[str]
    atoms: list[str]
    chains: dict[str, str]  # name in the results by name in segments
    lineages: dict[str, str]  # lineage by the name of a chain in the results
    shared: list[tuple[str, int, str, str]]  # names with the same hash: field, hash, two names
    ways: dict[str, RouteState]  # routes by key
    members: str  # hash of the table of chains
    facts: str  # hash of the inputs of clients and channels other than segments
    origins: list[DataFile]  # files about forwarded packets, in the folder of the segments
    parts: list[FileGroup]  # file groups
    chunks: list[Chunk]
    whole: dict[str, list[DataFile]]  # files of tables that are always rewritten as a whole
    retired: list[Retired]

    def files(self, table: str) -> list[DataFile]:
        """Return the files of a table."""
        kept = [*(part.files for part in self.parts), *(chunk.files for chunk in self.chunks), self.whole]
        return [file for files in kept for file in files.get(table, ())]


def table_files(folder: Location, table: str) -> list[Location]:
    """Return the files of a table in the result folder, in the version consistent with the other tables.

    Raises:
        MalformedState: there are no results, or they were modified.
    """
    return [folder / table / file.name for file in read_state(folder).files(table)]


def write_state(folder: Location, state: LakeState) -> None:
    """Commit a run atomically."""
    body = msgspec.json.encode(state)
    replace(folder / NAME, _HEAD % crc32(body) + body + b"}\n")


def read_state(folder: Location) -> LakeState:
    """Read the state of the last run, and check that its files exist with the recorded sizes.

    Raises:
        MalformedState: the state does not exist, is damaged or has another version, or a file is missing or
            changed.
    """
    try:
        data = (folder / NAME).read_bytes()
    except OSError as error:
        raise MalformedState(f"cannot be read: {error.strerror}") from None
    body = data[_HEAD_SIZE:-2]
    # guard: h111-a-checksum-is-not-compared test_h111_results_that_are_not_as_they_were_left_are_made_anew
    if data != _HEAD % crc32(body) + body + b"}\n":
        raise MalformedState("does not match its checksum")
    try:
        state = msgspec.json.decode(body, type=LakeState)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedState(f"does not have the format of version {VERSION}: {error}") from None
    if state.version != VERSION:
        raise MalformedState(f"has version {state.version}")
    sizes = {table: _sizes(folder, table) for table in state.tables}
    for table, file in _all_files(state):
        _check(sizes[table], table, file)
    return state


def damaged_files(folder: Location, segments: Location, state: LakeState) -> list[Location]:
    """Return the files of a state whose content does not have the recorded checksum.

    Unlike the sizes, which every reader compares, this is for runs only: it reads the files.
    """
    files = [(folder / table / file.name, file.crc32) for table, file in _all_files(state)]
    files += [(segments / file.name, file.crc32) for file in state.origins]
    # guard: h111-a-file-s-checksum-is-not-compared {not is_intact(path, checksum) => False}
    #   test_h111_a_file_damaged_without_a_change_of_its_size_is_named_and_made_anew
    return [path for path, checksum in files if not is_intact(path, checksum)]


def _all_files(state: LakeState) -> Iterator[tuple[str, DataFile]]:
    for table in state.tables:
        for file in state.files(table):
            yield table, file


def _sizes(folder: Location, table: str) -> dict[str, int]:
    if Path(table).name != table:
        raise MalformedState(f"lists {table}, which is not a table name")
    try:
        return sizes_in(folder / table)
    except OSError:
        return {}


def _check(sizes: dict[str, int], table: str, file: DataFile) -> None:
    if Path(file.name).name != file.name:
        raise MalformedState(f"lists {table}/{file.name}, which is not a file name")
    # guard: h111-a-file-s-size-is-not-compared {sizes.get(file.name) != file.size => file.name not in sizes}
    #   test_h111_results_that_are_not_as_they_were_left_are_made_anew
    if sizes.get(file.name) != file.size:
        raise MalformedState(f"lists {table}/{file.name}, which is missing or changed")
