"""Rows of the table `observations`: what a batch of blocks tells about chains."""

from typing import Any, NamedTuple


class Batch(NamedTuple):
    """Batch of the stream."""

    writer: str  # of the stream; other streams may have batches with the same numbers
    number: int

    @property
    def name(self) -> str:
        """Name in the column `batch`."""
        return f"{self.writer}-{self.number:010d}"


class BlockRange(NamedTuple):
    """Range of known heights."""

    first: int
    last: int
    first_ns: int | None  # earliest and latest block time, of the chain at least
    last_ns: int | None
    whole: bool  # with all transactions


class PathEnd(NamedTuple):
    """End of a path: one chain's side of a pair of channels."""

    end_id: int
    path_id: int
    receiving: bool
    protocol: int
    src_port: str | None
    src_channel: str | None
    dst_port: str | None
    dst_channel: str | None


class Vote(NamedTuple):
    """Packets of a path that were compared between two ends, as a change by a batch."""

    path_id: int
    sending_end: int
    receiving_end: int
    agreeing: int  # change of the number of packets with equal timeouts and data
    compared: int  # change of the number of packets with events of both ends


class Observation(NamedTuple):
    """Row of the table. One of the last four fields is not null; it may be a row of Spark."""

    chain: str | None = None
    incarnation: str | None = None
    blocks: BlockRange | Any = None
    path_end: PathEnd | Any = None
    fact: Any = None  # with the columns `tables.FACT`
    votes: Vote | Any = None
