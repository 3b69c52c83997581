"""Staging of files that an engine wrote, until the commit moves them to their tables."""

from collections.abc import Iterable
from secrets import token_hex

import pyarrow.parquet as pq

from pyibc.indexer.engines import Columns
from pyibc.indexer.lake.delta import schema_of
from pyibc.indexer.lake.state import DataFile
from pyibc.indexer.storage.checksums import recorded_checksum
from pyibc.indexer.storage.locations import Location, inside, made_in, move


class Staging:
    """Staged files of one run."""

    def __init__(self, out: Location, work: Location) -> None:
        """Stage in `work`, a local folder or one on the file system of the result folder `out`."""
        self.out, self.work, self._count = out, work, 0
        self._waiting: dict[tuple[str, str], Location] = {}

    def folder(self) -> Location:
        """Return a new folder for an engine to write into."""
        self._count += 1
        return self.work / f"rows-{self._count}"

    def described(self, path: Location, suffix: str = ".parquet") -> DataFile:
        """Describe a file that an engine wrote, with a new name."""
        with path.open("rb") as data:
            rows = pq.read_metadata(data).num_rows
        return DataFile(token_hex(12) + suffix, path.stat().st_size, rows, recorded_checksum(path))

    def take(self, table: str, folder: Location) -> list[DataFile]:
        """Stage the files that an engine wrote into `folder` for a table."""
        return [self._taken(table, path) for path in inside(folder, "*.parquet")]

    def take_parts(self, table: str, folder: Location) -> dict[int, list[DataFile]]:
        """Stage files that were partitioned by the column `part`; return them by its value."""
        return {int(path.name.partition("=")[2]): self.take(table, path) for path in inside(folder, "part=*")}

    def empty(self, table: str, columns: Columns) -> DataFile:
        """Stage a file without rows, which gives readers of plain Parquet the columns of an empty table."""
        folder = self.folder()
        folder.mkdir(parents=True)
        with made_in(folder) as here:
            pq.write_table(schema_of(columns).empty_table(), here / "none.parquet")
        return self._taken(table, folder / "none.parquet")

    def paths(self, table: str, files: Iterable[DataFile]) -> list[Location]:
        """Return the current paths of files of a table, staged or committed."""
        return [self._waiting.get((table, file.name), self.out / table / file.name) for file in files]

    def move(self) -> None:
        """Move the staged files to their tables."""
        for (table, name), path in self._waiting.items():
            folder = self.out / table
            folder.mkdir(parents=True, exist_ok=True)
            move(path, folder / name)
        self._waiting.clear()

    def _taken(self, table: str, path: Location) -> DataFile:
        file = self.described(path)
        self._waiting[table, file.name] = path
        return file
