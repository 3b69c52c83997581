"""Pool of RPC nodes of one chain, used as one: failover, and no answers from lagging or faulty nodes.

A node is verified before its first use and after each outage, and periodically compared with another
(`node_verifier.py`). A node of another chain, of a chain that was reset, or that serves false blocks is
dropped and reported. It is judged again after a minute, doubled with each new drop up to an hour; while no
other node answers, it is judged at each call. All times are by `RpcConfig.clock`.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pyibc.codec.comet_json import Json, read_integer
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from pyibc.relayer.links.outcomes import Action, action_of
from pyibc.relayer.rpc.blocks import compact_results
from pyibc.relayer.rpc.calls import Call, Rpc, call_outcome
from pyibc.relayer.rpc.client import BROADCAST_PREFIX, HttpRpc, RpcConfig
from pyibc.relayer.rpc.node_verifier import MAX_LAG, NodeVerifier
from pyibc.relayer.rpc.pool_node import Happening, NodeStatus, Notice, NoticeLimit, PoolNode
from pyibc.relayer.rpc.reading import chain_id_of, height_param, latest_height, read_answer

MAX_BACKOFF_S = 60.0
"""Maximum backoff of a node that does not answer, seconds; it starts at 1 and doubles."""

# guard: h241-it-is-told-with-every-answer drop:MALFORMED test_h241_it_is_named_once_a_minute
RATE_LIMITED = frozenset({Happening.DIFFERS, Happening.MALFORMED, Happening.CONTRADICTED})
NOTICE_INTERVAL_S = 60.0
"""Minimum interval between two notices of such an event of one node, seconds."""

HEIGHT_TOO_HIGH = "must be less than or equal to the current"
"""Part of CometBFT's error for a height that it does not have yet."""

DEFAULT_CONFIG = RpcConfig(attempts=2)
"""Config of each node: two attempts, then the next node is tried."""


class RpcPool(Rpc):
    """RPC client over several nodes of one chain. For any thread.

    Args:
        nodes: the nodes in order of preference.
        chain_id: the chain id; "": that of the first node that answers.
        clock: monotonic clock, seconds.
        report: called with every notice.
        compare_every: one of so many blocks is also compared with another node.
        unix: clock of the times shown to the operator, Unix seconds.
    """

    def __init__(
        self,
        nodes: Sequence[PoolNode],
        *,
        chain_id: str = "",
        clock: Callable[[], float] = DEFAULT_CONFIG.clock,
        report: Callable[[Notice], None] = lambda _notice: None,
        compare_every: int = 16,
        unix: Callable[[], float] = time.time,
    ) -> None:
        self.nodes = tuple(nodes)
        self._verifier = NodeVerifier(self.nodes, self._drop, self._notify)
        self._verifier.chain_id = self._chain_id = chain_id
        self._clock = clock
        self._unix = unix
        for node in self.nodes:
            node.since = clock()
        self._report = report
        self._compare_every = compare_every
        self._height = 0  # the highest reported by a node in use
        self._blocks = 0  # block calls so far
        self._answered_last = threading.local()  # `node`: the one whose response this thread got last
        self._lock = threading.RLock()

    @classmethod
    def over(
        cls,
        urls: Sequence[str],
        *,
        chain_id: str = "",
        config: RpcConfig = DEFAULT_CONFIG,
        report: Callable[[Notice], None] = lambda _notice: None,
    ) -> "RpcPool":
        """Create a pool of the nodes at `urls`. Raises ValueError: one is not an HTTP URL."""
        nodes = list[PoolNode]()
        for url in urls:
            rpc = HttpRpc(url, config)
            same = sum(node.name.partition(" ")[0] == rpc.name for node in nodes)
            name = f"{rpc.name} ({same + 1})" if same else rpc.name
            nodes.append(PoolNode(name, rpc, config.unread, compact_results(config)))
        return cls(nodes, chain_id=chain_id, clock=config.clock, report=report)

    def call(self, method: str, **params: Any) -> Json:
        """Call a method on the nodes in turn; return the first result that is not behind the highest height.

        If all results are behind, the highest one is returned. A transaction is broadcast to one node only:
        after a lost response it may be in the mempool.

        Raises:
            EndpointUnavailable: no node answers properly; the text has the reason of each.
            EndpointRefused: the nodes that answer refuse the call.
        """
        needed = height_param(params)
        refusal: EndpointRefused | None = None
        behind = list[tuple[int, Json, PoolNode]]()
        for node in self._candidates(needed):
            if not self._is_admitted(node):
                continue  # a broadcast as well: nothing was sent
            self._answered_last.speaker = node
            try:
                answer = node.rpc.call(method, **params)
                height = self._inspect(node, method, params, answer)
            except EndpointRefused as error:
                self._handle_refusal(node, needed, error)
                if method.startswith(BROADCAST_PREFIX) or action_of(error) is not Action.OTHER_BACKEND:
                    raise
                refusal = refusal or error
            except (EndpointUnavailable, MalformedAnswer) as error:
                self._mark_down(node, error)
                if method.startswith(BROADCAST_PREFIX):
                    raise
            else:
                # guard: h146-any-height-is-the-newest always
                #   test_h146_an_answer_from_behind_is_asked_of_another_node
                if height is None or height >= self._height:
                    # guard: h241-the-one-that-is-asked-first-is-blamed {node => self.nodes[0]}
                    #   test_h241_a_node_that_has_answered_in_vain_is_not_blamed_for_anothers_answer
                    self._answered_last.node = node
                    return answer
                behind.append((height, answer, node))
        if behind:
            _, answer, self._answered_last.node = max(behind, key=lambda each: each[0])
            return answer
        raise refusal or self._no_node()

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """Make the calls on one node; calls that it refuses, or answers behind others, go to all nodes.

        Results as `Rpc.call_many`.
        """
        for node in self._candidates(max((height_param(call.params) for call in calls), default=0)):
            try:
                self._admit(node)
                answers = node.rpc.call_many(calls)
                silent = next((each for each in answers if isinstance(each, EndpointUnavailable)), None)
                if silent is not None:
                    raise silent
            except RelayerError as error:
                self._mark_down(node, error)
            else:
                self._answered_last.node = node
                found = [self._best_answer(node, *each) for each in zip(calls, answers, strict=True)]
                # guard: h241-any-of-several-is-blamed test_h241_of_answers_of_several_nodes_none_is_blamed
                if self._answered_last.node is not node:
                    self._answered_last.node = None  # answers of several nodes: the faulty one is unknown
                return found
        return [self._no_node()] * len(calls)

    def report_malformed(self, error: RelayerError) -> None:
        """Report the last response given to this thread as malformed.

        Its node is reported once, and tried last for a while.
        """
        node: PoolNode | None = getattr(self._answered_last, "node", None)
        # guard: h241-an-answer-is-doubted-twice test_h241_an_answer_is_doubted_once
        self._answered_last.node = None
        if node is None or node.dropped:
            return
        with self._lock:
            # guard: h241-a-doubted-node-is-asked-first test_h241_after_a_minute_it_is_asked_first_again
            node.record_doubt(_reason(node, error), self._clock(), MAX_BACKOFF_S)
        self._notify(node, Happening.MALFORMED, _reason(node, error))

    @property
    def speaker(self) -> str:
        """Name of the node that answered or refused the last single call of this thread; "": none."""
        node: PoolNode | None = getattr(self._answered_last, "speaker", None)
        return "" if node is None else node.name

    def another(self) -> PoolNode | None:
        """Return a verified node other than the speaker, for a second opinion; None: no other one is up."""
        first = self.speaker
        return next((node for node in self.verified() if node.name != first), None)

    def verified(self) -> Iterator[PoolNode]:
        """Yield the nodes that are up, each verified before it is yielded."""
        with self._lock:
            found = [node for node in self._candidates(0) if not node.dropped]
        return filter(self._is_admitted, found)

    def contradicted(self, name: str, reason: str) -> None:
        """Report a node whose answer turned out to be wrong, and ask it last for a while."""
        for node in self._named(name):
            if not node.dropped:
                with self._lock:
                    # guard: a-contradicted-node-is-asked-first drop
                    #   test_a_node_that_refuses_what_another_accepts_is_named_and_asked_last
                    node.record_doubt(reason, self._clock(), MAX_BACKOFF_S)
                self._notify(node, Happening.CONTRADICTED, reason)

    def differs(self, name: str, reason: str) -> None:
        """Report a node whose answer is another than that of a second node; its place does not change."""
        for node in self._named(name):
            self._notify(node, Happening.DIFFERS, reason)

    def drop(self, name: str, reason: str) -> None:
        """Drop a node for a while, by its name, after its answers were disproved by the chain's state."""
        for node in self._named(name):
            self._drop(node, reason)

    def _named(self, name: str) -> list[PoolNode]:
        return [node for node in self.nodes if node.name == name]

    @property
    def dropped(self) -> dict[str, str]:
        """Reasons of the dropped nodes, by node name."""
        return {node.name: node.dropped for node in self.nodes if node.dropped}

    @property
    def node_statuses(self) -> tuple[NodeStatus, ...]:
        """State of every node, in order of preference."""
        now, unix_s = self._clock(), self._unix()
        with self._lock:
            return tuple(node.status(now, unix_s) for node in self.nodes)

    def renew_nodes(self) -> None:
        """Forget all that is known of the nodes: each is judged anew before its next use."""
        now = self._clock()
        with self._lock:
            for node in self.nodes:
                node.renew(now)
            self._height = 0
            self._verifier.reset()
            self._verifier.chain_id = self._chain_id
        self.close()  # an address may have moved

    def close(self) -> None:
        """Close all connections; a later call opens new ones."""
        for node in self.nodes:
            node.rpc.close()

    # -- inside

    def _best_answer(self, node: PoolNode, call: Call, answer: Json | RelayerError) -> Json | RelayerError:
        """Return the answer if no other node can have a better one; otherwise the outcome of `call`."""
        if isinstance(answer, EndpointRefused) and HEIGHT_TOO_HIGH in answer.reason:
            # guard: all-nodes-are-asked-for-what-none-claims drop
            #   test_of_several_nodes_no_other_is_asked_for_a_block_that_nobody_claims
            # guard: no-other-node-is-asked-for-what-is-claimed always
            #   test_of_several_nodes_one_that_claims_the_block_is_asked
            if height_param(call.params) > self._height:
                return answer  # no node has reported that height
        elif not isinstance(answer, RelayerError):
            try:
                height = self._inspect(node, call.method, call.params, answer)
            except RelayerError as error:
                self._mark_down(node, error)
            else:
                if height is None or self._height <= height:
                    return answer
        return call_outcome(self, call)

    def _candidates(self, needed: int) -> list[PoolNode]:
        """Return the nodes to try, in order.

        First those that are up, lagging and suspect ones last; then dropped ones that are due to be judged;
        if none is up, all others.
        """
        now, wanted = self._clock(), needed or self._height
        with self._lock:
            up = [node for node in self.nodes if not node.dropped and node.retry_at <= now]
            up.sort(key=lambda node: (node.deprioritized_until > now, 0 < node.height < wanted))
            # guard: a-dropped-node-is-never-judged {max(n.judged_at, n.retry_at) <= now => False}
            #   test_a_dropped_node_is_judged_again_after_a_minute
            due = [n for n in self.nodes if n.dropped and max(n.judged_at, n.retry_at) <= now]
            if up:
                return up + due
            # guard: the-last-node-is-left-unasked {node not in due => not node.dropped}
            #   test_while_all_are_dropped_they_are_asked_all_the_same
            rest = [node for node in self.nodes if node not in due]
            return due + sorted(rest, key=lambda node: (bool(node.dropped), node.drop_s, node.judged_at))

    def _is_admitted(self, node: PoolNode) -> bool:
        """Verify a node if necessary; return whether it can be used."""
        try:
            self._admit(node)
        except RelayerError as error:
            self._mark_down(node, error)
            return False
        return True

    def _admit(self, node: PoolNode) -> None:
        if node.verified:
            return
        status = node.rpc.call("status")
        chain_id = chain_id_of(status)
        with self._lock:
            expected = self._verifier.chain_id = self._verifier.chain_id or chain_id
        height = read_answer(chain_id, "status", lambda: latest_height(status))
        # guard: h145-chain-ids-of-nodes-are-not-compared drop
        #   test_h145_a_node_of_another_chain_is_dropped_and_named
        if chain_id != expected:
            reason = f"it is a node of {chain_id[:64]!a}, not of {expected}"
            self._drop(node, reason)
            raise EndpointUnavailable(node.name, reason)
        node.height = height
        self._verifier.admit(node)
        with self._lock:
            is_back = node.record_use(self._clock())
        self._record_height(node, height)
        if is_back:
            self._notify(node, Happening.BACK, "")

    def _inspect(self, node: PoolNode, method: str, params: dict[str, Any], answer: Json) -> int | None:
        """Check an answer; return its height if the call was for the latest one, otherwise None."""
        # guard: headers-of-several-nodes-are-not-compared {method in {'block', 'header'} => method ==
        #   'block'} test_a_node_that_lies_in_a_header_is_dropped
        if method in {"block", "header"} and height_param(params):
            block = answer if method == "block" else {"block": answer}
            self._check(node, height_param(params), block)
            return None
        if height_param(params):
            return None
        if method == "abci_query":  # the proof height of a latest query is one below the last height
            answer_height = read_answer(
                node.name, method, lambda: read_integer(answer["response"].get("height"))
            )
            return answer_height + 1 if answer_height else None
        if method not in {"abci_info", "status"}:
            return None
        reported = read_answer(node.name, method, lambda: latest_height(answer))
        self._record_height(node, reported)
        return reported

    def _record_height(self, node: PoolNode, height: int) -> None:
        with self._lock:
            node.height = height
            self._height = max(self._height, height)

    def _check(self, node: PoolNode, height: int, answer: Json) -> None:
        self._verifier.check_block(node, height, answer)
        with self._lock:
            due = self._blocks % self._compare_every == 0
            self._blocks += 1
        if due:
            self._admit_others()
            self._verifier.compare(height, node)
        if node.dropped:  # by the comparison, or by another thread
            raise EndpointUnavailable(node.name, node.dropped)

    def _admit_others(self) -> None:
        """Verify the other nodes, so that a comparison is possible."""
        for node in self._candidates(0):
            self._is_admitted(node)

    def _mark_down(self, node: PoolNode, error: RelayerError) -> None:
        with self._lock:
            is_new = node.record_failure(_reason(node, error), self._clock(), MAX_BACKOFF_S)
        if is_new:
            self._notify(node, Happening.DOWN, node.problem)

    def _handle_refusal(self, node: PoolNode, needed: int, error: EndpointRefused) -> None:
        """Handle the refusal of a height that the node has reported: correct its height, or drop it.

        Otherwise one node that reports too high a height would stop the relayer.
        """
        if HEIGHT_TOO_HIGH not in error.reason or not 0 < needed <= node.height:
            return
        if needed <= node.height - MAX_LAG:
            self._drop(node, f"it reports height {node.height} but refuses {needed}: {error.reason}")
        with self._lock:
            node.height = min(node.height, needed - 1)
            node.record_doubt(f"it refuses height {needed}", self._clock(), MAX_BACKOFF_S)
            self._height = self._highest_reported()

    def _highest_reported(self) -> int:
        return max((node.height for node in self.nodes if not node.dropped), default=0)

    def _drop(self, node: PoolNode, reason: str, *, disproved: bool = False) -> None:
        with self._lock:
            is_new = node.record_drop(reason, self._clock(), disproved=disproved)
            self._verifier.forget(node)
            self._height = self._highest_reported()
            # guard: a-chain-that-was-reset-is-never-followed drop
            #   test_a_chain_that_was_reset_is_followed_once_all_nodes_have_it
            if all(each.is_disproved for each in self.nodes):
                self._verifier.reset()  # the chain was reset: none of its nodes keeps the old blocks
        if is_new:
            self._notify(node, Happening.DROPPED, reason)

    def _notify(self, node: PoolNode, happening: Happening, reason: str) -> None:
        if happening in RATE_LIMITED:
            with self._lock:
                until, before = node.notice_limits[happening]
                if self._clock() < until:
                    node.notice_limits[happening] = NoticeLimit(until, before + 1)
                    return
                node.notice_limits[happening] = NoticeLimit(self._clock() + NOTICE_INTERVAL_S, 0)
            reason += f", and {before} more since the last notice" if before else ""
        self._report(Notice(self._verifier.chain_id, node.name, happening, reason))

    def _no_node(self) -> EndpointUnavailable:
        reasons = {node.name: node.dropped or node.problem or "behind" for node in self.nodes}
        if not self._verifier.chain_id and len(reasons) == 1:
            [(name, reason)] = reasons.items()
            return EndpointUnavailable(name, f"the node does not answer: {reason}")
        listed = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        return EndpointUnavailable(self._verifier.chain_id or "chain", f"no node answers: {listed}")


def _reason(node: PoolNode, error: RelayerError) -> str:
    """Return the reason of an error of a node, without the node's name, which is shown before it."""
    return str(error).removeprefix(f"{node.name}: ")
