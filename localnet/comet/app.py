"""The ABCI application of a host chain: `HostApp` behind `abci_server.Application`."""

from collections.abc import Sequence
from contextlib import ExitStack
from threading import RLock

from abci_server import BaseApplication
from abci_server import requests as ask
from abci_server.application import tx_size
from abci_server.responses import (
    ResponseApplySnapshotChunk,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseInitChain,
    ResponseQuery,
)
from abci_server.values import OfferResult, Snapshot
from ibc_core.host.block import CommittedBlock
from localnet.comet.errors import OutOfStep, WrongGenesis
from localnet.comet.genesis import ChainRules, app_state
from localnet.comet.last_block_file import LastBlockFile
from localnet.comet.results import check_result, query_answer, tx_result
from localnet.comet.snapshots import FORMAT
from localnet.comet.statesync import SnapshotRestorer, SnapshotTaker
from localnet.host.app import HostApp
from localnet.host.identity import APP_PROTOCOL, NAME, VERSION
from localnet.retention import Retention, keep_from

_TIME_BYTES = 8
_KEEPS = Retention()


class CometApp(BaseApplication):
    """One chain's application under CometBFT.

    Queries, over ABCI or from a gRPC server in the same process, do not block on consensus. Any other thread
    that uses `host` must hold `lock`, and must not wait for CometBFT while it does: CometBFT may itself be
    waiting for CheckTx.

    Args:
        host: The application.
        rules: The chain's parameters from its genesis.
        last: File of the last block, for listeners to committed blocks; None if there are no listeners.
        taker: Takes state sync snapshots; None: none are taken.
        retention: How many blocks CometBFT is told to keep.
    """

    def __init__(
        self,
        host: HostApp,
        rules: ChainRules,
        last: LastBlockFile | None = None,
        taker: SnapshotTaker | None = None,
        retention: Retention = _KEEPS,
    ) -> None:
        self.host = host
        self.lock = RLock()
        self._rules = rules
        self._last = last
        self._finalized: CommittedBlock | None = None
        self._taker = taker
        self._retention = retention
        self._joiner = SnapshotRestorer(host)
        if host.info().height:
            host.resume(int.from_bytes(host.store.metadata, "big"))
        # After a crash between a commit and its notification: listeners must tolerate seeing a block twice.
        block = last.read() if last else None
        if block is not None and block.height == host.info().height:
            host.pipeline.committed(block)

    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """The last committed height and its app hash; from here on the application knows its CometBFT."""
        self.host.node_queries.cometbft = request.version or self.host.node_queries.cometbft
        with self.lock:
            height, app_hash = self.host.info()
        return ResponseInfo(height, app_hash if height else b"", NAME, VERSION, APP_PROTOCOL)

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:
        """Accepts the genesis, which the first block writes to the state.

        Raises:
            WrongGenesis: it differs from the genesis in the validator's home.
            IbcError, ValueError: a plugin rejects its part.
        """
        block = request.consensus_params.block
        limits = (block.max_bytes, block.max_gas) if block else self._rules[2:]
        told = ChainRules(request.chain_id, request.initial_height, *limits)
        if told != self._rules:
            raise WrongGenesis("rules", f"are {told} now, the application was started with {self._rules}")
        with self.lock:
            return ResponseInitChain(
                self.host.init_chain(request.time_ns, app_state(request.app_state_bytes))
            )

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:
        """Whether a transaction may enter the mempool."""
        with self.lock:
            return check_result(self.host.check_tx(request.tx, request.recheck))

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """The decodable transactions among those offered, in order, within the block's bytes and gas."""
        with self.lock:
            chosen = self.host.prepare_proposal(request.txs, request.max_tx_bytes, request.time_ns)
        size = sum(map(tx_size, chosen))
        while size > request.max_tx_bytes:  # the host counts transactions without their length prefixes
            size -= tx_size(chosen.pop())
        return chosen

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:
        """Whether every transaction decodes and the block stays within its gas limit."""
        with self.lock:
            return self.host.process_proposal(request.txs, request.time_ns)

    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Executes the next block; persists nothing.

        Raises:
            OutOfStep: the request is for a different height.
        """
        host = self.host
        with self.lock:
            if request.height != host.store.next_version:
                raise OutOfStep(request.height, host.store.next_version)
            final = host.finalize_block(request.time_ns, request.txs, request.next_validators_hash)
        self._finalized = CommittedBlock(
            self._rules.chain_id,
            request.height,
            request.time_ns,
            final.app_hash,
            final.outcomes,
            final.events,
        )
        results = [tx_result(each) for each in final.outcomes]
        return ResponseFinalizeBlock(results, final.app_hash, final.events)

    def commit(self) -> int:
        """Persists the finalized block with its time, then notifies listeners.

        Returns the oldest block to keep: those from the oldest snapshot on are needed by who starts from it.
        """
        block = self._finalized
        if block is None:
            raise OutOfStep(0, self.host.store.next_version)
        if self._last is not None:
            self._last.write(block)
        with self.lock:
            self.host.commit(block.time_ns.to_bytes(_TIME_BYTES, "big"))
            self.host.pipeline.committed(block)
        self._finalized = None
        if self._taker is not None:
            self._taker.committed(block.height)
        oldest = self._taker.snapshots.oldest() if self._taker is not None else 0
        return keep_from(block.height, self._retention, oldest or block.height)

    def query(self, request: ask.RequestQuery) -> ResponseQuery:
        """Reads a store entry with its proof, or answers a gRPC method, on committed state."""
        return query_answer(self.host.query(request.path, request.data, request.height, request.prove))

    def list_snapshots(self) -> Sequence[Snapshot]:
        """The snapshots available to peers."""
        return self._taker.snapshots.known() if self._taker else ()

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:
        """A chunk of an available snapshot; empty if there is no such chunk."""
        if self._taker is None or request.format != FORMAT:
            return b""
        return self._taker.snapshots.chunk(request.height, request.chunk)

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Accepts a snapshot of a supported format if no block has been executed yet."""
        with self.lock:
            self._finalized = None
            return self._joiner.offer(request)

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Applies a chunk; after the last one, the state is kept if it has the trusted app hash."""
        with self.lock:
            return self._joiner.apply(request)

    def close(self) -> None:
        """Waits for a snapshot in progress, then closes files and databases, all of them.

        Raises:
            StorageFailed: the disk refused the last checkpoint; no block is lost.
        """
        with ExitStack() as parts:
            parts.callback(self.host.store.close)
            if self._last is not None:
                parts.callback(self._last.close)
            if self._taker is not None:
                parts.callback(self._taker.wait)
