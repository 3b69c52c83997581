"""`pyibc.index`: the index as DataFrames of Spark, pandas or Polars."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, overload

import pyarrow as pa

from pyibc.indexer.blocks.coverage import coverage_rows
from pyibc.indexer.bronze.contents import CALL_MESSAGES, CALLS, TRANSFERS
from pyibc.indexer.errors import Skipped
from pyibc.indexer.job import chosen, open_results
from pyibc.indexer.job import index as run_job
from pyibc.indexer.local.lake import DIALECT, failing
from pyibc.indexer.locations import AnyPath, existing, results_folder
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.results import answers, contents, packets, table_answers
from pyibc.indexer.results.tables import COLUMNS
from pyibc.indexer.sql import Columns, Dialect, arrow_table, columns_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from pyspark.sql import SparkSession

    from pyibc.indexer.spark_frames import Index

PACKETS = "packets"
COVERAGE = columns_of("chain string, incarnation string, first bigint, last bigint, kind string")
"""Columns of the frame `coverage`."""
_PLACE = ("chain", "height", "tx_index")
_KEYS = {
    "blocks": ("chain", "height"),
    "events": (*_PLACE, "event_index"),
    "transactions": _PLACE,
    "messages": (*_PLACE, "message_index"),
    "clients": ("chain", "client"),
    "channels": ("chain", "port", "channel"),
    "chains": ("chain",),
}

Frame = TypeVar("Frame")

Inputs = AnyPath | Iterable[AnyPath]


class Contract(NamedTuple):
    """Columns and primary key of a table."""

    columns: Columns
    key: tuple[str, ...]


CONTRACTS = {
    PACKETS: Contract(packets.COLUMNS, ("packet_id",)),
    TRANSFERS: Contract(contents.TRANSFER_COLUMNS, ("packet_id", "payload")),
    CALLS: Contract(contents.CALL_COLUMNS, ("packet_id", "payload")),
    CALL_MESSAGES: Contract(contents.CALL_MESSAGE_COLUMNS, ("packet_id", "payload", "message_index")),
    **{name: Contract(columns, _KEYS[name]) for name, columns in COLUMNS.items()},
}
"""All tables by name."""


class IndexFrames(ABC, Generic[Frame]):
    """Index of packets as DataFrames, read on access. docs/indexer-tables.md lists the columns."""

    def __init__(self, folder: str, outcome: Outcome, dialect: Dialect) -> None:
        """Open the results in `folder`; `dialect` is the SQL dialect of the engine that runs the queries."""
        self.folder = folder
        self._outcome = outcome
        self._dialect = dialect

    @abstractmethod
    def _answer(self, query: str) -> Frame:
        """Run a query that refers to the result tables by name."""

    def _table(self, name: str) -> Frame:
        """Return a result table."""
        columns = ", ".join(column for column, _ in CONTRACTS[name].columns)
        return self._answer(f"SELECT {columns} FROM {name}")

    @property
    @abstractmethod
    def coverage(self) -> Frame:
        """One row per range of heights of a chain: `covered`, or a `gap` of missing blocks."""

    @property
    def packets(self) -> Frame:
        """One row per packet."""
        return self._table("packets")

    @property
    def transfers(self) -> Frame:
        """One row per ICS-20 transfer; all hops of a forwarded transfer share one `transfer_id`."""
        return self._table("transfers")

    @property
    def calls(self) -> Frame:
        """One row per interchain-accounts or GMP call, with its request and outcome."""
        return self._table("calls")

    @property
    def call_messages(self) -> Frame:
        """One row per message in a call."""
        return self._table("call_messages")

    @property
    def blocks(self) -> Frame:
        """One row per block."""
        return self._table("blocks")

    @property
    def events(self) -> Frame:
        """One row per packet event as the chain emitted it."""
        return self._table("events")

    @property
    def transactions(self) -> Frame:
        """One row per transaction, including failed ones."""
        return self._table("transactions")

    @property
    def messages(self) -> Frame:
        """One row per message of a transaction."""
        return self._table("messages")

    @property
    def clients(self) -> Frame:
        """One row per light client."""
        return self._table("clients")

    @property
    def channels(self) -> Frame:
        """One row per channel end."""
        return self._table("channels")

    @property
    def chains(self) -> Frame:
        """One row per chain: its lineage, its known blocks, and how it is known to continue another chain."""
        return self._table("chains")

    @property
    def routes(self) -> Frame:
        """One row per channel and direction: packets by state, latency percentiles in seconds."""
        return self._answer(answers.channels_query(self._dialect))

    @property
    def volume(self) -> Frame:
        """One row per chain and denomination: amounts attempted and delivered."""
        return self._answer(answers.volume_query(self._dialect))

    @property
    def relayers(self) -> Frame:
        """One row per relayer: packets delivered, packets acknowledged or timed out, share of the total."""
        return self._answer(answers.relayers_query())

    @property
    def relayer_costs(self) -> Frame:
        """One row per relayer, chain and fee coin: transactions, failures, fees."""
        return self._answer(table_answers.relayer_costs_query(self._dialect))

    @property
    def flows(self) -> Frame:
        """One row per pair of chains and coin: transfers by outcome, and the delivered amount."""
        keys = ("src_chain", "dst_chain", "src_coin", "base_denom")
        return self._answer(table_answers.flows_query(keys, self._dialect))

    @property
    def hops(self) -> Frame:
        """One row per hop number of transfers: latency percentiles in seconds."""
        return self._answer(table_answers.hops_query(self._dialect))

    @property
    def summary(self) -> dict[str, Any]:
        """Counts by chain and by type of event, as in summary.json."""
        return self._outcome.summary

    @property
    def skipped(self) -> list[Skipped]:
        """Files and blocks that could not be read, with reasons."""
        return [Skipped(**each) for each in self._outcome.summary["skipped"]]

    @property
    def notes(self) -> list[Skipped]:
        """Assumptions and open questions of the run, by file."""
        return self._outcome.notes


class Tables(IndexFrames[Frame]):
    """Index of packets as pandas or Polars DataFrames.

    Times are in UTC with microseconds. Integers and booleans are nullable. Sums and `amount_decimal` are
    decimals of 38 digits.
    """

    def __init__(self, folder: str, outcome: Outcome, frame: Callable[[pa.Table], Frame]) -> None:
        """Open the results in `folder`; `frame` converts an Arrow table to a DataFrame."""
        super().__init__(folder, outcome, DIALECT)
        self._frame = frame
        self._base = open_results(folder)

    @property
    def coverage(self) -> Frame:
        """One row per range of heights of a chain: `covered`, or a `gap` of missing blocks."""
        return self._frame(arrow_table(COVERAGE, coverage_rows(self._outcome.coverage)))

    def _answer(self, query: str) -> Frame:
        """Run a query over the tables with DuckDB."""
        with failing():
            return self._frame(self._base.sql(query).to_arrow_table())


@overload
def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    spark: "SparkSession | None" = None,
    *,
    frames: Literal["spark"] = "spark",
) -> "Index": ...


@overload
def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    *,
    frames: Literal["pandas"],
    engine: Literal["spark", "local"] | None = None,
) -> "Tables[pd.DataFrame]": ...


@overload
def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    *,
    frames: Literal["polars"],
    engine: Literal["spark", "local"] | None = None,
) -> "Tables[pl.DataFrame]": ...


def index(
    inputs: Inputs,
    out: AnyPath | None = None,
    spark: "SparkSession | None" = None,
    *,
    frames: str = "spark",
    engine: str | None = None,
) -> "Index | Tables[Any]":
    """Index the packets in exports, node recordings and packet tables, which are distinguished by content.

    Args:
        inputs: files and folders.
        out: folder for the tables, summary.json and report.html; created if absent, and brought up to date
            otherwise. On a cluster all workers must share it. None: a temporary folder, which is deleted at
            exit.
        spark: session for Spark frames; None: the active session, or a new local one.
        frames: library of the DataFrames: `spark`, `pandas` or `polars`.
        engine: engine that makes the tables for pandas and Polars frames, `spark` or `local`; None: local.

    Raises:
        FileNotFoundError: an input does not exist.
        ValueError: `frames` or `engine` has an unknown value, or they cannot be combined.
        IndexBusy: another run writes to `out`.
        UnusableFolder: table libraries would misinterpret the name of the folder.
        EngineFailed: the engine failed, or could not be started.
    """
    if frames == "spark":
        if engine not in {None, "spark"}:
            raise ValueError("frames='spark' requires engine 'spark'")
        from pyibc.indexer.spark_frames import index as on_spark

        return on_spark(inputs, out, spark)
    if frames not in _FRAMES:
        raise ValueError(f"frames must be spark, {' or '.join(_FRAMES)}, not {frames!r}")
    if engine not in {None, "spark", "local"} or spark is not None:
        raise ValueError("engine must be 'spark', 'local' or None; a session requires frames='spark'")
    paths, folder = existing(inputs), results_folder(out)
    outcome = run_job(chosen(engine, None, lambda _: None), paths, folder)
    return Tables(folder, outcome, _FRAMES[frames])


def _pandas(table: pa.Table) -> "pd.DataFrame":
    import pandas as pd

    types = {
        pa.int8(): pd.Int8Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
        pa.float64(): pd.Float64Dtype(),
    }
    return table.to_pandas(types_mapper=types.get)


def _polars(table: pa.Table) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(table)


_FRAMES: dict[str, Callable[[pa.Table], Any]] = {"pandas": _pandas, "polars": _polars}
