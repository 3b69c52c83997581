"""SQL in the session of the pipeline, for queries that other engines run, too."""

from collections.abc import Iterable, Sequence
from typing import Any

from pyibc.indexer.engines import Columns, Dialect
from pyibc.indexer.pipeline.delta import Lake, ddl_of
from pyibc.indexer.spark_engine import DIALECT

CHAIN_KEY = "chain || coalesce(' ' || incarnation, '')"
"""SQL expression: chain and incarnation as one text, that of a `ChainKey`."""
OWN_END = {
    "port": "CASE WHEN receiving THEN dst_port ELSE src_port END",
    "channel": "CASE WHEN receiving THEN dst_channel ELSE src_channel END",
}
"""SQL expressions: the channel end of a packet event on its own chain."""
OTHER_END = {
    "other_port": "CASE WHEN receiving THEN src_port ELSE dst_port END",
    "other_channel": "CASE WHEN receiving THEN src_channel ELSE dst_channel END",
}
"""SQL expressions: the channel end of a packet event on the other chain."""


class SparkSql:
    """SQL over the temporary views of a session."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    @property
    def dialect(self) -> Dialect:
        """SQL dialect of Spark."""
        return DIALECT

    def table(self, name: str, columns: Columns, rows: Iterable[Sequence[Any]]) -> None:
        """Register a small number of rows as the view `name`."""
        self._lake.table_of(ddl_of(columns), list(map(tuple, rows))).createOrReplaceTempView(name)

    def rows(self, query: str) -> list[Any]:
        """Run a query with a small result."""
        return self._lake.spark.sql(query).collect()
