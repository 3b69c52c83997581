"""Node of a pool: its state, and the notices about it."""

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from pyibc.relayer.rpc.calls import Rpc

if TYPE_CHECKING:  # loaded by `RpcConfig` alone, which can leave them out
    from pyibc.relayer.rpc.node_queries import CompactResults

FIRST_DROP_S, LONGEST_DROP_S = 60.0, 3600.0
"""Time until a dropped node is judged again, seconds; it doubles with each new drop."""

FORGIVEN_S = 3600.0
"""Time in use after which the duration of the next drop is halved, seconds."""


class Happening(Enum):
    """Kind of a node event."""

    DOWN = "down"
    BACK = "back"
    DROPPED = "dropped"
    MALFORMED = "malformed"  # a response could not be decoded; the node is tried last for a while
    DIFFERS = "differs"  # results, which no header covers, differ between nodes
    CONTRADICTED = "contradicted"  # the chain did otherwise than the node foretold; it is tried last


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


class NodeState(Enum):
    """State of a node."""

    NEW = "not asked yet"
    IN_USE = "in use"
    LAST = "asked last"  # after an answer that could not be decoded, or a height that it did not have
    DOWN = "down"
    DROPPED = "dropped"  # asked for nothing until it is judged again


class NodeStatus(NamedTuple):
    """State of a node for the operator; times are Unix seconds."""

    node: str  # scheme, host and port
    state: NodeState
    since_s: float
    reason: str
    height: int  # the last one that it reported; 0: none
    next_s: float  # when it is asked or judged again, or is no longer asked last; 0: it is in use


class PoolNode:
    """Node of a pool; only the pool changes its fields. Times are by the pool's clock."""

    def __init__(
        self,
        name: str,
        rpc: Rpc,
        unread: frozenset[str] = frozenset(),
        compact: "CompactResults | None" = None,
    ) -> None:
        """Create a node that is not verified yet.

        Args:
            name: the name in notices and errors.
            rpc: the client of the node.
            unread: event types that are not compared, since the relayer does not read them.
            compact: the query of block results to compare, the same that the relayer reads; None: JSON.
        """
        self.name = name
        self.rpc = rpc
        self.unread = unread
        self.compact = compact
        self.renew(0.0)

    def renew(self, now: float) -> None:
        """Forget all that is known of the node."""
        self.height = 0  # the last one that it reported
        self.retry_at = 0.0  # end of the backoff
        self.backoff = 1.0  # next backoff, seconds
        self.deprioritized_until = 0.0  # tried last until then
        self.doubt = ""  # reason of that
        self.verified = False
        self.dropped = ""  # reason why it was dropped
        self.is_disproved = False  # its blocks contradict others, or its own
        self.judged_at = 0.0  # when a dropped node is judged again
        self.drop_s = FIRST_DROP_S  # duration of the next drop
        self.problem = ""  # reason of the current outage
        self.since = now  # of its state
        self.notice_limits = {happening: NoticeLimit(0.0, 0) for happening in Happening}

    def record_drop(self, reason: str, now: float, *, disproved: bool) -> bool:
        """Record a drop; return whether it is a new one, not a judgement before its time that failed."""
        is_new = not self.dropped or now >= self.judged_at
        if not self.dropped:
            # guard: a-drop-is-never-forgiven drop test_good_behaviour_shortens_the_next_drop
            self.drop_s = max(FIRST_DROP_S, self.drop_s / 2.0 ** min(64, (now - self.since) // FORGIVEN_S))
            self.since = now
        # guard: each-failed-judgement-is-a-drop always test_while_all_are_dropped_no_drop_gets_longer
        if is_new:
            self.judged_at = now + self.drop_s
            self.drop_s = min(2 * self.drop_s, LONGEST_DROP_S)
        self.dropped, self.is_disproved, self.verified, self.problem = reason, disproved, False, ""
        self.height, self.retry_at = 0, 0.0
        return is_new

    def record_failure(self, reason: str, now: float, longest_s: float) -> bool:
        """Record that the node did not answer; return whether it was in use before."""
        is_new = not self.problem and not self.dropped
        if is_new:
            self.since = now
        self.problem, self.verified = reason, False  # it may be another node after the outage
        self.retry_at = now + self.backoff
        self.backoff = min(2 * self.backoff, longest_s)
        return is_new

    def record_use(self, now: float) -> bool:
        """Record that the node has been verified; return whether it was down or dropped before."""
        is_back = bool(self.problem or self.dropped)
        if is_back or not self.verified:
            self.since = now
        self.verified, self.problem, self.dropped, self.is_disproved = True, "", "", False
        self.backoff, self.retry_at = 1.0, 0.0
        return is_back

    def record_doubt(self, reason: str, now: float, seconds: float) -> None:
        """Let the node be asked last for some seconds."""
        self.doubt, self.deprioritized_until = reason, now + seconds

    def status(self, now: float, unix_s: float) -> NodeStatus:
        """Return the state; `unix_s` is the Unix time of `now`."""
        state, reason, next_at = NodeState.NEW, "", 0.0
        if self.dropped:
            state, reason, next_at = NodeState.DROPPED, self.dropped, max(self.judged_at, self.retry_at)
        elif self.problem:
            state, reason, next_at = NodeState.DOWN, self.problem, self.retry_at
        elif self.verified and self.deprioritized_until > now:
            state, reason, next_at = NodeState.LAST, self.doubt, self.deprioritized_until
        elif self.verified:
            state = NodeState.IN_USE
        next_s = unix_s + max(0.0, next_at - now) if next_at else 0.0
        return NodeStatus(self.name, state, unix_s - max(0.0, now - self.since), reason, self.height, next_s)
