"""Detection of faulty nodes by comparing their blocks.

If headers differ, the majority wins; without a majority, the header with a valid commit. Events are not
covered by a header: if only results differ, the majority wins, and two nodes are reported but both kept.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple, Protocol

from light_client.tendermint.comet_json import read_header, read_signed_header, read_validators
from light_client.tendermint.hashing import header_hash, validator_set_hash
from light_client.tendermint.types import Header, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import (
    TrustLevel,
    check_commit_of,
    check_signed_header,
    check_trusted_power,
)
from pyibc.codec.comet_json import Json
from pyibc.core.comet import BLOCK_EVENTS, compact_events, read_results
from pyibc.core.errors import IbcError
from pyibc.core.host.block import Event, TxOutcome, besides
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from pyibc.relayer.rpc.calls import Rpc, call_outcome
from pyibc.relayer.rpc.pool_node import Happening, PoolNode
from pyibc.relayer.rpc.reading import fetch_validators, read_answer

# -- verification of the commit of a block; decides which of two nodes with different blocks is right

TRUST_LEVEL = TrustLevel(1, 3)


class TrustedBlock(NamedTuple):
    """Block on which two nodes agreed, as the trusted state of later verifications."""

    height: int
    hash: bytes
    next_validators_hash: bytes


def block_header_hash(chain_id: str, height: int, answer: Json) -> bytes:
    """Compute the hash of the header in a result of `block`; the `block_id` in the result is ignored.

    Raises:
        MalformedAnswer: the header is missing, malformed, or of another chain or height.
    """
    return header_hash(_header(chain_id, height, answer))


def trusted_block(chain_id: str, height: int, answer: Json) -> TrustedBlock:
    """Return the trusted state that a result of `block` gives. Raises as `block_header_hash`."""
    header = _header(chain_id, height, answer)
    return TrustedBlock(height, header_hash(header), header.next_validators_hash)


def _header(chain_id: str, height: int, answer: Json) -> Header:
    def read() -> Header:
        header = read_header(answer["block"]["header"])
        if (header.chain_id, header.height) != (chain_id, height):
            raise ValueError(f"it is for {header.chain_id!a:.64} height {header.height}")
        return header

    return read_answer(chain_id, f"block {height}", read)


def commit_fault(rpc: Rpc, chain_id: str, height: int, expected: bytes, trusted: TrustedBlock | None) -> str:
    """Verify the commit of a header; return the reason why it is invalid, "" if it is valid.

    Args:
        rpc: the node that serves the header; commit and validators are queried from it.
        chain_id: the chain id.
        height: the height of the header.
        expected: the hash of the header.
        trusted: a lower block; its next validators with more than a third of the voting power must have
            signed. None: no validators are trusted yet, and any set that signed is accepted.

    Raises:
        EndpointUnavailable: the node does not answer.
    """
    try:
        commit = rpc.call("commit", height=str(height))
        signed = read_answer(chain_id, "commit", lambda: read_signed_header(commit["signed_header"]))
        # guard: h145-a-header-needs-no-signatures drop
        #   test_h145_of_two_nodes_the_one_whose_block_is_not_signed_is_dropped
        if header_hash(signed.header) != expected:
            return f"its commit at height {height} is for another header"
        validators = _validators(rpc, chain_id, height)
        if validator_set_hash(validators) != signed.header.validators_hash:
            return f"its validators at height {height} do not match the validators hash of the header"
        check_signed_header(signed, chain_id)
        check_commit_of(signed, chain_id, validators)
        return _trust_fault(rpc, chain_id, signed, trusted)
    except RelayerError:
        raise
    except IbcError as error:
        return f"its header at height {height} has no valid commit: {error}"


def _trust_fault(rpc: Rpc, chain_id: str, signed: SignedHeader, trusted: TrustedBlock | None) -> str:
    if trusted is None or signed.header.validators_hash == trusted.next_validators_hash:
        return ""
    if signed.header.height <= trusted.height:
        return ""
    validators = _validators(rpc, chain_id, trusted.height + 1)
    if validator_set_hash(validators) != trusted.next_validators_hash:
        return f"its validators at height {trusted.height + 1} do not match block {trusted.height}"
    check_trusted_power(chain_id, signed.commit, validators, TRUST_LEVEL)
    return ""


def _validators(rpc: Rpc, chain_id: str, height: int) -> ValidatorSet:
    members = fetch_validators(rpc, chain_id, height)
    return read_answer(chain_id, "validators", lambda: _validator_set(members))


def _validator_set(members: Sequence[Json]) -> ValidatorSet:
    read = read_validators(members)
    return ValidatorSet(read, read[0])  # any proposer: no hash covers it


# -- comparison of nodes

MAX_HASHES = 1_000
"""Maximum number of cached block hashes."""

MAX_LAG = 100
"""Blocks by which one URL may fall back: a load balancer may lead to nodes of different height."""

Faults = dict[PoolNode, str]


class Drop(Protocol):
    """Drops a node from the pool for a while."""

    def __call__(self, node: PoolNode, reason: str, *, disproved: bool = False) -> None:
        """Drop `node`; `disproved`: its blocks contradict others, or its own earlier ones."""


class NodeVerifier:
    """Block hashes seen from the nodes of one chain, and the checks against them."""

    def __init__(
        self, nodes: Sequence[PoolNode], drop: Drop, notify: Callable[[PoolNode, Happening, str], None]
    ) -> None:
        """Create an empty verifier.

        Args:
            nodes: the nodes of the pool.
            drop: drops a node, with a reason.
            notify: reports an event of a node, with a reason.
        """
        self.chain_id = ""  # to be set before the first call
        self._nodes = nodes
        self._drop = drop
        self._notify = notify
        self._hashes: OrderedDict[int, tuple[bytes, PoolNode]] = OrderedDict()
        self._trusted: TrustedBlock | None = None
        self._forks: dict[PoolNode, int] = {}  # height at which a node is on one side of a signed fork
        self._lock = threading.RLock()

    def admit(self, node: PoolNode) -> None:
        """Verify a node that is new, was down or dropped against known block hashes, or another node.

        Raises:
            EndpointUnavailable: the node does not answer, or is dropped.
            MalformedAnswer: its block is malformed.
        """
        with self._lock:
            heights = list(self._hashes)
            trusted = self._trusted
        known = [height for height in heights if height <= node.height]
        if heights and min(heights) > node.height + MAX_LAG:
            self._drop_and_raise(
                node, f"its last height is {node.height}: the chain was reset, or the node is far behind"
            )
        self._require_no_fork(node)
        others = [other.height for other in self._voters() if other is not node]
        candidates = [*known[-1:], *([min([node.height, *others])] if others else [])]
        if node.dropped and trusted is not None and trusted.height <= node.height:
            candidates.append(trusted.height)
        if not any(self._judge(node, height, trusted) for height in candidates if height >= 1):
            # guard: a-dropped-node-that-refuses-its-judgement-is-believed drop
            #   test_a_dropped_node_that_shows_no_block_stays_dropped
            if node.dropped and others:
                raise EndpointUnavailable(node.name, "it refuses the blocks by which it is to be judged")
        elif not known and others:
            self.compare(candidates[0], node)

    def _require_no_fork(self, node: PoolNode) -> None:
        """Raise EndpointUnavailable while another side of a fork still serves another block than `node`."""
        with self._lock:
            height = self._forks.get(node, 0)
            others = [other for other in self._forks if other is not node and self._forks[other] == height]
        if not height:
            return
        found = block_header_hash(self.chain_id, height, self._block(node, height))
        # guard: a-fork-is-followed-at-the-next-call drop
        #   test_h145_a_fork_that_is_signed_twice_is_followed_on_neither_side
        if any(self._hash_if_served(other, height) not in {None, found} for other in others):
            raise EndpointUnavailable(node.name, node.dropped)
        with self._lock:
            self._forks.pop(node, None)

    def _hash_if_served(self, node: PoolNode, height: int) -> bytes | None:
        try:
            return block_header_hash(self.chain_id, height, self._block(node, height))
        except RelayerError:
            return None

    def _judge(self, node: PoolNode, height: int, trusted: TrustedBlock | None) -> bool:
        """Check a block of the node; return False if it refuses it, because it is pruned."""
        try:
            answer = self._block(node, height)
        except EndpointRefused:
            return False
        # guard: a-dropped-node-may-contradict-what-two-agreed-on drop
        #   test_a_dropped_node_is_judged_by_the_block_that_two_nodes_agreed_on
        if trusted is not None and height == trusted.height:
            found = block_header_hash(self.chain_id, height, answer)
            if found != trusted.hash:
                self._drop_and_raise(node, f"its block {height} is not the one that two nodes agreed on")
        self.check_block(node, height, answer)
        return True

    def check_block(self, node: PoolNode, height: int, answer: Json) -> Faults:
        """Compare a node's result of `block` with the cached block hash of that height.

        Returns:
            The other nodes that are dropped because of the comparison, with the reasons.

        Raises:
            EndpointUnavailable: the hashes differ, and this node is dropped.
            MalformedAnswer: the result is malformed, or of another chain or height.
        """
        faults = self._find_faults(node, height, answer)
        if node in faults:
            raise EndpointUnavailable(node.name, faults[node])
        return faults

    def _find_faults(self, node: PoolNode, height: int, answer: Json) -> Faults:
        block_hash = block_header_hash(self.chain_id, height, answer)
        with self._lock:
            known, by = self._hashes.setdefault(height, (block_hash, node))
            if len(self._hashes) > MAX_HASHES:
                self._hashes.popitem(last=False)
            agreed = known == block_hash and by is not node
            if agreed and (self._trusted is None or height > self._trusted.height):
                self._trusted = trusted_block(self.chain_id, height, answer)
        # guard: h145-a-node-may-contradict-itself drop
        #   test_h145_a_chain_that_began_anew_behind_the_address_is_dropped
        if known != block_hash and by is node:
            self._drop_and_raise(node, f"it has served two different blocks at height {height}")
        return {} if known == block_hash else self._resolve_blocks(height, {node: block_hash, by: known})

    def compare(self, height: int, node: PoolNode) -> None:
        """Compare block and results of a height between `node` and one other node.

        Raises:
            EndpointUnavailable: `node` is dropped, or does not answer.
            MalformedAnswer: a response of `node` cannot be decoded.
        """
        for other in [each for each in self._voters() if each is not node]:
            faults = Faults()
            try:
                faults = self._find_faults(other, height, self._block(other, height))
                other_results = None if other in faults else self._results(other, height)
            except RelayerError:  # the pool handles it at the next call to that node
                other_results = None
            if node not in faults and other_results is not None:
                if self._results(node, height) == other_results:
                    return
                faults = self._resolve_results(height, node, other)
            if node in faults:
                raise EndpointUnavailable(node.name, faults[node])
            if other_results is not None:
                return

    def forget(self, node: PoolNode) -> None:
        """Drop the cached hashes that only this node has served."""
        with self._lock:
            for height in [height for height, (_, by) in self._hashes.items() if by is node]:
                del self._hashes[height]

    def reset(self) -> None:
        """Forget all block hashes: the next node is judged by its chain id alone."""
        with self._lock:
            self._hashes.clear()
            self._forks.clear()
            self._trusted = None

    # -- inside

    def _voters(self) -> list[PoolNode]:
        return [node for node in self._nodes if node.verified and not node.dropped and not node.problem]

    def _drop_and_raise(self, node: PoolNode, reason: str) -> None:
        self._drop(node, reason, disproved=True)
        raise EndpointUnavailable(node.name, reason)

    def _block(self, node: PoolNode, height: int) -> Json:
        return node.rpc.call("block", height=str(height))

    def _results(self, node: PoolNode, height: int) -> object:
        """Return the part of a block's results that must be equal on all nodes.

        Logs and index flags are left out, as are transactions, which the header covers; events are
        compressed. The encoding is the one that the relayer uses: a node could be faulty in that one only.
        """
        compact, decoded = node.compact, None
        if compact is not None and compact.should_query(height):
            call = compact.call(height)
            outcome = call_outcome(node.rpc, call)
            decoded = read_answer(self.chain_id, call.params["path"], lambda: compact.decode(height, outcome))
        raw = node.rpc.call("block_results", height=str(height)) if decoded is None else {}

        def read() -> object:
            outcomes, events = _decode_json(raw, node.unread) if decoded is None else decoded[:2]
            return [
                each._replace(tx=b"", log="", events=compact_events(each.events)) for each in outcomes
            ], compact_events(events)

        return read_answer(self.chain_id, f"results of {height}", read)

    def _resolve_blocks(self, height: int, votes: dict[PoolNode, bytes]) -> Faults:
        """Drop the nodes outvoted or without a valid commit; both first voters if neither decides."""
        disputants = list(votes)
        for node in [node for node in self._nodes if not node.dropped and node not in votes]:
            vote = self._hash_if_served(node, height)
            if vote is not None:
                votes[node] = vote
        # guard: h145-nobody-is-outvoted drop:_outvoted test_h145_of_three_nodes_the_majority_is_right
        decided = _outvoted(votes) or self._without_commit(height, votes)
        wrong = decided or dict.fromkeys(disputants, "another node has another one with a valid commit")
        wrong = {n: f"its block {height} is {votes[n].hex().upper()}: {why}" for n, why in wrong.items()}
        for node, reason in wrong.items():
            self._drop(node, reason, disproved=bool(decided))
        with self._lock:
            right = next((node for node in votes if node not in wrong), None)
            if right is not None:
                self._hashes[height] = (votes[right], right)
            if not decided:
                self._forks.update(dict.fromkeys(wrong, height))
        return wrong

    def _without_commit(self, height: int, votes: dict[PoolNode, bytes]) -> Faults:
        faults = Faults()
        for node, block_hash in votes.items():
            try:
                fault = commit_fault(node.rpc, self.chain_id, height, block_hash, self._trusted)
            except RelayerError as error:
                fault = f"its commit is not available: {error}"
            if fault:
                faults[node] = fault
        return faults if len(faults) < len(votes) else {}

    def _resolve_results(self, height: int, node: PoolNode, other: PoolNode) -> Faults:
        votes = dict[PoolNode, object]()
        for each in dict.fromkeys([node, *self._voters()]):
            try:
                votes[each] = self._results(each, height)
            except RelayerError:
                continue  # no vote
        results = list(votes.values())
        reason = f"its results of block {height} differ from those of most nodes"
        wrong = {each: reason for each, found in votes.items() if 2 * results.count(found) < len(votes)}
        for each in wrong:
            self._drop(each, reason)
        if not wrong:
            reason = f"its results of block {height} differ from those of {other.name}"
            self._notify(node, Happening.DIFFERS, reason)
        return wrong


def _decode_json(raw: Json, without: Container[str]) -> tuple[list[TxOutcome], tuple[Event, ...]]:
    """Decode outcomes and block events of a result of `block_results`, without the excluded event types."""
    results = raw.get("txs_results") or ()
    listed = [raw.get(name) for name in BLOCK_EVENTS]
    outcomes, events = read_results([b""] * len(results), results, listed, frozenset())
    return [each._replace(events=besides(each.events, without)) for each in outcomes], besides(
        events, without
    )


def _outvoted(votes: dict[PoolNode, bytes]) -> Faults:
    hashes = list(votes.values())
    right = max(hashes, key=hashes.count)
    if hashes.count(right) * 2 <= len(hashes):
        return {}
    return {node: "most nodes have another" for node, found in votes.items() if found != right}
