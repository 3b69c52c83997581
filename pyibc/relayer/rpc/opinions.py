"""Opinions of a pool's nodes (`pyibc.relayer.chain.second_opinion.Opinions`)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

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


class PoolOpinions(NamedTuple):
    """Opinions of a pool's nodes."""

    chain_id: str
    pool: RpcPool
    query_by: Callable[[Rpc, str, bytes], Json]  # queries one node
    broadcast_by: Callable[[Rpc, bytes], TxOutcome]

    @property
    def speaker(self) -> str:
        """Name of the node that answered or refused the last call of this thread."""
        return self.pool.speaker

    def another(self) -> OtherNode | None:
        """Return a verified node that is not the speaker; None: no other one is in use."""
        node = self.pool.another()
        return None if node is None else self._voice(node)

    def nodes(self) -> Iterator[OtherNode]:
        """Yield all verified nodes."""
        return map(self._voice, self.pool.verified())

    def contradicted(self, name: str, reason: str) -> None:
        """Report a node whose answer turned out to be wrong, and ask it last for a while."""
        self.pool.contradicted(name, reason)

    def differs(self, name: str, reason: str) -> None:
        """Report a node whose answer is another than that of a second node; nothing shows which is wrong."""
        self.pool.differs(name, reason)

    def _voice(self, node: PoolNode) -> OtherNode:
        def query(path: str, request: bytes) -> bytes:
            answer = self.query_by(node.rpc, path, request)
            return read_answer(self.chain_id, path, lambda: read_base64(answer["value"]))

        def get(key: bytes) -> bytes | None:
            return query(STORE_QUERY.format(store=STORE_NAME), key) or None

        def tip() -> Tip:
            answer = node.rpc.call("status")
            return read_answer(self.chain_id, "status", lambda: read_tip(answer["sync_info"]))

        def read_tip(told: Json) -> Tip:
            return Tip(read_integer(told["latest_block_height"]), parse_rfc3339(told["latest_block_time"]))

        return OtherNode(node.name, Query(query), partial(self.broadcast_by, node.rpc), get, tip)
