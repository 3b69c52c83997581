"""The data source `ibc` as a stream: each height of each chain once, in whatever order heights come.

    spark.readStream.format("ibc").load(folder)

An offset is what was read: by chain the heights, as ranges (`1-10,12`), and how far every file was read, so
that a batch looks at what was appended and at nothing else. A gap that is filled later, another chain or a
new file are so new heights like those at the tip. Blocks known in part are left out until they are whole.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from ibc_indexer.block_files import Line, is_packed, read_lines, sort_files
from ibc_indexer.coverage import Heights
from ibc_indexer.errors import MalformedLine
from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.scan import FoundLine, joined
from ibc_indexer.source import HeightRange, IbcReader
from ibc_indexer.storage.locations import Location

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import ReadLimit

Offset = dict[str, str]  # `ChainKey` as text -> heights; `FILES` -> how far each was read
FILES = " files"
"""No chain is called so. Behind it, as JSON: by path the bytes that were read (of a packed file its size)."""


class IbcStreamReader(DataSourceStreamReader):
    """Reads what is new since the last batch."""

    def __init__(self, schema: StructType, options: dict[str, str]) -> None:
        self._reader = IbcReader(schema, options)
        self._told: Offset = {}

    def initialOffset(self) -> Offset:  # noqa: N802
        """Nothing was read."""
        return {}

    def latestOffset(self, start: Offset | None = None, limit: "ReadLimit | None" = None) -> Offset:  # noqa: N802
        """All heights that are there; what was read stays, also if its file is gone.

        PySpark before 4.2 does not say what was read: there it is what this reader told before.
        """
        del limit  # all that is available: a batch has as many partitions as it needs
        read = self._told if start is None else start
        known = _heights(read)
        lines, places = self._behind(_places(read), None)
        for line in lines:
            key = str(line.head.chain)
            known[key] = known.get(key, Heights()).adding(line.head.height)
        heights = {key: _written(known[key]) for key in sorted(known)}
        self._told = heights | ({FILES: json.dumps(places, sort_keys=True)} if places else {})
        return self._told

    def getDefaultReadLimit(self) -> "ReadLimit":  # noqa: N802
        """None; PySpark before 4.2 does not ask."""
        from pyspark.sql.streaming.datasource import ReadAllAvailable

        return ReadAllAvailable()

    def partitions(self, start: Offset, end: Offset) -> Sequence[HeightRange]:
        """The heights in `end` that are not in `start`."""
        self._told = self._told or end  # after a restart, where PySpark does not say it
        read, wanted = _heights(start), _heights(end)
        chains = Incarnations(ChainKey.parsed(key) for key in wanted)
        before = _by_name(read, chains)
        new = {
            name: heights - before.get(name, Heights()) for name, heights in _by_name(wanted, chains).items()
        }
        lines, _ = self._behind(_places(start), _places(end))
        taken, used = set[tuple[str, int]](), list[tuple[str, FoundLine]]()
        for line in lines:
            place = (chains.name(line.head.chain), line.head.height)
            if place not in taken and line.head.height in new.get(place[0], Heights()):
                taken.add(place)
                used.append((place[0], line))
        return self._reader.grouped(joined(used))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one partition."""
        return self._reader.read(partition)

    def _behind(
        self, begin: Mapping[str, int], end: Mapping[str, int] | None
    ) -> tuple[list[FoundLine], dict[str, int]]:
        """The lines of whole blocks behind `begin`, up to `end` (None: all), and how far that is."""
        lines, places = list[FoundLine](), dict[str, int]()
        for path in sort_files(self._reader.paths()).files:
            name = str(path)
            if end is None or name in end:
                found, places[name] = _lines(path, begin.get(name, 0), None if end is None else end[name])
                lines += found
        return lines, places


def _lines(path: Location, begin: int, end: int | None) -> tuple[list[FoundLine], int]:
    """The lines of whole blocks in a part of a file, and how far its whole lines go.

    A packed file is read from its beginning if it has another size; so is one that became shorter.
    """
    size, packed = path.stat().st_size, is_packed(path)
    place = size if packed else begin if begin <= size else 0
    if packed:
        lines: Iterable[Line] = () if size == begin else read_lines(path)
    else:
        lines = read_lines(path, place, (size if end is None else end) - place)
    found = list[FoundLine]()
    for line in lines:
        if not packed:
            if not line.problem and not line.data.endswith(b"\n"):
                break  # it is being written
            place = line.offset + line.size
        try:
            head = line.head()
        except MalformedLine:
            continue  # it tells no height
        if not head.partial:
            found.append(FoundLine(str(path), line.offset, len(line.data), head))
    return found, place


def _places(offset: Offset) -> dict[str, int]:
    return dict(json.loads(offset.get(FILES, "{}")))


def _heights(offset: Offset) -> dict[str, Heights]:
    return {key: _parsed(text) for key, text in offset.items() if key != FILES}


def _by_name(heights: Mapping[str, Heights], chains: Incarnations) -> dict[str, Heights]:
    """By the name in the results; lines that do not tell their incarnation may be of one that does."""
    found = dict[str, Heights]()
    for key, some in heights.items():
        name = chains.name(ChainKey.parsed(key))
        found[name] = found.get(name, Heights()) | some
    return found


def _written(heights: Heights) -> str:
    return ",".join(f"{first}-{last}" for first, last in heights.ranges)


def _parsed(text: str) -> Heights:
    pairs = (each.split("-") for each in text.split(",") if each)
    return Heights(tuple((int(first), int(last)) for first, last in pairs))
