"""A CometBFT node, accessed through its JSON-RPC."""

import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import TypeVar

from light_client.tendermint.codec import block_id_to, commit_to, header_to
from light_client.tendermint.comet_json import read_block_id, read_commit, read_header, read_validators
from light_client.tendermint.types import Validator
from localnet.grpc.view import FoundTxs, ViewedBlock, ViewedTx
from pyibc.codec.comet_json import Json, read_base64, read_integer
from pyibc.core.comet import read_node_info, read_tx_result, read_txs
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import TxOutcome
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from pyibc.proto.tendermint.types import block_pb2, evidence_pb2, types_pb2
from pyibc.relayer.errors import EndpointRefused, MalformedAnswer
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig

_T = TypeVar("_T")
_PER_PAGE = 100
_MAX_VALIDATORS = 10_000
_KEPT_S = 3.0
"""Seconds for which an idle connection is reused; CometBFT closes it after 10 s."""


class CometView:
    """A CometBFT node. Retains as many connections as there were concurrent callers, until `close`.

    Args:
        url: URL of the JSON-RPC, `http://host:port` or `tcp://host:port`.
        config: Timeout and retries.
    """

    def __init__(self, url: str, config: RpcConfig = RpcConfig(attempts=1)) -> None:  # noqa: B008 - a value
        HttpRpc(url).close()  # raises for an invalid URL
        self._url = url
        self._config = config
        self._idle: list[tuple[HttpRpc, float]] = []
        self._lock = Lock()
        self._closed = False

    def close(self) -> None:
        """Close idle connections; those in use are closed after their call."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop()[0].close()

    def node_info(self) -> DefaultNodeInfo:
        """Return the `node_info` of `status`."""
        return self._ask("status", lambda said: read_node_info(said["node_info"]))

    def latest(self) -> int:
        """Return the height of the last block."""
        return self._ask("status", lambda said: read_integer(said["sync_info"]["latest_block_height"]))

    def earliest(self) -> int:
        """Return the height of the first block that has not been pruned."""
        return self._ask("status", lambda said: read_integer(said["sync_info"]["earliest_block_height"]))

    def syncing(self) -> bool:
        """Return whether the node is catching up."""
        return self._ask("status", lambda said: bool(said["sync_info"]["catching_up"]))

    def block(self, height: int) -> ViewedBlock:
        """Return the node's block at `height`; raise EndpointRefused."""
        return self._ask("block", _block, height=str(height))

    def validators(self, height: int) -> Sequence[Validator]:
        """Return the validator set of a block; raise EndpointRefused if CometBFT does not have it."""
        found: list[Validator] = []
        for page in range(1, _MAX_VALIDATORS // _PER_PAGE + 1):
            members, total = self._ask(
                "validators", _members, height=str(height), page=str(page), per_page=str(_PER_PAGE)
            )
            found += members
            if not members or len(found) >= total:
                break
        return found

    def tx(self, digest: bytes) -> ViewedTx | None:
        """Return the transaction with this hash, or None if CometBFT has not indexed it."""
        try:
            return self._ask("tx", _tx, hash=b64encode(digest).decode(), prove=False)
        except EndpointRefused as error:
            if "not found" in error.reason:
                return None
            raise

    def search(self, query: str, page: int, limit: int, *, descending: bool) -> FoundTxs:
        """Return a page of matching transactions; any query of CometBFT's query language is supported.

        Raises:
            InvalidRequest: CometBFT rejects the query, or the page is out of range.
        """
        size, order = min(limit, _PER_PAGE), "desc" if descending else "asc"
        try:
            return self._ask(
                "tx_search",
                _found,
                query=query,
                prove=False,
                page=str(page),
                per_page=str(size),
                order_by=order,
            )
        except EndpointRefused as error:
            raise InvalidRequest(error.reason) from error

    def broadcast(self, raw: bytes) -> TxOutcome:
        """Submit a transaction; return the result of CheckTx. Errors before CheckTx have the SDK's codes."""
        try:
            return self._ask("broadcast_tx_sync", partial(read_tx_result, raw), tx=b64encode(raw).decode())
        except EndpointRefused as error:
            code = next((code for words, code in _MEMPOOL.items() if words in error.reason), None)
            if code is None:
                raise
            return TxOutcome(raw, code, "sdk", (), 0, 0, log=error.reason)

    def _ask(self, name: str, read: Callable[[Json], _T], **params: object) -> _T:
        """Call a method and read its answer; raise MalformedAnswer, and EndpointError as `HttpRpc.call`."""
        rpc = self._connection()
        try:
            said = rpc.call(name, **params)
        finally:
            with self._lock:
                if self._closed:
                    rpc.close()
                else:
                    self._idle.append((rpc, time.monotonic()))
        try:
            return read(said)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"{type(error).__name__} {error}"[:200]
            raise MalformedAnswer(self._url, name, reason) from error

    def _connection(self) -> HttpRpc:
        """Return an unused connection; one that was idle too long is closed and reconnects on use."""
        with self._lock:
            if not self._idle:
                return HttpRpc(self._url, self._config)
            rpc, since = self._idle.pop()
        if time.monotonic() - since > _KEPT_S:
            rpc.close()
        return rpc


_MEMPOOL = {"tx already exists in cache": 19, "mempool is full": 20, "tx too large": 21}
"""CometBFT's errors before CheckTx, and the SDK's codes for them (client/broadcast.go)."""


def _block(said: Json) -> ViewedBlock:
    block, header = said["block"], read_header(said["block"]["header"])
    message = block_pb2.Block(
        header=header_to(header),
        data=types_pb2.Data(txs=read_txs(said)),
        evidence=evidence_pb2.EvidenceList(),  # evidence has another form in JSON and is not needed
        last_commit=commit_to(read_commit(block["last_commit"])) if block["last_commit"] else None,
    )
    return ViewedBlock(block_id_to(read_block_id(said["block_id"])), message, header.time_ns)


def _members(said: Json) -> tuple[tuple[Validator, ...], int]:
    return read_validators(said["validators"]), read_integer(said["total"])


def _tx(said: Json) -> ViewedTx:
    raw = read_base64(said["tx"])
    return ViewedTx(read_integer(said["height"]), read_tx_result(raw, said["tx_result"]))


def _found(said: Json) -> FoundTxs:
    return FoundTxs([_tx(each) for each in said["txs"]], read_integer(said["total_count"]))
