"""Rows that an engine wrote, as files of the tables: they wait apart and are moved at a run's commit."""

from collections.abc import Iterable
from secrets import token_hex

import pyarrow.parquet as pq

from ibc_indexer.engines import Columns
from ibc_indexer.lake.delta import schema_of
from ibc_indexer.lake.state import DataFile
from ibc_indexer.storage.locations import Location, inside, made_in, move


class Staging:
    """Files of one run that wait for their commit."""

    def __init__(self, out: Location, work: Location) -> None:
        """`out` is the folder of results; `work` is on the same file system, or of this machine."""
        self.out, self.work, self._count = out, work, 0
        self._waiting: dict[tuple[str, str], Location] = {}

    def folder(self) -> Location:
        """A new folder for an engine to write into."""
        self._count += 1
        return self.work / f"rows-{self._count}"

    def name(self) -> str:
        """A new name for a file."""
        return token_hex(12)

    def take(self, table: str, folder: Location) -> list[DataFile]:
        """The files that an engine wrote into `folder`, as those of a table."""
        return [self._taken(table, path) for path in inside(folder, "*.parquet")]

    def take_parts(self, table: str, folder: Location) -> dict[int, list[DataFile]]:
        """Likewise of rows that were written by their column `part`."""
        return {int(path.name.partition("=")[2]): self.take(table, path) for path in inside(folder, "part=*")}

    def empty(self, table: str, columns: Columns) -> DataFile:
        """A file without rows: of a table without any other, plain readers see the columns."""
        folder = self.folder()
        folder.mkdir(parents=True)
        with made_in(folder) as here:
            pq.write_table(schema_of(columns).empty_table(), here / "none.parquet")
        return self._taken(table, folder / "none.parquet")

    def paths(self, table: str, files: Iterable[DataFile]) -> list[Location]:
        """Where files of a table are now."""
        return [self._waiting.get((table, file.name), self.out / table / file.name) for file in files]

    def move(self) -> None:
        """Moves what waits to its table."""
        for (table, name), path in self._waiting.items():
            folder = self.out / table
            folder.mkdir(parents=True, exist_ok=True)
            move(path, folder / name)
        self._waiting.clear()

    def _taken(self, table: str, path: Location) -> DataFile:
        with path.open("rb") as data:
            found = pq.read_metadata(data)
        file = DataFile(f"{self.name()}.parquet", path.stat().st_size, found.num_rows)
        self._waiting[table, file.name] = path
        return file
