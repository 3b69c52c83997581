"""Node of a pool: its state, and the notices about it."""

from enum import Enum
from typing import NamedTuple

from pyibc.relayer.chain.compact_results import CompactResults
from pyibc.relayer.rpc.calls import Rpc

JSON_ONLY = CompactResults(frozenset(), enabled=False)


class Happening(Enum):
    """Kind of a node event."""

    DOWN = "down"
    BACK = "back"
    DROPPED = "dropped"
    MALFORMED = "malformed"  # a response could not be decoded; the node is tried last for a while
    DIFFERS = "differs"  # results, which no header covers, differ between nodes


class Notice(NamedTuple):
    """Node event for the operator."""

    chain_id: str
    node: str
    happening: Happening
    reason: str


class NoticeLimit(NamedTuple):
    """Rate limit of one kind of notice about one node."""

    until: float  # by the pool's clock
    suppressed: int  # notices suppressed since the last one


class PoolNode:
    """Node of a pool; only the pool changes its fields."""

    def __init__(self, name: str, rpc: Rpc, compact: CompactResults = JSON_ONLY) -> None:
        """Create a node that is not verified yet.

        Args:
            name: the name in notices and errors.
            rpc: the client of the node.
            compact: the encoding of block results to compare, the same that the relayer reads.
        """
        self.name = name
        self.rpc = rpc
        self.compact = compact
        self.height = 0  # the last one that it reported
        self.retry_at = 0.0  # end of the backoff, by the pool's clock
        self.backoff = 1.0  # next backoff, seconds
        self.deprioritized_until = 0.0  # tried last until then, by the pool's clock
        self.verified = False
        self.dropped = ""  # reason why it was dropped for good
        self.problem = ""  # reason of the current outage
        self.notice_limits = {happening: NoticeLimit(0.0, 0) for happening in Happening}
