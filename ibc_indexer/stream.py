"""The data source `ibc` as a stream: each height of each chain once, in whatever order heights come.

    spark.readStream.format("ibc").load(folder)

An offset is what was read: by chain the heights, as ranges (`1-10,12`). A gap that is filled later, another
chain or a new folder are so new heights like those at the tip. Blocks known in part are left out until they
are whole.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from ibc_indexer.coverage import Heights
from ibc_indexer.scan import Scan
from ibc_indexer.source import HeightRange, IbcReader

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import ReadLimit

Offset = dict[str, str]  # chain -> heights


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
        found = {key: _written(heights) for key, heights in _known(self._reader.scanned()).items()}
        self._told = {
            key: _written(_parsed(read.get(key, "")) | _parsed(found.get(key, "")))
            for key in sorted({*read, *found})
        }
        return self._told

    def getDefaultReadLimit(self) -> "ReadLimit":  # noqa: N802
        """None; PySpark before 4.2 does not ask."""
        from pyspark.sql.streaming.datasource import ReadAllAvailable

        return ReadAllAvailable()

    def partitions(self, start: Offset, end: Offset) -> Sequence[HeightRange]:
        """The heights in `end` that are not in `start`."""
        self._told = self._told or end  # after a restart, where PySpark does not say it
        found = self._reader.scanned()
        new = {key: _parsed(text) - _parsed(start.get(key, "")) for key, text in end.items()}
        parts = list[HeightRange]()
        for name, coverage in found.coverage.items():
            wanted = new.get(coverage.incarnation or name, Heights())
            ranges = [
                each
                for each in found.ranges
                if each.chain_id == name and (wanted - (wanted - Heights(((each.first, each.last),)))).ranges
            ]
            parts += self._reader.grouped(ranges, wanted)
        return parts

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one partition."""
        return self._reader.read(partition)


def _known(found: Scan) -> dict[str, Heights]:
    """By chain the blocks that are there whole. A chain's name may change when another takes its id."""
    return {coverage.incarnation or name: coverage.full for name, coverage in found.coverage.items()}


def _written(heights: Heights) -> str:
    return ",".join(f"{first}-{last}" for first, last in heights.ranges)


def _parsed(text: str) -> Heights:
    pairs = (each.split("-") for each in text.split(",") if each)
    return Heights(tuple((int(first), int(last)) for first, last in pairs))
