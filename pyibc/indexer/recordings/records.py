"""Records of a block: its header, its results."""

from typing import Any, NamedTuple

from pyibc.core.host.block import Event
from pyibc.indexer.blocks import Tx
from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.recordings.fields import base64_bytes, items, positive, table, text, time_ns


class Header(NamedTuple):
    """Header of a block, with its transactions if the recording has them."""

    chain_id: str
    height: int
    time_ns: int
    txs: tuple[bytes, ...] | None  # None: not in the recording


class Results(NamedTuple):
    """Results of a block, which contain neither a chain id nor transaction hashes."""

    height: int
    txs: tuple[Tx, ...]
    block_events: tuple[Event, ...]
    header: Header | None = None  # in the same message
    partial: bool = False  # the results of the transactions are in other messages
    left_out: int = 0  # attributes that are not text


def header_of(found: dict[str, Any], txs: tuple[bytes, ...] | None = None) -> Header:
    """Decode the header in the field `header`.

    Raises:
        MalformedRecording: a field is missing or malformed.
    """
    header = table(found, "header", "a block")
    chain_id = text(header, "chain_id", "a header")
    if not chain_id or chain_id.split() != [chain_id]:
        raise MalformedRecording("a header without a valid chain_id")
    return Header(
        chain_id, positive(header, "height", "a header"), time_ns(header.get("time"), "a header"), txs
    )


def header_of_block(block: dict[str, Any]) -> Header:
    """Decode a block: its header and transactions.

    Raises:
        MalformedRecording: a field is missing or malformed.
    """
    data = table(block, "data", "a block")
    txs = items({"txs": data.get("txs")}, "txs", "a block")
    return header_of(block, tuple(base64_bytes(tx, "a transaction of a block") for tx in txs))
