"""Tables and queries of the index as DataFrames, independent of the DataFrame library."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from pyibc.indexer import answers, table_answers
from pyibc.indexer.contracts import CONTRACTS
from pyibc.indexer.engines import Dialect
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.problems import Skipped

Frame = TypeVar("Frame")


class IndexFrames(ABC, Generic[Frame]):
    """Index of packets as DataFrames, read on access. docs/indexer-reference.md lists the columns."""

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
