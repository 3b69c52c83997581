"""Lookup of a transaction by its hash in a node's transaction index."""

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pyibc.codec.comet_json import Json, read_base64, read_integer, write_base64, write_hex
from pyibc.core.comet import read_tx_result
from pyibc.core.host.block import TxOutcome, tx_hash
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.packets.packets import EventKey
from pyibc.relayer.paths.path import EndName
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.reading import read_answer

_ABSENT = re.compile(r"tx \([0-9a-fA-F]+\) not found").search
"""CometBFT's refusal for a hash that its index does not have; unlike "Method not found" of another server."""


class FoundTx(NamedTuple):
    """Transaction in a block."""

    height: int
    outcome: TxOutcome


def find_tx(rpc: Rpc, chain_id: str, digest: bytes) -> FoundTx | None:
    """Return the transaction with the hash `digest`; None: the node's index does not have it.

    Args:
        rpc: the node.
        chain_id: the chain id, for errors.
        digest: SHA-256 of the transaction.

    Raises:
        EndpointUnavailable: the node does not answer.
        EndpointRefused: the node has no transaction index.
        MalformedAnswer: the response cannot be decoded, or is another transaction.
    """
    try:
        answer = rpc.call("tx", hash=write_base64(digest))
    except EndpointRefused as error:
        if _ABSENT(error.reason):
            return None
        raise

    return read_answer(chain_id, "tx", lambda: _read(answer, digest), rpc.report_malformed)


def _read(answer: Json, digest: bytes) -> FoundTx:
    raw = read_base64(answer["tx"])
    # guard: another-transaction-is-shown drop test_a_transaction_with_another_hash_is_malformed
    if tx_hash(raw) != digest:
        raise ValueError(f"the transaction has hash {write_hex(tx_hash(raw))}")
    return FoundTx(read_integer(answer["height"]), read_tx_result(raw, answer["tx_result"]))


# -- search for packet events in a node's event index, which saves reading blocks one by one

_SEARCHES: tuple[tuple[str, Callable[[Json], list[int]]], ...] = (
    ("tx_search", lambda result: [read_integer(each["height"]) for each in result["txs"] or ()]),
    (
        "block_search",
        lambda result: [read_integer(each["block"]["header"]["height"]) for each in result["blocks"] or ()],
    ),
)

_CLIENTS = ("packet_source_client",), ("packet_dest_client",)
_CHANNELS = ("packet_src_port", "packet_src_channel"), ("packet_dst_port", "packet_dst_channel")
"""Attributes with the source and destination end of a packet."""


def find_event(rpc: Rpc, chain_id: str, key: EventKey, to: EndName = ()) -> int | None:
    """Return the height of the first indexed block with the packet event; None: not found, or no index.

    `to` is the destination end, empty for any.

    The height is a hint: the caller reads the block, and checks the event against state.

    Raises:
        EndpointUnavailable, MalformedAnswer: no response, or one that cannot be decoded.
    """
    kind, end, sequence = key
    names, far_names = _CLIENTS if len(end) == 1 else _CHANNELS
    pairs = [*zip(names, end, strict=True), ("packet_sequence", str(sequence))]
    # guard: packets-of-other-chains-are-found drop
    #   test_a_packet_of_another_chain_with_the_same_source_end_and_sequence_is_not_taken_for_it
    if to:
        pairs += zip(far_names, to, strict=True)
    query = " AND ".join(f"{kind}.{name}='{value}'" for name, value in pairs)
    for method, heights in _SEARCHES:
        try:
            result = rpc.call(method, query=query, page="1", per_page="1", order_by="asc")
        except EndpointRefused:  # this index is disabled
            continue
        found = read_answer(chain_id, method, partial(heights, result), rpc.report_malformed)
        if found:
            return found[0]
    return None
