"""Definitions of the pipeline's tables."""

from pyspark.sql.pandas.types import from_arrow_type

from pyibc.indexer.bronze.records import EVENT
from pyibc.indexer.packet_table import COLUMNS
from pyibc.indexer.pipeline.delta import Column, Table

_CHAIN = (
    Column("chain", "string", "Chain id"),
    Column("incarnation", "string", "Digest of the first block, if known: tells apart chains with one id"),
)
_BATCH = Column("batch", "string", "Batch that brought the row")
_EVENT_COMMENTS = {
    "type": "Step of the packet: send_packet, recv_packet, write_acknowledgement, acknowledge_packet, "
    "timeout_packet",
    "tx_index": "Transaction in the block, from 0; -1 for events of the block itself",
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

BLOCKS = Table(
    "silver/blocks",
    "Known blocks, one row per chain, incarnation and height",
    (
        *_CHAIN,
        Column("height", "bigint", "Height"),
        Column("time_ns", "bigint", "Block time, unix nanoseconds"),
        Column("digest", "string", "Digest of results and time; equal for records of one block"),
        Column("app_hash", "string", "Application hash in hexadecimal"),
        Column("partial", "boolean", "Whether only some transactions of the block are known"),
        Column("transaction_count", "bigint", "Number of known transactions"),
        Column("file", "string", "Input file"),
        Column("byte_offset", "bigint", "Place of the line in the file, uncompressed"),
        _BATCH,
    ),
    ("chain", "incarnation", "height"),
    ("chain", "height"),
    ("time_ns", "batch"),
)
PACKET_EVENTS = Table(
    "silver/packet_events",
    "Packet events, one row per chain, incarnation, height, transaction and event",
    (
        *_CHAIN,
        Column("height", "bigint", "Height"),
        Column("time_ns", "bigint", "Block time, unix nanoseconds"),
        *(
            Column(
                field.name, from_arrow_type(field.type).simpleString(), _EVENT_COMMENTS.get(field.name, "")
            )
            for field in EVENT
        ),
        _BATCH,
    ),
    ("chain", "incarnation", "height", "tx_index", "event_index", "type"),
    ("path_id", "sequence"),
    ("time_ns", "batch"),
)
REPLACED = Table(
    "silver/replaced_packets",
    "Packets with events in blocks that a better record of the block replaced",
    (Column("path_id", "bigint"), Column("sequence", "bigint"), _BATCH),
)
PROBLEMS = Table(
    "silver/problems",
    "Lines and events that could not be read",
    (*_CHAIN, Column("height", "bigint"), Column("file", "string"), Column("reason", "string"), _BATCH),
)
FACTS = Table(
    "silver/chain_facts",
    "Distinct facts about clients, connections and channels, with the first height of each",
    (
        *_CHAIN,
        *(
            Column(name, "string")
            for name in (
                "type",
                "client",
                "connection",
                "port",
                "channel",
                "other_port",
                "other_channel",
                "other_chain",
                "other_client",
                "account",
            )
        ),
        Column("height", "bigint"),
    ),
)
ENDS = Table(
    "silver/path_ends",
    "Ends of paths: a chain's side of a pair of channels",
    (
        Column("end_id", "bigint"),
        Column("path_id", "bigint"),
        *_CHAIN,
        Column("receiving", "boolean"),
        Column("protocol", "tinyint"),
        *(Column(name, "string") for name in ("src_port", "src_channel", "dst_port", "dst_channel")),
    ),
    ("end_id",),
)
VOTES = Table(
    "silver/pair_votes",
    "Packets that were compared between the chains of a path, as changes by batch",
    (
        Column("path_id", "bigint"),
        Column("sending_end", "bigint"),
        Column("receiving_end", "bigint"),
        Column("agreeing", "bigint", "Change of the number of packets with equal timeouts and data"),
        Column("compared", "bigint", "Change of the number of packets with events of both ends"),
        _BATCH,
    ),
)
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
)
COVERAGE = Table(
    "gold/coverage",
    "Ranges of known heights by chain",
    (
        *_CHAIN,
        Column("first", "bigint"),
        Column("last", "bigint"),
        Column("whole", "boolean", "Whether the blocks are known with all their transactions"),
    ),
    ("chain", "incarnation", "whole", "first"),
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
        Column("moving", "array<bigint>", "Last blocks, gaps and progress of both chains"),
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
    ("route", "sequence"),
    ("src_chain", "dst_chain", "state", "send_time", "path_id"),
)

TABLES = (BLOCKS, PACKET_EVENTS, REPLACED, PROBLEMS, FACTS, ENDS, VOTES, CHAINS, COVERAGE, ROUTES, PACKETS)
"""All tables, in the order in which they are created."""
