"""Definitions of the pipeline's tables, and SQL expressions over them.

The structs in `observations` are what a batch of blocks tells about chains.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from pyibc.indexer.bronze.records import CONTENTS, EVENT
from pyibc.indexer.pipeline.lake import Column, Table
from pyibc.indexer.results.hours import AGGREGATES
from pyibc.indexer.results.packets import COLUMNS

CHAIN_KEY = "chain || coalesce(' ' || incarnation, '')"
"""SQL expression: chain and incarnation as one text, that of a `ChainKey`."""
_CHAIN = (
    Column("chain", "string", "Chain id"),
    Column("incarnation", "string", "Digest of the first block, if known: tells apart chains with one id"),
)
_BATCH = Column("batch", "string", "Batch that brought the row")
_TX = Column(
    "tx", "string", "The transaction, or step of a packet, if the row is of a single one; else empty"
)
_EVENT_COMMENTS = {
    "type": "Step of the packet: send_packet, recv_packet, write_acknowledgement, acknowledge_packet, "
    "timeout_packet",
    "tx_index": "Transaction in the block, from 0, or 0 if `tx` names it; -1 for events of the block itself",
    "event_index": "Event in the transaction, from 0",
    "protocol": "0: queues; 1: channels; 2: IBC v2",
    "timeout_ns": "Timeout, unix nanoseconds; 0: none",
    "data_digest": "64 bits of the SHA-256 of the packet data",
    "kind": "Number of the type, in the order of a packet's life",
    "path_id": "Hash of protocol, ports and channels",
    "end_id": "Hash of the path, the chain and its side",
    "receiving": "Whether the event is of the receiving chain",
    "ack": "success, error or opaque",
    "detail": "Text of an error acknowledgement",
}

_CONTENT_COMMENTS = {
    "transactions": "Transactions, those that failed too",
    "messages": "Messages of the transactions",
    "facts": "What events tell about clients, connections and channels",
    "transfers": "ICS-20 transfers in packet events",
    "forwards": "Packets that forward what another packet brought, or send it again",
    "calls": "Calls of interchain accounts and GMP in packet events",
    "call_messages": "Messages of these calls",
}
_HOUR_COMMENTS = {
    "packets": "Packets that are not in flight, by channel, state and latency",
    "relayed": "What relayers did with packets that are not in flight, by channel",
    "coins": "Amounts in packets that are not in flight, by sending chain and denom",
    "transfers": "Transfers by coin and outcome; of forwarded packets with the packet and its latencies",
    "hops": "Latencies of transfers that were not forwarded, rounded up to three digits",
    "forwards": "Packets that forward what another packet brought, or send it again",
    "transactions": "Transactions by chain, and those with relay messages by signer and fee",
    "facts": "What events tell about clients, connections and channels; of a client's updates the last ones",
    "ends": "Channel ends in packet events, with their last height in the hour",
    "events": "Packet events by type",
}
_SQL_TYPES = {
    pa.string(): "string",
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int32(): "int",
    pa.int64(): "bigint",
}
REPLACED = Table(
    "silver/replaced_packets",
    "Packets with events in blocks that a better record of the block replaced, and these blocks",
    (
        Column("path_id", "bigint", "Null: the row is of a block"),
        Column("sequence", "bigint"),
        _BATCH,
        Column("time_ns", "bigint", "Time of the block that was replaced, unix nanoseconds"),
    ),
)
PROBLEMS = Table(
    "silver/problems",
    "Lines and events that could not be read",
    (
        *_CHAIN,
        Column("height", "bigint"),
        _TX,
        Column("file", "string"),
        Column("reason", "string"),
        _BATCH,
    ),
)
INCARNATIONS = Table(
    "silver/incarnations",
    "Blocks that have another incarnation in the tables than in their lines: who names what, and the files "
    "of the last batch in which incarnations had to be told apart",
    (
        Column("chain", "string", "Chain id"),
        Column("told", "string", "Incarnation that the lines name; empty if none"),
        Column("file", "string", "Input file; null: any"),
        Column("since_ns", "bigint", "Block time from which it is, if the file has several chains of the id"),
        Column("incarnation", "string", "Incarnation in the tables; empty: the plain chain"),
        _BATCH,
    ),
)
FACT = dict.fromkeys(
    (
        *("type", "client", "connection", "port", "channel", "other_port", "other_channel"),
        *("other_chain", "other_client", "account"),
    ),
    "string",
) | {"height": "bigint"}
"""Columns of a fact about a client, connection or channel, and their types."""
_TYPES = {int: "bigint", int | None: "bigint", bool: "boolean", bool | None: "boolean", str | None: "string"}
CHAINS = Table(
    "gold/chains",
    "Chains with their known blocks and lineages; those that no other chain continues with the progress of "
    "their lineage",
    (
        Column(
            "chain", "string", "Name in the tables: the chain id, with the incarnation if there are several"
        ),
        Column(
            "lineage", "string", "Last of the chains that continue each other, by which packets are named"
        ),
        Column("chain_id", "string"),
        Column("revision", "bigint"),
        Column("incarnation", "string"),
        Column("first_height", "bigint", "First known height"),
        Column("last_height", "bigint", "Last known height"),
        Column("first_time", "timestamp", "Earliest block time"),
        Column("last_time", "timestamp", "Latest block time"),
        Column("known_by", "string", "Evidence that it continues another chain: packets, client, registry"),
        Column("since_height", "bigint", "First height after the chain that it continues"),
        Column("height_base", "bigint", "What its heights are raised by, to be above those of older chains"),
        Column("height", "bigint", "Last known height of the lineage"),
        Column("time_ns", "bigint", "Time of the last known block, unix nanoseconds"),
        Column("missing", "bigint", "Heights of the lineage below the last one that are not known"),
        Column(
            "last_missing",
            "bigint",
            "Highest of them, counted on over chains whose heights restarted; 0: none",
        ),
        Column("overdue_ns", "bigint", "Time since which the lineage made blocks for an hour"),
        Column("whole_ns", "bigint", "Time since which all blocks are known; 0: since the first block"),
        Column("first_ns", "bigint", "`first_time`, unix nanoseconds"),
        Column("last_ns", "bigint", "`last_time`, unix nanoseconds"),
    ),
    ("chain",),
    retention="1 hour",  # each batch writes it anew
)
ROUTES = Table(
    "gold/routes",
    "Routes: the direction of packets from one end of a path to its counterparty",
    (
        Column("route", "string", "First part of `packet_id`"),
        Column("src_chain", "string"),
        Column("dst_chain", "string"),
        Column("protocol", "tinyint"),
        *(Column(name, "string") for name in ("src_port", "src_channel", "dst_port", "dst_channel")),
        Column("src_known_by", "string"),
        Column("dst_known_by", "string"),
        Column("account", "string", "Interchain account that executes the packets"),
        Column("ends", "array<bigint>", "Ends of its path, those of older chains of a lineage first"),
    ),
    ("route",),
)
PACKETS = Table(
    "gold/packets",
    "One row per packet",
    (
        *(Column(name, kind) for name, kind in COLUMNS),
        Column("route", "string", "Route of the packet (`routes`)"),
        Column("path_id", "bigint", "Hash of protocol, ports and channels"),
    ),
    ("packet_id",),
    partitioned_by=("in_flight",),  # a batch rewrites files of packets in flight, and few of the others
    filtered=("route", "sequence", "src_chain", "dst_chain", "state", "send_time", "path_id"),
    sorted_by=("send_time",),  # a batch reads those of some hours
)
HOURS = Table(
    "gold/hours",
    "Aggregates by hour; a row has one of them, beside its number",
    (
        Column("week", "int", "Weeks since 1970; -1: time not known"),
        Column("hour_ns", "bigint", "Beginning of the hour, unix nanoseconds; -1: time not known"),
        Column("n", "bigint", "Number of items with the same values in all columns"),
        *(
            Column(
                one.name,
                f"struct<{','.join(f'{name}:{kind}' for name, kind in one.columns)}>",
                _HOUR_COMMENTS[one.name],
            )
            for one in AGGREGATES
        ),
        Column("batch", "string", "Batch that computed the hour"),
    ),
    filtered=("hour_ns",),
    partitioned_by=("week",),  # a batch writes weeks with hours that change
    feeds_changes=False,  # it would have all hours of these weeks
    retention="1 hour",
    is_rebuilt=True,
)


class BlockRange(NamedTuple):
    """Range of known heights."""

    first: int
    last: int
    first_ns: int | None  # earliest and latest block time, of the chain at least
    last_ns: int | None
    whole: bool | None  # with all transactions; None: lines that cannot be read


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


def type_of(of: pa.DataType) -> str:
    """Return an Arrow type as a type of Spark SQL, without PySpark."""
    # recursion: as deep as the types of the tables, which are defined here
    if pa.types.is_struct(of):
        return f"struct<{','.join(f'{field.name}:{type_of(field.type)}' for field in of)}>"
    if pa.types.is_list(of):
        return f"array<{type_of(of.value_type)}>"
    return _SQL_TYPES[of]


BLOCKS = Table(
    "silver/blocks",
    "Known blocks, one row per chain, incarnation and height, or per transaction or packet step of one",
    (
        *_CHAIN,
        Column("height", "bigint", "Height"),
        Column("time_ns", "bigint", "Block time, unix nanoseconds"),
        Column("digest", "string", "Digest of results and time; equal for records of one block"),
        Column("rank", "string", "Order among records of one block or transaction: the lowest is kept"),
        Column("app_hash", "string", "Application hash in hexadecimal"),
        Column("partial", "boolean", "Whether only some transactions of the block are known"),
        _TX,
        Column("tx_number", "int", "Place of this transaction among the known ones of its line"),
        Column("transaction_count", "bigint", "Number of known transactions"),
        Column("file", "string", "Input file"),
        Column("byte_offset", "bigint", "Place of the line in the file, uncompressed"),
        *(Column(name, type_of(pa.list_(of)), _CONTENT_COMMENTS[name]) for name, of in CONTENTS.items()),
        _BATCH,
    ),
    ("chain", "incarnation", "height", "tx"),
    filtered=("time_ns", "batch"),
    group_rows=4096,  # with all that is in them
)
PACKET_EVENTS = Table(
    "silver/packet_events",
    "Packet events, one row per chain, incarnation, height, transaction and event",
    (
        *_CHAIN,
        Column("height", "bigint", "Height"),
        Column("time_ns", "bigint", "Block time, unix nanoseconds"),
        _TX,
        *(Column(field.name, type_of(field.type), _EVENT_COMMENTS.get(field.name, "")) for field in EVENT),
        _BATCH,
    ),
    ("chain", "incarnation", "height", "tx", "tx_index", "event_index", "type"),
    filtered=("path_id", "sequence", "time_ns", "batch"),
)


def _struct(columns: Mapping[str, Any]) -> str:
    return f"struct<{','.join(f'{name}:{_TYPES.get(kind, kind)}' for name, kind in columns.items())}>"


OBSERVATIONS = Table(
    "silver/observations",
    "What each batch tells about chains; a row has one of blocks, path_end, fact and votes",
    (
        *_CHAIN,
        Column(
            "blocks",
            _struct(BlockRange.__annotations__),
            "Range of known heights; whole: with all transactions; null: lines that cannot be read",
        ),
        Column(
            "path_end",
            _struct(PathEnd.__annotations__ | {"protocol": "tinyint"}),
            "End of a path: the chain's side of a pair of channels",
        ),
        Column(
            "fact",
            _struct(FACT),
            "Distinct fact about a client, connection or channel",
        ),
        Column(
            "votes",
            _struct(Vote.__annotations__),
            "Packets with events of both ends of a path that were compared; rows are added up",
        ),
        _BATCH,
    ),
    filtered=("batch",),
)

TABLES = (BLOCKS, PACKET_EVENTS, PROBLEMS, OBSERVATIONS, CHAINS, ROUTES, PACKETS, HOURS)
"""Tables that a stream creates at its start."""
OPTIONAL = (REPLACED, INCARNATIONS)
"""Tables that batches create when they are needed."""
