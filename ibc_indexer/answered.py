"""The index's tables and answers as DataFrames, of whatever library."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from ibc_indexer import answers, table_answers
from ibc_indexer.engines import Dialect
from ibc_indexer.job import Outcome
from ibc_indexer.scan import Skipped
from ibc_indexer.storage.locations import Location

Frame = TypeVar("Frame")


class Answered(ABC, Generic[Frame]):
    """Where every packet is. Each property is read when it is asked for: docs/indexer.md has the columns."""

    def __init__(self, folder: Location, outcome: Outcome, dialect: Dialect) -> None:
        """`folder` holds the results; `dialect` is of who answers queries over them."""
        self.folder = folder
        self._outcome = outcome
        self._dialect = dialect

    @abstractmethod
    def _table(self, name: str) -> Frame:
        """A table of the results."""

    @abstractmethod
    def _answer(self, query: str) -> Frame:
        """A query over the tables, in which they have their names."""

    @property
    @abstractmethod
    def coverage(self) -> Frame:
        """One row a range of heights of a chain: `covered`, or a `gap` whose blocks lack."""

    @property
    def packets(self) -> Frame:
        """One row a packet."""
        return self._table("packets")

    @property
    def transfers(self) -> Frame:
        """One row a transfer of ICS-20; forwarded ones have one `transfer_id` over all hops."""
        return self._table("transfers")

    @property
    def calls(self) -> Frame:
        """One row a call of an interchain account or of GMP: what it asks for, and what became of it."""
        return self._table("calls")

    @property
    def call_messages(self) -> Frame:
        """One row a message that a call carries."""
        return self._table("call_messages")

    @property
    def blocks(self) -> Frame:
        """One row a block."""
        return self._table("blocks")

    @property
    def events(self) -> Frame:
        """One row a packet event as a chain told it."""
        return self._table("events")

    @property
    def transactions(self) -> Frame:
        """One row a transaction, failed ones too."""
        return self._table("transactions")

    @property
    def messages(self) -> Frame:
        """One row a message of a transaction."""
        return self._table("messages")

    @property
    def clients(self) -> Frame:
        """One row a client."""
        return self._table("clients")

    @property
    def channels(self) -> Frame:
        """One row a channel's end."""
        return self._table("channels")

    @property
    def routes(self) -> Frame:
        """One row a channel and direction: packets, their states, percentiles of latency in seconds."""
        return self._answer(answers.channels_query(self._dialect))

    @property
    def volume(self) -> Frame:
        """One row a chain and denomination."""
        return self._answer(answers.volume_query(self._dialect))

    @property
    def relayers(self) -> Frame:
        """One row a relayer: what it received and brought back, its share of all."""
        return self._answer(answers.relayers_query())

    @property
    def relayer_costs(self) -> Frame:
        """One row a relayer, chain and coin."""
        return self._answer(table_answers.relayer_costs_query(self._dialect))

    @property
    def flows(self) -> Frame:
        """One row a pair of chains and coin: transfers by outcome, and the amount that was delivered."""
        keys = ("src_chain", "dst_chain", "src_coin", "base_denom")
        return self._answer(table_answers.flows_query(keys, self._dialect))

    @property
    def hops(self) -> Frame:
        """One row a hop of transfers: percentiles of latency in seconds."""
        return self._answer(table_answers.hops_query(self._dialect))

    @property
    def summary(self) -> dict[str, Any]:
        """Counts by chain and by type of event, as in summary.json."""
        return self._outcome.summary

    @property
    def skipped(self) -> list[Skipped]:
        """Files and blocks that could not be read, with the reason."""
        return [Skipped(**each) for each in self._outcome.summary["skipped"]]

    @property
    def notes(self) -> list[Skipped]:
        """What was decided by guess or not at all, by file."""
        return self._outcome.notes
