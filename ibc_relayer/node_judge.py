"""Finds out which of a chain's nodes lie, by comparing their blocks.

Where two differ in a header, the majority is right, else the one whose header the chain's validators signed.
No header commits to events: where only they differ, the majority is right, and of two neither is blamed.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence

from ibc_core.comet_json.fields import Json
from ibc_core.comet_json.results import BLOCK_EVENTS, read_events, read_tx_result
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event, besides
from ibc_core.packet.brief import brief
from ibc_relayer.compact_results import BLOCK_RESULTS
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from ibc_relayer.pool_node import Happening, PoolNode
from ibc_relayer.rpc_calls import outcome_of
from ibc_relayer.rpc_read import read_answer
from ibc_relayer.vouching import Trusted, fault_of, hash_told, trusted_by

KEPT = 1_000
"""Heights whose block hashes are remembered."""

FAR = 100
"""Blocks by which one address may contradict itself: several nodes may be behind it, not equally far."""

Faults = list[tuple[PoolNode, str]]


class NodeJudge:
    """What the nodes of one chain have said of its blocks."""

    def __init__(
        self,
        nodes: Sequence[PoolNode],
        drop: Callable[[PoolNode, str], None],
        notify: Callable[[PoolNode, Happening, str], None],
    ) -> None:
        """`drop` takes a node out of use for good, `notify` tells of it."""
        self.chain_id = ""  # to be set before the first call
        self._nodes = nodes
        self._drop = drop
        self._notify = notify
        self._hashes: OrderedDict[int, tuple[bytes, PoolNode]] = OrderedDict()
        self._trusted: Trusted | None = None
        self._lock = threading.RLock()

    def admit(self, node: PoolNode) -> None:
        """Compares a node that is new, or was away, with what is remembered, else with one in use.

        Raises:
            EndpointUnavailable: it does not answer, or is dropped for what it said.
            MalformedAnswer: its block is malformed.
        """
        with self._lock:
            heights = list(self._hashes)
        known = [height for height in heights if height <= node.height]
        if heights and min(heights) > node.height + FAR:
            self._leave(node, f"its chain ends at {node.height}: it began anew, or is far behind")
        others = [other.height for other in self._voters() if other is not node]
        height = known[-1] if known else min([node.height, *others])
        if height < 1 or not (known or others):
            return
        try:
            self.check_block(node, height, self._block(node, height))
        except EndpointRefused:
            return  # pruned
        if not known:
            self.compare(height, node)

    def check_block(self, node: PoolNode, height: int, answer: Json) -> None:
        """Compares a node's answer to `block` with what was said of that height before.

        Raises:
            EndpointUnavailable: it differs, and this node is dropped for it.
            MalformedAnswer: it is no block of that chain and height.
        """
        told = hash_told(self.chain_id, height, answer)
        with self._lock:
            known, by = self._hashes.setdefault(height, (told, node))
            if len(self._hashes) > KEPT:
                self._hashes.popitem(last=False)
            agreed = known == told and by is not node
            if agreed and (self._trusted is None or height > self._trusted.height):
                self._trusted = trusted_by(self.chain_id, height, answer)
        # guard: h145-a-node-may-contradict-itself drop
        #   test_h145_a_chain_that_began_anew_behind_the_address_is_dropped
        if known != told and by is node:
            self._leave(node, f"it has told two different blocks {height}")
        if known != told:
            self._settle(height, {node: told, by: known})
            if node.dropped:
                raise EndpointUnavailable(node.name, node.dropped)

    def compare(self, height: int, node: PoolNode) -> None:
        """Asks one more node for the block that `node` gave, and both for its results.

        Raises:
            EndpointUnavailable: `node` is dropped for what comes out, or does not answer.
            MalformedAnswer: an answer of it cannot be decoded.
        """
        for other in [each for each in self._voters() if each is not node]:
            try:
                self.check_block(other, height, self._block(other, height))
                theirs = self._results(other, height)
            except RelayerError:  # the pool finds out when it asks that node itself
                continue
            if not node.dropped and self._results(node, height) != theirs:
                self._results_differ(height, node, other)
            break
        if node.dropped:
            raise EndpointUnavailable(node.name, node.dropped)

    def forget(self, node: PoolNode) -> None:
        """Forgets what a node alone has said: it is not believed any more."""
        with self._lock:
            for height in [height for height, (_, by) in self._hashes.items() if by is node]:
                del self._hashes[height]

    # -- inside

    def _voters(self) -> list[PoolNode]:
        return [node for node in self._nodes if node.judged and not node.dropped and not node.problem]

    def _leave(self, node: PoolNode, reason: str) -> None:
        self._drop(node, reason)
        raise EndpointUnavailable(node.name, reason)

    def _block(self, node: PoolNode, height: int) -> Json:
        return node.rpc.call("block", height=str(height))

    def _results(self, node: PoolNode, height: int) -> object:
        """What every node has to say alike of a block's results: no logs, not what is indexed, in brief.

        Nor transactions, which a header hashes. Asked for in the form that is believed: a node could tell the
        truth in the other one.
        """
        compact = node.compact
        told = None
        if compact.asks(height):
            said = outcome_of(node.rpc, compact.question(height))
            told = read_answer(self.chain_id, BLOCK_RESULTS, lambda: compact.told(height, said))
        raw = node.rpc.call("block_results", height=str(height)) if told is None else {}

        def read() -> object:
            outcomes, events = _in_json(raw, compact.without) if told is None else told[:2]
            return [each._replace(tx=b"", log="", events=brief(each.events)) for each in outcomes], brief(
                events
            )

        return read_answer(self.chain_id, f"results of {height}", read)

    def _settle(self, height: int, votes: dict[PoolNode, bytes]) -> None:
        """Drops whose block is not that of the majority, or not signed; both, if that decides nothing."""
        between = list(votes)
        for node in [node for node in self._nodes if not node.dropped and node not in votes]:
            try:
                votes[node] = hash_told(self.chain_id, height, self._block(node, height))
            except RelayerError:
                continue  # it has no vote
        # guard: h145-nobody-is-outvoted drop:_outvoted test_h145_of_three_nodes_the_majority_is_right
        wrong = _outvoted(votes) or self._unsigned(height, votes)
        for node, reason in wrong or [(node, "another node has one that is signed too") for node in between]:
            self._drop(node, f"its block {height} is {votes[node].hex().upper()}: {reason}")
        with self._lock:
            right = next((node for node in votes if not node.dropped), None)
            if right is not None:
                self._hashes[height] = (votes[right], right)

    def _unsigned(self, height: int, votes: dict[PoolNode, bytes]) -> Faults:
        faults = Faults()
        for node, told in votes.items():
            try:
                fault = fault_of(node.rpc, self.chain_id, height, told, self._trusted)
            except RelayerError as error:
                fault = f"it does not show the signatures: {error}"
            if fault:
                faults.append((node, fault))
        return faults if len(faults) < len(votes) else []

    def _results_differ(self, height: int, node: PoolNode, other: PoolNode) -> None:
        votes = dict[PoolNode, object]()
        for each in self._voters():
            try:
                votes[each] = self._results(each, height)
            except RelayerError:
                continue  # it has no vote
        wrong = [each for each, told in votes.items() if 2 * list(votes.values()).count(told) < len(votes)]
        for each in wrong:
            self._drop(each, f"its results of block {height} are not those of most nodes")
        if not wrong:
            reason = f"its results of block {height} are not those of {other.name}"
            self._notify(node, Happening.DIFFERS, reason)


def _in_json(raw: Json, without: Container[str]) -> tuple[list[TxOutcome], tuple[Event, ...]]:
    """The same of an answer to `block_results`."""
    outcomes = [read_tx_result(b"", each, encoded=False) for each in raw.get("txs_results") or ()]
    events = [event for name in BLOCK_EVENTS for event in read_events(raw.get(name), encoded=False)]
    return [each._replace(events=besides(each.events, without)) for each in outcomes], besides(
        events, without
    )


def _outvoted(votes: dict[PoolNode, bytes]) -> Faults:
    told = list(votes.values())
    right = max(told, key=told.count)
    if told.count(right) * 2 <= len(told):
        return []
    return [(node, "most nodes have another") for node, found in votes.items() if found != right]
