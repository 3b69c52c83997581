"""Several nodes of one chain as one: failover, no answers from nodes that lag, none from nodes that lie.

A node is judged before it is used and after each silence, and compared with another from time to time
(`node_judge.py`). One that is of another chain, of one that began anew, or that lies is dropped for good, and
named. Nothing here knows time but `RpcConfig.clock`, by which a node that does not answer is left alone.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ibc_core.comet_json.fields import Json, read_integer
from ibc_relayer.compact_results import CompactResults
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from ibc_relayer.node_judge import FAR, NodeJudge
from ibc_relayer.outcomes import Action, action_of
from ibc_relayer.pool_node import Happening, Notice, PoolNode, Quiet
from ibc_relayer.rpc_calls import Call, call_many, outcome_of
from ibc_relayer.rpc_client import ONCE, HttpRpc, RpcConfig
from ibc_relayer.rpc_read import node_of, read_answer

LONGEST_S = 60.0
"""A node that does not answer is asked again after 1, 2, 4, ... seconds, at most these."""

# guard: h241-it-is-told-with-every-answer drop:MALFORMED test_h241_it_is_named_once_a_minute
OFTEN = frozenset({Happening.DIFFERS, Happening.MALFORMED})
DIFFERENCES_S = 60.0
"""Between two notices of these of one node: one that lies may do so with every block."""

NEWER = "must be less than or equal to the current"
"""In CometBFT's refusal of a height that it does not have yet."""

DEFAULT_CONFIG = RpcConfig(attempts=2)
"""Of each node: another one is asked instead of the same again."""


class RpcPool:
    """An `Rpc` over several nodes of one chain; may be called by several threads at once.

    Args:
        nodes: in the order in which they are preferred.
        chain_id: of the chain; "": that of the first node that answers.
        clock: seconds.
        tell: hears of every notice.
        compare_every: of so many blocks asked for, one is asked of another node as well.
    """

    def __init__(
        self,
        nodes: Sequence[PoolNode],
        *,
        chain_id: str = "",
        clock: Callable[[], float] = DEFAULT_CONFIG.clock,
        tell: Callable[[Notice], None] = lambda _notice: None,
        compare_every: int = 16,
    ) -> None:
        self.nodes = tuple(nodes)
        self._judge = NodeJudge(self.nodes, self._drop, self._notify)
        self._judge.chain_id = chain_id
        self._clock = clock
        self._tell = tell
        self._compare_every = compare_every
        self._height = 0  # the highest that a node in use claimed
        self._blocks = 0  # asked for
        self._answering = threading.local()  # `node`: whose answer this thread was given last
        self._lock = threading.RLock()

    @classmethod
    def over(
        cls,
        urls: Sequence[str],
        *,
        chain_id: str = "",
        config: RpcConfig = DEFAULT_CONFIG,
        tell: Callable[[Notice], None] = lambda _notice: None,
    ) -> "RpcPool":
        """A pool of the nodes at `urls`; raises ValueError if one is no HTTP URL."""
        nodes = list[PoolNode]()
        for url in urls:
            rpc = HttpRpc(url, config)
            same = sum(node.name.partition(" ")[0] == rpc.name for node in nodes)
            compact = CompactResults(config.unread, asked=config.reads_all)
            nodes.append(PoolNode(f"{rpc.name} ({same + 1})" if same else rpc.name, rpc, compact))
        return cls(nodes, chain_id=chain_id, clock=config.clock, tell=tell)

    def call(self, method: str, **params: Any) -> Json:
        """The answer of the first node that has one, and is as far as any other.

        A transaction is broadcast by one node alone, since its answer may be lost after it has arrived.

        Raises:
            EndpointUnavailable: no node answers as it should; the text has the reasons of all.
            EndpointRefused: the nodes that answer refuse the call.
        """
        needed = _needed(params)
        refusal: EndpointRefused | None = None
        behind = list[tuple[int, Json, PoolNode]]()
        for node in self._candidates(needed):
            try:
                self._admit(node)
                answer = node.rpc.call(method, **params)
                height = self._look_at(node, method, params, answer)
            except EndpointRefused as error:
                self._refused(node, needed, error)
                if method.startswith(ONCE) or action_of(error) is not Action.OTHER_BACKEND:
                    raise
                refusal = refusal or error
            except (EndpointUnavailable, MalformedAnswer) as error:
                self._lose(node, error)
                if method.startswith(ONCE):
                    raise
            else:
                # guard: h146-any-height-is-the-newest always
                #   test_h146_an_answer_from_behind_is_asked_of_another_node
                if height is None or height >= self._height:
                    # guard: h241-the-one-that-is-asked-first-is-blamed {node => self.nodes[0]}
                    #   test_h241_a_node_that_has_answered_in_vain_is_not_blamed_for_anothers_answer
                    self._answering.node = node
                    return answer
                behind.append((height, answer, node))
        if behind:
            _, answer, self._answering.node = max(behind, key=lambda each: each[0])
            return answer
        raise refusal or self._nobody()

    def call_many(self, calls: Sequence[Call]) -> list[Json | RelayerError]:
        """As `BatchRpc.call_many`; what a node refuses or cannot mean is asked of all, one by one."""
        for node in self._candidates(max((_needed(call.params) for call in calls), default=0)):
            try:
                self._admit(node)
                answers = call_many(node.rpc, calls)
                silent = next((each for each in answers if isinstance(each, EndpointUnavailable)), None)
                if silent is not None:
                    raise silent
            except RelayerError as error:
                self._lose(node, error)
            else:
                self._answering.node = node
                found = [self._settled(node, *each) for each in zip(calls, answers, strict=True)]
                # guard: h241-any-of-several-is-blamed test_h241_of_answers_of_several_nodes_none_is_blamed
                if self._answering.node is not node:
                    self._answering.node = None  # of several: none is blamed for what another said
                return found
        return [self._nobody()] * len(calls)

    def doubt(self, error: RelayerError) -> None:
        """The node whose answer this thread was given last is asked last for a while, and named; once."""
        node: PoolNode | None = getattr(self._answering, "node", None)
        # guard: h241-an-answer-is-doubted-twice test_h241_an_answer_is_doubted_once
        self._answering.node = None
        if node is None or node.dropped:
            return
        with self._lock:
            # guard: h241-a-doubted-node-is-asked-first test_h241_after_a_minute_it_is_asked_first_again
            node.doubted = self._clock() + LONGEST_S
        self._notify(node, Happening.MALFORMED, str(error))

    def drop(self, name: str, reason: str) -> None:
        """Drops a node for good: somebody found out, by the chain's state, that it lies."""
        for node in self.nodes:
            if node.name == name:
                self._drop(node, reason)

    @property
    def dropped(self) -> dict[str, str]:
        """The nodes that were dropped -> why."""
        return {node.name: node.dropped for node in self.nodes if node.dropped}

    def close(self) -> None:
        """Closes all connections."""
        for node in self.nodes:
            node.rpc.close()

    # -- inside

    def _settled(self, node: PoolNode, call: Call, answer: Json | RelayerError) -> Json | RelayerError:
        """The answer, if it is as good as that of any other node; else what `call` gets."""
        if isinstance(answer, EndpointRefused) and NEWER in answer.reason:
            # guard: all-nodes-are-asked-for-what-none-claims drop
            #   test_of_several_nodes_no_other_is_asked_for_a_block_that_nobody_claims
            # guard: no-other-node-is-asked-for-what-is-claimed always
            #   test_of_several_nodes_one_that_claims_the_block_is_asked
            if _needed(call.params) > self._height:
                return answer  # nobody claims to have it
        elif not isinstance(answer, RelayerError):
            try:
                height = self._look_at(node, call.method, call.params, answer)
            except RelayerError as error:
                self._lose(node, error)
            else:
                if height is None or self._height <= height:
                    return answer
        return outcome_of(self, call)

    def _candidates(self, needed: int) -> list[PoolNode]:
        """Nodes in use: those that are up, and of them first those that are not doubted or known to lag."""
        now, wanted = self._clock(), needed or self._height
        with self._lock:
            alive = [node for node in self.nodes if not node.dropped]
            up = [node for node in alive if node.until <= now]
            return sorted(up or alive, key=lambda node: (node.doubted > now, 0 < node.height < wanted))

    def _admit(self, node: PoolNode) -> None:
        if node.judged:
            return
        status = node.rpc.call("status")
        chain_id, _ = node_of(status)
        with self._lock:
            expected = self._judge.chain_id = self._judge.chain_id or chain_id
        height = read_answer(chain_id, "status", lambda: _latest(status))
        # guard: h145-chain-ids-of-nodes-are-not-compared drop
        #   test_h145_a_node_of_another_chain_is_dropped_and_named
        if chain_id != expected:
            self._drop(node, f"it is of {chain_id[:64]!a}, not of {expected}")
            raise EndpointUnavailable(node.name, node.dropped)
        self._claimed(node, height)
        self._judge.admit(node)
        if node.problem:
            self._notify(node, Happening.BACK, "")
        node.judged, node.problem, node.pause, node.until = True, "", 1.0, 0.0

    def _look_at(self, node: PoolNode, method: str, params: dict[str, Any], answer: Json) -> int | None:
        """Checks what can be checked of an answer; the height it is of, if the newest was asked for."""
        # guard: headers-of-several-nodes-are-not-compared {method in {'block', 'header'} => method ==
        #   'block'} test_a_node_that_lies_in_a_header_is_dropped
        if method in {"block", "header"} and _needed(params):
            block = answer if method == "block" else {"block": answer}
            self._check(node, _needed(params), block)
            return None
        if _needed(params):
            return None
        if method == "abci_query":  # stores answer with the last height but one
            told = read_answer(node.name, method, lambda: read_integer(answer["response"].get("height")))
            return told + 1 if told else None
        if method not in {"abci_info", "status"}:
            return None
        claimed = read_answer(node.name, method, lambda: _latest(answer))
        self._claimed(node, claimed)
        return claimed

    def _claimed(self, node: PoolNode, height: int) -> None:
        with self._lock:
            node.height = height
            self._height = max(self._height, height)

    def _check(self, node: PoolNode, height: int, answer: Json) -> None:
        self._judge.check_block(node, height, answer)
        with self._lock:
            due = self._blocks % self._compare_every == 0
            self._blocks += 1
        if due:
            self._admit_others()
            self._judge.compare(height, node)

    def _admit_others(self) -> None:
        """So that there is somebody to compare with."""
        for node in self._candidates(0):
            try:
                self._admit(node)
            except RelayerError as error:
                self._lose(node, error)

    def _lose(self, node: PoolNode, error: RelayerError) -> None:
        with self._lock:
            known = bool(node.problem) or bool(node.dropped)
            node.problem, node.judged = str(error), False  # it may come back as another
            node.until = self._clock() + node.pause
            node.pause = min(2 * node.pause, LONGEST_S)
        if not known:
            self._notify(node, Happening.DOWN, node.problem)

    def _refused(self, node: PoolNode, needed: int, error: EndpointRefused) -> None:
        """What a node claims to have it has to give: else one that lies could keep all from going on."""
        if NEWER not in error.reason or not 0 < needed <= node.height:
            return
        if needed <= node.height - FAR:
            self._drop(node, f"it claims height {node.height} and refuses {needed}: {error.reason}")
        with self._lock:
            node.height, node.doubted = needed - 1, self._clock() + LONGEST_S
            self._height = self._highest()

    def _highest(self) -> int:
        return max((node.height for node in self.nodes if not node.dropped), default=0)

    def _drop(self, node: PoolNode, reason: str) -> None:
        with self._lock:
            if node.dropped:
                return
            node.dropped = reason
            self._judge.forget(node)
            self._height = self._highest()
        self._notify(node, Happening.DROPPED, reason)

    def _notify(self, node: PoolNode, happening: Happening, reason: str) -> None:
        if happening in OFTEN:
            with self._lock:
                until, before = node.quiet[happening]
                if self._clock() < until:
                    node.quiet[happening] = Quiet(until, before + 1)
                    return
                node.quiet[happening] = Quiet(self._clock() + DIFFERENCES_S, 0)
            reason += f", and {before} more since it was last told" if before else ""
        self._tell(Notice(self._judge.chain_id, node.name, happening, reason))

    def _nobody(self) -> EndpointUnavailable:
        reasons = [f"{node.name}: {node.dropped or node.problem or 'it lags'}" for node in self.nodes]
        return EndpointUnavailable(self._judge.chain_id or "chain", "no node serves: " + "; ".join(reasons))


def _needed(params: dict[str, Any]) -> int:
    """The height that a call is about; 0: the newest."""
    return int(params.get("height") or 0)


def _latest(answer: Json) -> int:
    """The height in an answer to `status` or `abci_info`."""
    if "sync_info" in answer:
        return read_integer(answer["sync_info"]["latest_block_height"])
    return read_integer(answer["response"].get("last_block_height"))
