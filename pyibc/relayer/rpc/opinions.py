"""Opinions of a pool's nodes (`pyibc.relayer.chain.second_opinion.Opinions`)."""

from collections.abc import Callable, Iterator
from functools import partial

from pyibc.codec.comet_json import Json, read_base64, read_integer
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.host.block import TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.second_opinion import OtherNode
from pyibc.relayer.chain.values import Query, Tip
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.pool import RpcPool
from pyibc.relayer.rpc.pool_node import PoolNode
from pyibc.relayer.rpc.proofs import STORE_QUERY
from pyibc.relayer.rpc.reading import read_answer


class PoolOpinions:
    """Opinions of a pool's nodes."""

    def __init__(
        self,
        chain_id: str,
        pool: RpcPool,
        query_by: Callable[[Rpc, str, bytes], Json],
        broadcast_by: Callable[[Rpc, bytes], TxOutcome],
    ) -> None:
        """Set the functions that query one node, and broadcast by it."""
        self._chain_id = chain_id
        self._pool = pool
        self._query_by = query_by
        self._broadcast_by = broadcast_by

    @property
    def speaker(self) -> str:
        """Name of the node that answered or refused the last call of this thread."""
        return self._pool.speaker

    def another(self) -> OtherNode | None:
        """Return a verified node that is not the speaker; None: no other one is in use."""
        node = self._pool.another()
        return None if node is None else self._voice(node)

    def nodes(self) -> Iterator[OtherNode]:
        """Yield all verified nodes."""
        return map(self._voice, self._pool.verified())

    def contradicted(self, name: str, reason: str) -> None:
        """Report a node whose answer turned out to be wrong, and ask it last for a while."""
        self._pool.contradicted(name, reason)

    def differs(self, name: str, reason: str) -> None:
        """Report a node whose answer is another than that of a second node; nothing shows which is wrong."""
        self._pool.differs(name, reason)

    def _voice(self, node: PoolNode) -> OtherNode:
        def query(path: str, request: bytes) -> bytes:
            answer = self._query_by(node.rpc, path, request)
            return read_answer(self._chain_id, path, lambda: read_base64(answer["value"]))

        def get(key: bytes) -> bytes | None:
            return query(STORE_QUERY.format(store=STORE_NAME), key) or None

        def tip() -> Tip:
            answer = node.rpc.call("status")
            return read_answer(self._chain_id, "status", lambda: _tip(answer["sync_info"]))

        return OtherNode(node.name, Query(query), partial(self._broadcast_by, node.rpc), get, tip)


def _tip(told: Json) -> Tip:
    return Tip(read_integer(told["latest_block_height"]), parse_rfc3339(told["latest_block_time"]))
