"""The index as Spark DataFrames, for notebooks and programs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from ibc_indexer import answers, table_answers
from ibc_indexer.coverage import told
from ibc_indexer.given import AnyPath, existing, results_folder
from ibc_indexer.job import Outcome
from ibc_indexer.job import index as run_job
from ibc_indexer.scan import Skipped
from ibc_indexer.session import open_session
from ibc_indexer.source import IbcDataSource
from ibc_indexer.spark_engine import DIALECT, on_spark


class Index:
    """Where every packet is. The frames are lazy: Spark reads when they are used."""

    def __init__(self, spark: SparkSession, folder: Path, outcome: Outcome) -> None:
        """`folder` holds the results."""
        self.spark = spark
        self.folder = folder
        self._outcome = outcome

    @property
    def packets(self) -> DataFrame:
        """One row a packet (docs/indexer.md lists the columns of this and the next tables)."""
        return self._table("packets")

    @property
    def transfers(self) -> DataFrame:
        """One row a transfer of ICS-20; forwarded ones have one `transfer_id` over all hops."""
        return self._table("transfers")

    @property
    def transactions(self) -> DataFrame:
        """One row a transaction, failed ones too: fee, gas, memo, signer."""
        return self._table("transactions")

    @property
    def messages(self) -> DataFrame:
        """One row a message of a transaction."""
        return self._table("messages")

    @property
    def clients(self) -> DataFrame:
        """One row a client: the chain it claims to be of, its last update, when it expires."""
        return self._table("clients")

    @property
    def channels(self) -> DataFrame:
        """One row a channel's end: its state, connection, client, and the chain at the other end."""
        return self._table("channels")

    @property
    def events(self) -> DataFrame:
        """One row a packet event, as a chain told it."""
        return self._table("events")

    @property
    def blocks(self) -> DataFrame:
        """One row a block of which anything is known."""
        return self._table("blocks")

    @property
    def routes(self) -> DataFrame:
        """One row a channel and direction: packets, their states, percentiles of latency in seconds."""
        return self._frame(answers.channels_query(DIALECT))

    @property
    def volume(self) -> DataFrame:
        """One row a chain and denomination: what was delivered and what was attempted."""
        return self._frame(answers.volume_query(DIALECT))

    @property
    def relayers(self) -> DataFrame:
        """One row a relayer: packets received, packets brought back, its share of all."""
        return self._frame(answers.relayers_query())

    def _frame(self, query: str) -> DataFrame:
        return self.spark.sql(query, packets=self.packets)

    @property
    def relayer_costs(self) -> DataFrame:
        """One row a relayer, chain and coin: its transactions, those that failed or did nothing, its fees."""
        return self.spark.sql(table_answers.relayer_costs_query(DIALECT), transactions=self.transactions)

    @property
    def coverage(self) -> DataFrame:
        """One row a range of heights of a chain: `covered`, or a `gap` whose blocks lack."""
        rows = told(self._outcome.coverage)
        ddl = "chain string, incarnation string, first bigint, last bigint, kind string"
        return self.spark.createDataFrame(rows, ddl)

    @property
    def summary(self) -> dict[str, Any]:
        """Counts by chain and by type of event, as in summary.json (docs/indexer.md)."""
        return self._outcome.summary

    @property
    def skipped(self) -> list[Skipped]:
        """Files and blocks that could not be read, with the reason."""
        return [Skipped(**each) for each in self._outcome.summary["skipped"]]

    @property
    def notes(self) -> list[Skipped]:
        """What was decided by guess or not at all, by file."""
        return self._outcome.notes

    def _table(self, name: str) -> DataFrame:
        return self.spark.read.parquet(str(self.folder / name))


def index(
    inputs: AnyPath | Iterable[AnyPath], out: AnyPath | None = None, spark: SparkSession | None = None
) -> Index:
    """`pyibc.index` with Spark's frames; its arguments and errors are there (`typed.py`)."""
    paths, folder = existing(inputs), results_folder(out)
    session = spark or SparkSession.getActiveSession() or open_session()
    session.dataSource.register(IbcDataSource)
    return Index(session, folder, run_job(on_spark(session), paths, folder))
