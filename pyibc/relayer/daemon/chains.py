"""Chains of a daemon: connected when needed, until their configuration changes."""

import logging
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from threading import Event, Lock, Thread, local
from time import monotonic
from typing import Protocol

from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.blocks.checked import read_checked, require_parent
from pyibc.relayer.blocks.feed import BlockFeed
from pyibc.relayer.chain.caches import HeightCache
from pyibc.relayer.chain.endpoint import ChainEndpoint, Consumer, HeightChanges, last_height
from pyibc.relayer.chain.values import LightBlock, Proven, Tip
from pyibc.relayer.config.model import ChainConfig
from pyibc.relayer.daemon.chain_watch import ChainStatus, ChainWatch
from pyibc.relayer.daemon.threads import PairThreads, Stopping, stopping_at
from pyibc.relayer.errors import BlockMismatch, EndpointUnavailable, RelayerError, WrongCounterparty
from pyibc.relayer.metrics import Stopwatch
from pyibc.relayer.packets.proofs import PrefetchedProofs, prover_of

# -- follower of one chain: reads each new block once into the chain's feed, for all links of the chain


MAX_GAP = 32
"""Blocks behind the chain above which the feed starts again at the tip; links read the others themselves."""
MAX_LAG = 50
"""Blocks by which a node may lag behind the feed before the chain counts as reset."""
FIRST_S, LONGEST_S = 0.5, 5.0
"""First and longest pause after failures, in seconds; doubled after each failure."""


class Follower:
    """Thread that follows one chain."""

    def __init__(
        self, chain: ChainEndpoint, heights: HeightChanges, feed: BlockFeed, stop: Event | None = None
    ) -> None:
        """Do nothing before `start`.

        Args:
            chain: source of the blocks, which caches them for the links.
            heights: source of the heights.
            feed: gets heights, blocks and errors.
            stop: ends the thread once it is set.
        """
        self._chain, self._heights, self._feed = chain, heights, feed
        self._stop = stop or Event()
        self._failures = 0
        self._thread = Thread(target=self._run, name=f"relayer follows {chain.chain_id}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Ask the thread to stop, without waiting."""
        self._stop.set()

    def step(self) -> float:
        """Wait for the next height and read the blocks up to it; return the pause that is due, seconds."""
        try:
            height = self._heights.height_after(self._feed.height, relaxed=not self._feed.is_awaited)
            self._feed.reach(height)
            self._read_to(height)
        except Exception as error:  # noqa: BLE001 - told to the links, which report it
            return self._failed(error)
        self._failures = 0
        return 0.0

    def _read_to(self, height: int) -> None:
        last = self._feed.last
        at = height if last is None else last.cursor.height
        # guard: a-feed-reads-all-blocks-of-a-long-gap {MAX_GAP => 10**9}
        #   test_after_a_long_gap_the_feed_starts_again_at_the_tip
        if last is not None and (height > at + MAX_GAP or height < at - MAX_LAG):
            self._feed.clear()
            last, at = None, height
        first = at if last is None else at + 1
        for each in range(first, height + 1):
            block = read_checked(self._chain, each)
            before = self._feed.last
            if before is not None:
                # guard: blocks-of-two-histories-in-one-feed drop
                #   test_a_block_of_another_history_clears_the_feed
                require_parent(self._chain, block, before.cursor)
            self._feed.add(block)

    def _failed(self, error: Exception) -> float:
        if not isinstance(error, RelayerError):
            log.error("not followed", extra={"chain": self._chain.chain_id}, exc_info=error)
        if isinstance(error, BlockMismatch):
            self._feed.clear()
        self._feed.fail(error)
        self._failures += 1
        return min(LONGEST_S, FIRST_S * 2.0 ** min(self._failures - 1, 16))

    def _run(self) -> None:
        with stopping_at(self._stop), suppress(Stopping):
            while not self._stop.is_set():
                self._stop.wait(self.step())
        self._feed.fail(Stopping())


# -- chain shared by all links that use it: each block is queried once

MAX_BLOCKS = 64
"""Number of cached blocks; links of one chain are rarely further apart."""


LEASE_S = 90.0
"""Time after which a link that does something for others counts as gone, seconds."""


class SharedChain:
    """Endpoint (`pyibc.relayer.chain.endpoint.ChainEndpoint`) of several threads, with a cache of blocks."""

    def __init__(
        self,
        endpoint: ChainEndpoint,
        max_blocks: int = MAX_BLOCKS,
        clock: Callable[[], float] = monotonic,
        consumer: Consumer | None = None,
    ) -> None:
        """Share `endpoint`, which must be safe for threads; `clock` returns seconds."""
        self._endpoint = endpoint
        self._blocks = HeightCache[CommittedBlock](max_blocks)
        self._lock = Lock()
        self._clock = clock
        self._prefetched = PrefetchedProofs(prover_of(endpoint))
        self.confirmed = Stopwatch()
        """Latencies from a transaction's messages to its block, or refusal."""
        self.submitted = Stopwatch()
        """Latencies from a transaction's messages to the mempool that accepted it."""
        self._began = local()
        if endpoint.extras.notify_sent is not None:
            took = self.submitted.took
            endpoint.extras.notify_sent(lambda: took(self._clock() - self._began.s))
        self.extras = replace(
            endpoint.extras,
            heights=self,
            prove_many=self._prefetched.prove_many,
            prefetch_proofs=self._prefetched.fetch,
            forget=self.forget,
            consumer=consumer,
            notify_sent=None,
        )
        """Those of the endpoint, and what sharing adds: known heights, cached blocks, prefetched proofs."""
        self.queried = 0
        """Number of blocks queried."""
        self.feed = BlockFeed()
        """Blocks of the chain, once `follow` has started."""
        self._follower: Follower | None = None
        self._leaders = dict[Hashable, tuple[Hashable, float]]()
        self._threads = dict[str, PairThreads]()

    def follow(self) -> None:
        """Start to read each new block into `feed`, if the endpoint waits for heights."""
        changes = self.extras.changes
        if changes is not None:
            self._follower = Follower(self, changes, self.feed)
            self._follower.start()

    def end(self) -> None:
        """Ask the thread that follows the chain to stop, without waiting; the endpoint stays open."""
        if self._follower is not None:
            self._follower.end()

    def threads_with(self, chain_id: str) -> PairThreads:
        """Return the executors of all links between this chain and another one."""
        with self._lock:
            return self._threads.setdefault(chain_id, PairThreads())

    def leads(self, task: Hashable, who: Hashable) -> bool:
        """Return whether `who` does a task for all; it stays so while `who` asks at least every `LEASE_S`."""
        now_s = self._clock()
        with self._lock:
            leader, until_s = self._leaders.get(task, (who, now_s))
            # guard: a-leader-that-is-gone-leads drop:now_s
            #   test_another_link_leads_once_the_leader_is_gone
            if leader != who and now_s < until_s:
                return False
            self._leaders[task] = who, now_s + LEASE_S
            return True

    @property
    def chain_id(self) -> str:
        """Id of the endpoint's chain."""
        return self._endpoint.chain_id

    @property
    def signer(self) -> str:
        """Address of the endpoint's first account."""
        return self._endpoint.signer

    def tip(self) -> Tip:
        """Return the endpoint's last block."""
        return self._endpoint.tip()

    def last_height(self) -> int:
        """Return the follower's height, or else the endpoint's, if possible before the block is read."""
        return self.feed.height or last_height(self._endpoint)

    def has_block(self, height: int) -> bool:
        """Return whether the block is cached."""
        return height in self._blocks

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block; threads that need the same block share one query."""
        return self._blocks.get(height, self._query_block)

    def light_block(self, height: int) -> LightBlock:
        """Return a light block of the endpoint."""
        return self._endpoint.light_block(height)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return a value of the endpoint, unproven."""
        return self._endpoint.get(key, store)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return a value of the endpoint with its proof."""
        return self._endpoint.prove(key, height, store)

    def grpc(self, path: str, request: bytes) -> bytes:
        """Return the endpoint's answer to a gRPC query."""
        return self._endpoint.grpc(path, request)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Submit a transaction by the endpoint, and measure the latency."""
        began = self._began.s = self._clock()
        outcome = self._endpoint.submit(messages)
        self.confirmed.took(self._clock() - began)
        return outcome

    def wait(self, height: int) -> None:
        """Wait for a block by the endpoint."""
        self._endpoint.wait(height)

    def forget(self) -> None:
        """Drop all cached data after an error, so that they are queried again."""
        self._prefetched.clear()
        self._blocks.forget()
        if self._endpoint.extras.forget is not None:
            self._endpoint.extras.forget()

    def _query_block(self, height: int) -> CommittedBlock:
        self.queried += 1
        return self._endpoint.block(height)


# -- chains of the daemon

log = logging.getLogger("pyibc.relayer")


class ConnectedEndpoint(ChainEndpoint, Protocol):
    """Endpoint with open connections."""

    def close(self) -> None:
        """Close the connections; a later call opens them again."""


Connect = Callable[[ChainConfig], ConnectedEndpoint]
"""Returns the endpoint of a chain; raises EndpointUnavailable while none of its nodes answers."""


class Chain:
    """Chain with an endpoint that all links share, and its status."""

    def __init__(
        self,
        config: ChainConfig,
        connect: Connect,
        provider: Callable[[], ChainEndpoint] | None = None,
    ) -> None:
        """Query nothing before `start` or `endpoint`; `provider` is that of a consumer chain."""
        self.config = config
        self._consumer = Consumer(config.consumer, provider) if config.consumer else None
        self._connect = connect
        self._lock = Lock()
        self._connected: ConnectedEndpoint | None = None
        self._endpoint: SharedChain | None = None
        self._connecting: Future[SharedChain | None] | None = None
        self._is_ended = False
        first, *others = (fees.denom for fees in config.all_fees)
        self._watch = ChainWatch(config.id, first, self.endpoint, others=others)

    @property
    def status(self) -> ChainStatus:
        """State at the last check."""
        endpoint = self._endpoint
        if endpoint is None:
            return self._watch.status
        nodes = endpoint.extras.nodes
        fees, found = endpoint.extras.fees, self._watch.status
        spent = {} if fees is None else fees.spent_today
        return found._replace(
            latencies=endpoint.confirmed.value,
            until_sent=endpoint.submitted.value,
            spent_today=spent.get(found.denom, 0),
            others=tuple(each._replace(spent_today=spent.get(each.denom, 0)) for each in found.others),
            nodes=() if nodes is None else nodes.node_statuses,
        )

    def start(self) -> None:
        """Start to watch the chain."""
        self._watch.start()

    def end(self) -> None:
        """Stop the watch and close the endpoint; links that use it must be ended before.

        An endpoint that is being connected is closed by the thread that connects it.
        """
        self._watch.end()
        with self._lock:
            self._is_ended = True
            connected, endpoint = self._connected, self._endpoint
        if endpoint is not None:
            endpoint.end()
        if connected is not None:
            connected.close()

    def endpoint(self) -> SharedChain:
        """Return the endpoint; connect it if necessary, once for all threads that ask meanwhile.

        Raises:
            EndpointUnavailable: no node answers.
            WrongCounterparty: the nodes are of another chain.
        """
        while True:
            with self._lock:
                if self._endpoint is not None:
                    return self._endpoint
                connecting, is_ours = self._connecting, self._connecting is None
                if connecting is None:
                    connecting = self._connecting = Future[SharedChain | None]()
            if is_ours:
                return self._connected_by(connecting)
            found = connecting.result()
            if found is not None:  # None: the thread that connected was stopped
                return found

    def _connected_by(self, connecting: "Future[SharedChain | None]") -> SharedChain:
        """Connect the endpoint, and let `connecting` have it."""
        failure: Exception | None = None
        try:
            endpoint = self._opened()
        except Exception as error:
            failure = error
            raise
        else:
            return endpoint
        finally:
            with self._lock:
                self._connecting, found = None, self._endpoint
            if failure is None:
                connecting.set_result(found)
            else:
                connecting.set_exception(failure)

    def _opened(self) -> SharedChain:
        found = self._connect(self.config)
        if found.chain_id != self.config.id:
            found.close()
            raise WrongCounterparty(self.config.id, "chain", f"its nodes are of {found.chain_id}")
        with self._lock:
            is_ended = self._is_ended
            if not is_ended:
                self._connected, self._endpoint = found, SharedChain(found, consumer=self._consumer)
        if is_ended or self._endpoint is None:
            found.close()
            raise EndpointUnavailable(self.config.id, "no longer used")
        self._endpoint.follow()
        return self._endpoint

    def renew_nodes(self) -> None:
        """Let each node be judged anew before its next use."""
        endpoint = self._endpoint
        if endpoint is not None and endpoint.extras.nodes is not None:
            endpoint.extras.nodes.renew_nodes()

    def forget(self) -> None:
        """Drop the cached blocks."""
        endpoint = self._endpoint
        if endpoint is not None:
            endpoint.forget()
