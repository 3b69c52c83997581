"""Lookup of a transaction by its hash in a node's transaction index."""

import re
from typing import NamedTuple

from pyibc.codec.comet_json import Json, read_base64, read_integer, write_base64, write_hex
from pyibc.core.comet.results import read_tx_result
from pyibc.core.host.block import TxOutcome, tx_hash
from pyibc.relayer.errors import EndpointRefused
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
